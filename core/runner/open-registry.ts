import type { AgentRegistry } from '../agents/agent.js';
import { parseAgentsConfig } from '../agents/parse-agents-config.js';
import { openAgents } from '../agents/registry.js';
import { startAgentProcess } from '../io/agent-process.js';
import { gateError } from '../model/error-codes.js';
import { readConfigFile } from './config-file.js';
import type { SessionSettings } from './session.js';

/**
 * Starts the agents of agents.yaml; the caller closes what it gets. Throws GateError `agents-none` when not one can be
 * reached, since nothing could be judged then.
 */
export async function openRegistry(settings: Pick<SessionSettings, 'agents' | 'environment'>): Promise<AgentRegistry> {
  const { agents: file, environment } = settings;
  const entries = parseAgentsConfig(readConfigFile(file, 'write one, or name another with --agents'), { file });
  const available = new Map(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const registry = await openAgents(entries, { start: startAgentProcess, environment: available });
  if (registry.agents.size > 0) return registry;
  const reasons = registry.unavailable.map(({ label, reason }) => `${label}: ${reason}`);
  throw gateError('agents-none', {
    blame: 'configuration',
    message: reasons.length === 0 ? 'no agent is registered' : `no agent can be reached (${reasons.join('; ')})`,
    remedy: 'register one that can be reached',
    place: { file },
  });
}
