import type { AgentRegistry } from '../agents/agent.js';
import type { AgentSpecification } from '../agents/specification.js';
import { specificationJson } from '../agents/specification-json.js';
import { jsonText } from '../report/json-text.js';

/** The registry as `grounding agents --format json` and `GET /agents` give it. */
export function registryJson(registry: AgentRegistry): string {
  return jsonText({
    agents: specificationsOf(registry).map((one) => specificationJson(one, ({ digest }) => digest)),
    unavailable: registry.unavailable.map(({ label, reason }) => ({ label, reason })),
    incompatible: registry.incompatible.map(({ label, theirs, ours }) => ({
      label,
      contract_version: theirs,
      expected_contract_version: ours,
    })),
  });
}

/** What the agents that can be called declare, in the order of agents.yaml. */
export function specificationsOf(registry: AgentRegistry): readonly AgentSpecification[] {
  return [...registry.agents.values()].map((agent) => agent.specification);
}
