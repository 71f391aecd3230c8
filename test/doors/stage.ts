import { request as requestHttp } from 'node:http';
import { afterAll } from 'vitest';
import type { Noted, Seen } from '../../core/conductor/witness.js';
import { LiveRuns } from '../../core/doors/live-runs.js';
import { SourceService } from '../../core/doors/source-service.js';
import { systemClock } from '../../core/io/clock.js';
import { nextTurn, type SourceServer, startSourceServer } from '../../core/io/source-server.js';
import { type JsonNode, parseJson } from '../../core/json/index.js';
import type { Clock } from '../../core/model/ports.js';
import { loadSources } from '../../core/sources/index.js';
import { memoryFiles, sha256 } from '../support/memory-copy.js';

/** The records of `snap:1`; `snap:2` holds one that no run of these tests may see. */
export const RECORDS = [
  '{"id":"rec:1","title":"Ocean tides at Cuxhaven","depth":1.50}',
  '{"id":"a/b c","title":"An id with a slash"}',
  '{"id":"..","title":"An id of dots"}',
  '{"id":"rec:2","title":"Tides","domains":[1],"fairsharing_id":"f"}',
];

const SECRET = '{"id":"rec:1","title":"Not for everybody"}';

/** The copies of these tests. */
export function copies(records: readonly string[] = RECORDS) {
  const text = records.map((record) => `${record}\n`).join('');
  const entry = (ref: string, path: string, content: string) =>
    `  - {snapshot_refs: ["${ref}"], path: ${path}, id_field: id, sha256: "${sha256(content)}"}\n`;
  const yaml = `sources:\n${entry('snap:1', 'a.jsonl', text)}${entry('snap:2', 'b.jsonl', SECRET)}`;
  return loadSources(memoryFiles({ 'sources.yaml': yaml, 'a.jsonl': text, 'b.jsonl': SECRET }), {
    sourcesPath: 'sources.yaml',
    named: true,
  });
}

/** A server with its runs, closed after the tests of the file. */
export interface DoorStage {
  readonly url: string;
  readonly port: number;
  /** Begins a run; what its witness was told, and how to end it. */
  begin(options?: { readonly allowed?: readonly string[]; readonly noted?: () => Noted }): StagedRun;
  readonly errors: unknown[];
}

export interface StagedRun {
  readonly token: string;
  readonly seen: Seen[];
  end(): void;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly json: JsonNode;
}

const open: SourceServer[] = [];

afterAll(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** Opens the doors over `records`. */
export async function doorStage(
  options: { readonly records?: readonly string[]; readonly clock?: Clock } = {},
): Promise<DoorStage> {
  const clock = options.clock ?? systemClock();
  const runs = new LiveRuns();
  const errors: unknown[] = [];
  const server = await startSourceServer(runs, { clock, onError: (error) => errors.push(error) });
  open.push(server);
  const held = copies(options.records);
  let count = 0;
  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    errors,
    begin({ allowed = ['snap:1'], noted = (): Noted => 'noted' } = {}) {
      count += 1;
      const token = `token-${count}`;
      const seen: Seen[] = [];
      const witness = {
        note: (one: Seen): Noted => {
          const answer = noted();
          if (answer === 'noted') seen.push(one);
          return answer;
        },
      };
      const end = runs.admit(token, new SourceService({ copies: held, allowed, witness, clock, turn: nextTurn }));
      return { token, seen, end };
    },
  };
}

/** One request whose path is sent as it stands, without being made tidy first. */
export function ask(
  stage: DoorStage,
  asked: {
    readonly path: string;
    readonly token?: string;
    readonly method?: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Reply> {
  const { path, token, method = 'GET', body, headers } = asked;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const outgoing = requestHttp({
      host: '127.0.0.1',
      port: stage.port,
      path,
      method,
      headers: { ...authorization, ...headers },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = parseJson(Buffer.from(text === '' ? 'null' : text), { file: 'reply' });
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text, json });
      });
    });
    outgoing.end(body);
  });
}

/** The code of a refusal. */
export function refusalOf({ json }: Reply): string | undefined {
  return json.get('error')?.get('code')?.string();
}
