import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { InvokedRun } from '../../core/conductor/ports.js';
import { type Composable, jsonOf } from '../../core/json/index.js';
import type { Principal } from '../../core/model/principal.js';
import { openSession, type Session } from '../../core/runner/session.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(import.meta.dirname, '../..');
export const CLI = join(ROOT, 'build/cli.js');

/** A module of the agents' tests. */
export function moduleOf(name: string): string {
  return join(ROOT, 'test/agents/modules', name);
}

const PRINCIPAL: Principal = {
  principalId: 'mailto:tester@example.org',
  name: 'Tester',
  principalKind: 'person',
  assurance: 'asserted',
};

/** A span as it is stored, in what these tests ask of it. */
export interface StoredSpan {
  readonly name: string;
  readonly status: { readonly status_code: string; readonly description?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A session over agents.yaml, in a folder of its own, in which every agent of the tests may run. */
export async function stage(agents: string, { sources = 'sources: []\n', files = {} } = {}) {
  const folder = temporaryFolder({
    'agents.yaml': agents,
    'sources.yaml': sources,
    'profile.yaml':
      'profile_id: test\nversion: 1\nagents: {test.calls-models: test, test.tries-to-leave: test, test.served: test}\n',
    ...files,
  });
  const session: Session = await openSession({
    profile: join(folder, 'profile.yaml'),
    sources: { sourcesPath: join(folder, 'sources.yaml'), named: true },
    agents: join(folder, 'agents.yaml'),
    runs: join(folder, 'runs'),
    writeCrate: false,
    environment: { PATH: process.env['PATH'] },
  });
  const spansOf = ({ invocationId }: InvokedRun): readonly StoredSpan[] =>
    readFileSync(join(folder, 'runs', invocationId, 'spans.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as StoredSpan);
  return {
    folder,
    session,
    run: (agentId: string, input: Readonly<Record<string, Composable>>, require?: 'witnessed') =>
      session.conductor.invoke({
        request: jsonOf({ invocation_id: v7(), agent_id: agentId, issued_at: '2026-11-30T10:00:00Z', input }),
        principal: PRINCIPAL,
        ...(require === undefined ? {} : { require }),
      }),
    spansOf,
    seenIn: (run: InvokedRun) => spansOf(run).filter(({ attributes }) => attributes['dd.witnessed'] === true),
    rootOf: (run: InvokedRun) => spansOf(run)[0]?.attributes ?? {},
    textOf: ({ envelope }: InvokedRun) => envelope.locate('/payload/text')?.string() ?? envelope.text(),
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** What an entry's `start` says to serve a module of the tests. */
export function serving(name: string, port: number): string {
  return `exec ${process.execPath} ${CLI} serve-agent ${moduleOf(name)} --port ${port}`;
}
