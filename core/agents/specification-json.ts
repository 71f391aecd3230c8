import type { Composable } from '../json/index.js';
import type { AgentSpecification, ClassSchema } from './specification.js';

/** A specification in the members of contract 8; `ofSchema` says what stands for each class schema. */
export function specificationJson(one: AgentSpecification, ofSchema: (schema: ClassSchema) => Composable): Composable {
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
    schemas: new Map([...one.schemas].map(([name, schema]) => [name, ofSchema(schema)])),
  };
}
