import { hashOf, type JsonNode, jsonOf } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { CONTRACT_VERSION } from '../../model/outcome.js';
import { GROUNDING_MODES, type GroundingMode } from '../../model/report.js';
import { composableOf } from './composable.js';
import type { AgentContext } from './context.js';
import type { AgentResult } from './outcomes.js';

/** How a value of the payload was made: the agent's declaration, which no check verifies. */
export interface DerivationDeclaration {
  readonly how: 'template' | 'model' | 'lexical' | 'registry';
  /** The payload field that says so at run time, or null. */
  readonly recorded_in: string | null;
}

/** An agent: what it declares about itself (contract 8) and what it does. */
export interface AgentDefinition<Input extends object = Record<string, unknown>> {
  readonly agent_id: string;
  /** Three numbers without leading zeros. */
  readonly version: string;
  readonly description: string;
  /** What a profile grants this agent for; compared exactly. */
  readonly action_class: string;
  /** The input classes that it reads. */
  readonly accepts: readonly string[];
  /** What its output may rest on; there is no default. */
  readonly grounding_mode: GroundingMode;
  /** The class of its payload, or null when it never has one. */
  readonly payload: string | null;
  /** Payload field path to how that field was made. */
  readonly derivations?: Readonly<Record<string, DerivationDeclaration>>;
  /** Class name to JSON Schema (draft-07) of every class above that is not a core class. */
  readonly schemas?: Readonly<Record<string, object>>;
  /** Answers one request; `input` has been checked against its class schema. To fail, throw. */
  run(ctx: AgentContext, input: Input): Promise<AgentResult> | AgentResult;
}

/**
 * Declares an agent; a module's default export must be what this returns. Throws a GateError `agent-specification` when no
 * grounding mode is named and a TypeError when there is nothing to run; the rest is checked by whoever registers the agent.
 */
export function defineAgent<Input extends object = Record<string, unknown>>(
  definition: AgentDefinition<Input>,
): AgentDefinition<Input> {
  if (typeof definition.run !== 'function') throw new TypeError('an agent needs a function run(ctx, input)');
  if (!GROUNDING_MODES.includes(definition.grounding_mode))
    throw gateError('agent-specification', {
      blame: 'configuration',
      message: `the agent ${String(definition.agent_id)} ${modeFault(definition.grounding_mode)}`,
      remedy: `name one of ${GROUNDING_MODES.join(', ')}`,
    });
  return Object.freeze({ ...definition });
}

/** The message alone reaches the process that started the agent, so it holds the choice too. */
function modeFault(mode: unknown): string {
  const known = GROUNDING_MODES.join(', ');
  if (mode === undefined) return `names no grounding_mode of ${known}, and there is no default`;
  return `has the grounding_mode ${JSON.stringify(mode) ?? String(mode)}, which is none of ${known}`;
}

/** The specification as a card carries it (contract 8): snake_case, each schema with its digest. */
export function specificationOf(definition: Omit<AgentDefinition, 'run'>): JsonNode {
  const { agent_id, version, description, action_class, accepts, grounding_mode, payload } = definition;
  const schemas = new Map(
    Object.entries(definition.schemas ?? {}).map(([name, schema]) => {
      const json_schema = jsonOf(composableOf(schema));
      return [name, { digest: hashOf(json_schema, 'dd-json-document-v1'), json_schema }];
    }),
  );
  const declared = { agent_id, version, description, action_class, accepts, grounding_mode, payload };
  return jsonOf(
    composableOf({
      ...declared,
      derivations: definition.derivations ?? {},
      contract_version: CONTRACT_VERSION,
      schemas,
    }),
  );
}
