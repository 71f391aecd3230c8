import type { AgentRegistry } from '../agents/agent.js';
import type { DeclaredDerivation } from '../report/run-report.js';
import { openRegistry } from './open-registry.js';
import type { SessionSettings } from './session.js';

/** What agents declare of how their values are made, by agent and version: another version may make them otherwise. */
export type DerivationsOf = (agent: {
  readonly agentId: string;
  readonly version: string;
}) => readonly DeclaredDerivation[];

/** Asks the registered agents once, and ends them. Rejects as `openRegistry` does. */
export async function declaredDerivations(
  settings: Pick<SessionSettings, 'agents' | 'environment' | 'runs'>,
): Promise<DerivationsOf> {
  const registry = await openRegistry(settings);
  await registry.close();
  return derivationsIn(registry);
}

/** The same of a registry that is at hand. */
export function derivationsIn({ agents }: Pick<AgentRegistry, 'agents'>): DerivationsOf {
  return ({ agentId, version }) => {
    const specification = agents.get(agentId)?.specification;
    if (specification === undefined || specification.version !== version) return [];
    return [...specification.derivations].map(([field, { how, recordedIn }]) => ({ field, how, recordedIn }));
  };
}
