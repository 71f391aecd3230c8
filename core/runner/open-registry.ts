import { dirname, join } from 'node:path';
import type { AgentRegistry } from '../agents/agent.js';
import { parseAgentsConfig } from '../agents/parse-agents-config.js';
import { openAgents } from '../agents/registry.js';
import { startAgentProcess } from '../io/agent-process.js';
import { httpClient } from '../io/http-client.js';
import { serviceStarter } from '../io/service-process.js';
import { gateError } from '../model/error-codes.js';
import { readConfigFile } from './config-file.js';
import type { SessionSettings } from './session.js';

/** The folder beside the runs that keeps what services print. */
const LOGS = 'agent-logs';

/**
 * Starts the agents of agents.yaml; the caller closes what it gets. Throws GateError `agents-none` when not one can be
 * reached, since nothing could be judged then.
 */
export async function openRegistry(
  settings: Pick<SessionSettings, 'agents' | 'environment' | 'runs'>,
): Promise<AgentRegistry> {
  const { agents: file, environment, runs } = settings;
  const entries = parseAgentsConfig(readConfigFile(file, 'write one, or name another with --agents'), { file });
  const available = new Map(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const registry = await openAgents(entries, {
    start: startAgentProcess,
    http: httpClient,
    services: serviceStarter({ logs: join(dirname(runs), LOGS) }),
    environment: available,
  });
  if (registry.agents.size > 0) return registry;
  const reasons = [
    ...registry.unavailable.map(({ label, reason }) => `${label}: ${reason}`),
    ...registry.incompatible.map(({ label, theirs, ours }) => `${label}: made for contract ${theirs}, this is ${ours}`),
  ];
  throw gateError('agents-none', {
    blame: 'configuration',
    message: reasons.length === 0 ? 'no agent is registered' : `no agent can be reached (${reasons.join('; ')})`,
    remedy: 'register one that can be reached',
    place: { file },
  });
}
