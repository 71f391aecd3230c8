import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { Agent, AgentRegistry, UnavailableAgent } from './agent.js';
import type { StartAgentProcess } from './agent-process.js';
import { agentEnvironment } from './environment.js';
import { openModuleAgent } from './module-agent.js';
import type { AgentEntry, ModuleEntry } from './parse-agents-config.js';

/** What the registry needs of the world: how to start a process, and the variables that agents may be given. */
export interface RegistryWorld {
  readonly start: StartAgentProcess;
  readonly environment: ReadonlyMap<string, string>;
}

/**
 * Starts every agent of agents.yaml and reads what it declares. Rejects with a GateError of blame `configuration` when a module gives
 * no agent, when a variable is refused, or when two agents have one id (contract 7); nothing is left running then.
 */
export async function openAgents(entries: readonly AgentEntry[], world: RegistryWorld): Promise<AgentRegistry> {
  const modules = entries.filter((entry) => entry.kind === 'module');
  const environments = modules.map((entry) => agentEnvironment(entry.env, world.environment));
  const opened = await Promise.allSettled(
    modules.map((entry, i) => openEntry(entry, { environment: environments[i] ?? new Map(), start: world.start })),
  );
  const running = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async (): Promise<void> => void (await Promise.all(running.map((agent) => agent.close())));
  try {
    for (const result of opened) if (result.status === 'rejected') throw result.reason;
    return { agents: byId(running, modules), unavailable: entries.flatMap(unavailable), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openEntry(entry: ModuleEntry, world: RegistryWorld): Promise<Agent> {
  const { module, label, timeoutS, place } = entry;
  try {
    return await openModuleAgent({ ...world, module, label, timeoutMs: timeoutS * 1000 });
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

function byId(agents: readonly Agent[], entries: readonly ModuleEntry[]): ReadonlyMap<string, Agent> {
  const found = new Map<string, Agent>();
  agents.forEach((agent, i) => {
    const { agentId } = agent.specification;
    const entry = entries[i];
    if (found.has(agentId) && entry !== undefined)
      throw gateError('agent-duplicate', {
        blame: 'configuration',
        message: `two entries lead to an agent ${JSON.stringify(agentId)}, the second is ${entry.label}`,
        remedy: 'remove one of them, or give one another agent_id',
        place: entry.place,
      });
    found.set(agentId, agent);
  });
  return found;
}

function unavailable(entry: AgentEntry): UnavailableAgent[] {
  if (entry.kind === 'module') return [];
  return [{ label: entry.label, reason: 'agents as services are not part of this build yet' }];
}
