import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { OpenedService, ServiceWorld } from './a2a/open-service.js';
import type { Agent, AgentRegistry, UnavailableAgent } from './agent.js';
import type { StartAgentProcess } from './agent-process.js';
import { agentEnvironment } from './environment.js';
import { type Isolator, placeOf } from './isolation.js';
import { gateOf } from './model-gate.js';
import { openModuleAgent } from './module-agent.js';
import type { AgentEntry, ModuleEntry, ServiceEntry } from './parse-agents-config.js';

/** What the registry needs of the world: how to start a process, the network, and the variables that agents may be given. */
export interface RegistryWorld extends Omit<ServiceWorld, 'environment' | 'isolated'> {
  readonly start: StartAgentProcess;
  /** Left out where no entry may ask to be isolated: such a one is refused. */
  readonly isolator?: Isolator;
  readonly environment: ReadonlyMap<string, string>;
}

/** An entry whose agent can be called. */
interface Registered {
  readonly entry: AgentEntry;
  readonly agent: Agent;
}

/**
 * Starts every agent of agents.yaml and reads what it declares. Rejects with a GateError of blame `configuration` when a module gives
 * no agent, when a variable or an address is refused, or when two agents have one id (contract 7); nothing is left running then. A
 * service that cannot be called, or was made for another contract, is listed with the reason.
 */
export async function openAgents(entries: readonly AgentEntry[], world: RegistryWorld): Promise<AgentRegistry> {
  // Refused before anything is started.
  for (const { env } of entries) agentEnvironment(env, world.environment);
  const settled = await Promise.allSettled(
    entries.map(async (entry) => ({ entry, opened: await openEntry(entry, world) })),
  );
  const results = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const registered = results.flatMap(({ entry, opened }): Registered[] =>
    opened.kind === 'agent' ? [{ entry, agent: opened.agent }] : [],
  );
  const close = async (): Promise<void> => void (await Promise.all(registered.map(({ agent }) => agent.close())));
  try {
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
    return {
      agents: byId(registered),
      unavailable: results.flatMap(({ opened }) => (opened.kind === 'unavailable' ? [unavailable(opened)] : [])),
      incompatible: results.flatMap(({ opened }) =>
        opened.kind === 'incompatible' ? [{ label: opened.label, theirs: opened.theirs, ours: opened.ours }] : [],
      ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function unavailable({ label, reason, address, log }: UnavailableAgent): UnavailableAgent {
  return { label, reason, ...(address === undefined ? {} : { address }), ...(log === undefined ? {} : { log }) };
}

async function openEntry(entry: AgentEntry, world: RegistryWorld): Promise<OpenedService> {
  const place = placeOf(entry, world.isolator);
  if (place.kind === 'refused') return { kind: 'unavailable', label: entry.label, reason: place.reason };
  const isolated = place.kind === 'isolated' ? true : place.isolated;
  const { start, services } = isolated === true ? (world.isolator ?? world) : world;
  const known = isolated === undefined ? {} : { isolated };
  if (entry.kind === 'module') return openModule(entry, { ...world, start, ...known });
  return openService(entry, { ...world, services, ...known });
}

type Placed<World> = World & { readonly isolated?: boolean };

async function openModule(entry: ModuleEntry, world: Placed<RegistryWorld>): Promise<OpenedService> {
  const { module, label, timeoutS, env, place } = entry;
  const sources = entry.sources.map(({ ref }) => ref);
  const environment = agentEnvironment(env, world.environment);
  try {
    const { start, isolated } = world;
    const models = entry.models === null ? {} : { models: { gate: gateOf(world), ...entry.models } };
    const options = { start, module, label, environment, sources, timeoutMs: timeoutS * 1000 };
    const agent = await openModuleAgent({ ...options, ...models, ...(isolated === undefined ? {} : { isolated }) });
    return { kind: 'agent', agent };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const { message, remedy } = error;
    throw new GateError(error.code, {
      blame: error.blame,
      message,
      ...(remedy === undefined ? {} : { remedy }),
      place,
      cause: error,
    });
  }
}

/** The A2A client is loaded when a service is registered: most runs have none, and it is the larger part of this program. */
async function openService(entry: ServiceEntry, world: Placed<RegistryWorld>): Promise<OpenedService> {
  const { openService: open } = await import('./a2a/open-service.js');
  return open(entry, world);
}

function byId(registered: readonly Registered[]): ReadonlyMap<string, Agent> {
  const found = new Map<string, Agent>();
  for (const { entry, agent } of registered) {
    const { agentId } = agent.specification;
    if (found.has(agentId)) throw duplicateAgent({ id: agentId, entry });
    found.set(agentId, agent);
  }
  return found;
}

/** The error for a second entry that leads to an agent of one id. */
export function duplicateAgent({ id, entry }: { readonly id: string; readonly entry: AgentEntry }): GateError {
  return gateError('agent-duplicate', {
    blame: 'configuration',
    message: `two entries lead to an agent ${JSON.stringify(id)}, the second is ${entry.label}`,
    remedy: 'remove one of them, or give one another agent_id',
    place: entry.place,
  });
}
