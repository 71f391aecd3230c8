import { type Composable, composeJson, type JsonNode, parseJson } from '../json/index.js';
import { STATUSES, type Status } from '../model/outcome.js';
import { withoutNulls } from './accept-request.js';
import type { Usage } from './draft.js';

/** An AgentResult as far as it could be read; what breaks the contract in it is told after the checks. */
export interface ReadResult {
  readonly node: JsonNode;
  readonly status: Status;
  readonly outcome: JsonNode;
  readonly statement: string;
  readonly usage: Usage;
}

/**
 * Reads what an agent gave back, or says why it is no result. Null members count as absent wherever the contract knows
 * the members (contract 3), and are dropped: the envelope holds none.
 */
export function readResult(reply: JsonNode): ReadResult | string {
  if (reply.kind !== 'object')
    return `its result is ${reply.kind === 'array' ? 'an' : 'a'} ${reply.kind}, not an object`;
  const node = withoutAbsent(reply);
  const outcome = node.get('outcome');
  if (outcome?.kind !== 'object') return 'its result has no outcome';
  const named = outcome.get('status')?.string();
  const status = STATUSES.find((candidate) => candidate === named);
  if (status === undefined) return `the status of its outcome is none of ${STATUSES.join(', ')}`;
  return { node, status, outcome, statement: outcome.get('statement')?.string() ?? '', usage: usageOf(node) };
}

/** Payload and evidence content are the agent's own: nulls in them stay. */
function withoutAbsent(reply: JsonNode): JsonNode {
  const members = [...withoutNulls(reply)].map(([key, value]): [string, Composable] => {
    if (key === 'outcome' && value.kind === 'object') return [key, withoutNulls(value)];
    if (key === 'evidence' && value.kind === 'array') return [key, value.items().map(itemOf)];
    return [key, value];
  });
  return parseJson(composeJson(new Map(members), { indent: 0 }), { file: 'result' });
}

function itemOf(item: JsonNode): JsonNode | ReadonlyMap<string, JsonNode> {
  return item.kind === 'object' ? withoutNulls(item) : item;
}

function usageOf(result: JsonNode): Usage {
  const modelId = result.get('model_id')?.string();
  const inputTokens = countOf(result.get('input_tokens'));
  const outputTokens = countOf(result.get('output_tokens'));
  return {
    ...(modelId === undefined || modelId === '' ? {} : { modelId }),
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

/** A token count, which may have come through a wire that knows only doubles: `3.0` is 3 (contract 8). */
function countOf(node: JsonNode | undefined): number | undefined {
  const value = Number(node?.lexeme() ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
