import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Agent, UnavailableAgent } from '../../core/agents/agent.js';
import { createConductor } from '../../core/conductor/conductor.js';
import type { InvokedRun } from '../../core/conductor/ports.js';
import type { ConductorDeps } from '../../core/conductor/run-context.js';
import { systemClock } from '../../core/io/clock.js';
import { systemIds } from '../../core/io/ids.js';
import { createSchemaProcess } from '../../core/io/schema-process.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { storeWorld } from '../../core/io/store-files.js';
import { type Composable, type JsonNode, jsonOf, parseJson } from '../../core/json/index.js';
import type { Principal } from '../../core/model/principal.js';
import { parseProfile } from '../../core/policy/index.js';
import { loadSources } from '../../core/sources/index.js';
import { openStore } from '../../core/store/index.js';
import { createTracer } from '../../core/trace/tracer.js';
import { memoryFiles, sha256 } from '../support/memory-copy.js';

export const PRINCIPAL: Principal = {
  principalId: 'https://orcid.org/0000-0002-1825-0097',
  name: 'Josiah Carberry',
  principalKind: 'person',
  assurance: 'asserted',
};

/** The pinned record that the fakes may cite under `snap:1`. */
export const PINNED = { id: 'src:a', name: 'A record' };

const PROFILE = `profile_id: test
version: 3
agents:
  fake.agent: advise
  fake.other: advise
  fake.careful: publish
  fake.odd: advise
actions_requiring_approval: [publish]
`;

const schemas = createSchemaProcess({ deadlineMs: 1000 });
const folders: string[] = [];
const ids = systemIds();

afterAll(async () => {
  await schemas.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A conductor over real parts (store, tracer, schema worker, policy, sources) with the agents of a test. */
export interface Stage {
  readonly runsFolder: string;
  /** Invokes with the members of a request; what is left out is filled in. */
  invoke(request?: Readonly<Record<string, Composable>>, principal?: Principal): Promise<InvokedRun>;
  invokeNode(request: JsonNode): Promise<InvokedRun>;
  /** A file of a stored run as text. */
  read(run: InvokedRun, file: string): string;
  readJson(run: InvokedRun, file: string): JsonNode;
  /** Names in the runs folder that do not begin with a dot, sorted. */
  names(): string[];
}

/** Sets a stage; the first agent is the one that requests name when they name none. */
export async function stage(
  agents: readonly Agent[],
  { unavailable = [], ...deps }: Partial<ConductorDeps> & { readonly unavailable?: readonly UnavailableAgent[] } = {},
): Promise<Stage> {
  const runsFolder = mkdtempSync(join(tmpdir(), 'gate-conductor-'));
  folders.push(runsFolder);
  const { store } = await openStore(storeWorld(), runsFolder);
  const clock = systemClock();
  const registry = {
    agents: new Map(agents.map((agent) => [agent.specification.agentId, agent])),
    unavailable,
    incompatible: [],
    close: () => Promise.resolve(),
  };
  const conductor = createConductor({
    profile: parseProfile(Buffer.from(PROFILE), { file: 'profile.yaml' }),
    registry,
    copies: pinnedCopies(),
    schemas,
    store,
    tracer: createTracer({ clock, ids: randomSpanIds() }),
    clock,
    writeCrate: false,
    ...deps,
  });
  const read = (run: InvokedRun, file: string) => readFileSync(join(runsFolder, run.invocationId, file), 'utf8');
  return {
    runsFolder,
    invoke: (request = {}, principal = PRINCIPAL) =>
      conductor.invoke({ request: jsonOf(requestOf(request, agents)), principal }),
    invokeNode: (request) => conductor.invoke({ request, principal: PRINCIPAL }),
    read,
    readJson: (run, file) => parseJson(Buffer.from(read(run, file)), { file }),
    names: () =>
      readdirSync(runsFolder)
        .filter((name) => !name.startsWith('.'))
        .sort(),
  };
}

function requestOf(members: Readonly<Record<string, Composable>>, agents: readonly Agent[]): Composable {
  return {
    invocation_id: ids.invocationId(),
    agent_id: agents[0]?.specification.agentId ?? 'nobody',
    issued_at: '2026-09-30T10:00:00Z',
    input: { schema_class: 'Question', topic: 'soil' },
    ...members,
  };
}

function pinnedCopies() {
  const records = `${JSON.stringify(PINNED)}\n`;
  const sources = `sources:\n  - snapshot_refs: ["snap:1"]\n    path: r.jsonl\n    id_field: id\n    sha256: "${sha256(records)}"\n`;
  return loadSources(memoryFiles({ 'sources.yaml': sources, 'r.jsonl': records }), {
    sourcesPath: 'sources.yaml',
    named: true,
  });
}
