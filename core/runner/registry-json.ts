import type { AgentRegistry } from '../agents/agent.js';
import type { AgentSpecification } from '../agents/specification.js';
import type { Composable } from '../json/index.js';
import { jsonText } from '../report/json-text.js';

/** The registry as `grounding agents --format json` and `GET /agents` give it. */
export function registryJson(registry: AgentRegistry): string {
  return jsonText({
    agents: specificationsOf(registry).map(specificationJson),
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

function specificationJson(one: AgentSpecification): Composable {
  return {
    agent_id: one.agentId,
    version: one.version,
    description: one.description,
    action_class: one.actionClass,
    accepts: one.accepts,
    grounding_mode: one.groundingMode,
    payload: one.payload,
    derivations: new Map(
      [...one.derivations].map(([field, { how, recordedIn }]) => [field, { how, recorded_in: recordedIn }]),
    ),
    contract_version: one.contractVersion,
    schemas: new Map([...one.schemas].map(([name, { digest }]) => [name, digest])),
  };
}
