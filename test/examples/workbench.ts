import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import type { AgentRegistry } from '../../core/agents/agent.js';
import { parseAgentsConfig } from '../../core/agents/parse-agents-config.js';
import { openAgents } from '../../core/agents/registry.js';
import { createConductor } from '../../core/conductor/conductor.js';
import { Grants } from '../../core/conductor/grants.js';
import type { FinishedRun, InvokedRun, RunStore } from '../../core/conductor/ports.js';
import { startAgentProcess } from '../../core/io/agent-process.js';
import { systemClock } from '../../core/io/clock.js';
import { httpClient } from '../../core/io/http-client.js';
import { randomTokens, systemIds } from '../../core/io/ids.js';
import { createSchemaProcess } from '../../core/io/schema-process.js';
import { serviceStarter } from '../../core/io/service-process.js';
import { diskSourceFiles } from '../../core/io/source-files.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { type Composable, jsonOf } from '../../core/json/index.js';
import { parseProfile } from '../../core/policy/index.js';
import { startHarness } from '../../core/runner/harness.js';
import { loadSources } from '../../core/sources/index.js';
import { createTracer } from '../../core/trace/tracer.js';

export const root = join(import.meta.dirname, '..', '..');

const PRINCIPAL = {
  principalId: 'https://orcid.org/0000-0002-1825-0097',
  name: 'Josiah Carberry',
  principalKind: 'person',
  assurance: 'asserted',
} as const;

/** A judged run with the spans that were filed for it. */
export interface ExampleRun extends InvokedRun {
  readonly spans: readonly { name: string; status: { status_code: string }; attributes: Record<string, unknown> }[];
  /** The envelope as plain data, for assertions. */
  readonly plain: {
    readonly outcome: { readonly status: string; readonly reason_code?: string };
    readonly problem?: { readonly type: string };
    readonly payload?: Record<string, unknown>;
    readonly evidence?: readonly Record<string, unknown>[];
    readonly telemetry: Record<string, unknown>;
  };
}

/** The real conductor over the real agents, sources and a profile of this repository; only the store is memory. */
export interface Workbench {
  readonly registry: AgentRegistry;
  run(agentId: string, input: Composable): Promise<ExampleRun>;
  close(): Promise<void>;
}

export async function openWorkbench(
  options: { readonly agents?: string; readonly profile?: string; readonly environment?: Record<string, string> } = {},
): Promise<Workbench> {
  const agentsFile = options.agents ?? join(root, 'agents.yaml');
  const profileFile = join(root, 'profiles', `${options.profile ?? 'default'}.yaml`);
  const registry = await openAgents(parseAgentsConfig(readFileSync(agentsFile), { file: agentsFile }), {
    start: startAgentProcess,
    http: httpClient,
    services: serviceStarter({ logs: join(tmpdir(), 'no-service-is-started') }),
    environment: new Map(Object.entries({ PATH: process.env['PATH'] ?? '', ...options.environment })),
  });
  const copies = loadSources(diskSourceFiles, { sourcesPath: join(root, 'sources.yaml'), named: true });
  const schemas = createSchemaProcess();
  const clock = systemClock();
  const stored = new Map<string, FinishedRun>();
  const grants = new Grants(randomTokens);
  const conductor = createConductor({
    profile: parseProfile(readFileSync(profileFile), { file: profileFile }),
    registry,
    copies,
    schemas,
    store: memoryStore(stored),
    tracer: createTracer({ clock, ids: randomSpanIds() }),
    clock,
    writeCrate: false,
    grants,
  });
  const session = { conductor, grants, registry, world: { clock, ids: systemIds() } };
  const harness = await startHarness(session, { host: '127.0.0.1', port: 0 });
  return {
    registry,
    async run(agentId, input) {
      const invocationId = v7();
      const request = jsonOf({
        invocation_id: invocationId,
        agent_id: agentId,
        issued_at: '2026-09-30T10:00:00Z',
        input,
      });
      const invoked = await conductor.invoke({ request, principal: PRINCIPAL });
      const lines = Buffer.from(stored.get(invocationId)?.spans ?? [])
        .toString()
        .trim()
        .split('\n');
      return { ...invoked, spans: lines.map((line) => JSON.parse(line)), plain: JSON.parse(invoked.envelope.text()) };
    },
    async close() {
      await harness.close();
      await registry.close();
      await schemas.close();
      copies.close();
    },
  };
}

/** A copy of the examples in a folder of its own, with what they import, so that a test may alter it. */
export function copyOfExamples(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gg-examples-'));
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  cpSync(join(root, 'agents.yaml'), join(folder, 'agents.yaml'));
  cpSync(join(root, 'node_modules', 'minisearch'), join(folder, 'node_modules', 'minisearch'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'grounding-gate'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function memoryStore(stored: Map<string, FinishedRun>): RunStore {
  return {
    reserve: async () => {},
    write: async (run) => void stored.set(run.invocationId, run),
    release: async () => {},
  };
}
