import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { type Composable, jsonOf } from '../../core/json/index.js';
import type { Principal } from '../../core/model/principal.js';
import { openSession, type Session } from '../../core/runner/session.js';

export const PRINCIPAL: Principal = {
  principalId: 'mailto:tester@example.org',
  name: 'Tester',
  principalKind: 'person',
  assurance: 'asserted',
};

/** A session in a folder of its own, over the real store, with these agents under a profile that lets them run. */
export async function sessionWith(given: {
  readonly agents: string;
  readonly permitted: Readonly<Record<string, string>>;
  readonly sources?: string;
}): Promise<{ readonly folder: string; readonly session: Session; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-interop-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const permitted = Object.entries(given.permitted).map(([agent, action]) => `  ${agent}: ${action}\n`);
  const session = await openSession({
    profile: write('profile.yaml', `profile_id: interop\nversion: 1\nagents:\n${permitted.join('')}`),
    sources: { sourcesPath: write('sources.yaml', given.sources ?? 'sources: []\n'), named: true },
    agents: write('agents.yaml', given.agents),
    runs: join(folder, 'runs'),
    writeCrate: false,
    environment: { PATH: process.env['PATH'] },
  });
  return {
    folder,
    session,
    async close() {
      await session.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A request as a front end hands it to the conductor. */
export function requestFor(agentId: string, input: Readonly<Record<string, Composable>>) {
  const invocation_id = v7();
  return jsonOf({ invocation_id, agent_id: agentId, issued_at: '2026-09-30T10:00:00Z', input });
}
