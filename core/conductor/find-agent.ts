import type { Agent, AgentRegistry } from '../agents/agent.js';
import { gateError } from '../model/error-codes.js';
import { didYouMean } from '../model/nearest.js';
import type { Place } from '../model/violation.js';

/**
 * The agent that a request names. Throws `agent-unknown` of blame `caller`, which lists the agents that are known and
 * says why the others are unavailable (contract 7).
 */
export function findAgent(
  registry: AgentRegistry,
  { agentId, place }: { readonly agentId: string; readonly place: Place | undefined },
): Agent {
  const agent = registry.agents.get(agentId);
  if (agent !== undefined) return agent;
  const known = [...registry.agents.keys()].sort().join(', ') || 'none';
  const unavailable = registry.unavailable.map(({ label, reason }) => `; ${label} is unavailable: ${reason}`).join('');
  const incompatible = registry.incompatible
    .map(({ label, theirs, ours }) => `; ${label} was made for contract ${theirs}, this is ${ours}`)
    .join('');
  throw gateError('agent-unknown', {
    blame: 'caller',
    message: `no agent is called ${JSON.stringify(agentId)}${didYouMean(agentId, registry.agents.keys())}; known are: ${known}${unavailable}${incompatible}`,
    remedy: 'name one of the known agents, or register another in agents.yaml',
    ...(place === undefined ? {} : { place }),
  });
}
