import { type Composable, composeJson, type JsonNode, parseJson } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { oneLine } from '../../model/errors.js';
import { shortened } from '../../model/wording.js';
import type { AgentReply } from '../agent.js';
import { readReply } from '../agent-messages.js';
import { withIntegralNumbers } from './integral-numbers.js';
import { ARTIFACTS } from './protocol.js';
import { onlyPart } from './task-answer.js';

/** The longest text of a failure that is passed on. */
const MAX_ERROR_LENGTH = 2_000;

/**
 * The artifacts of a completed task, from the `result` of a reply. Throws a GateError of blame `agent`: `agent-threw` with what a failed
 * task says, `agent-reply` for a message in place of a task, for any other state, and for anything that is not one task.
 */
export function completedArtifacts(result: JsonNode): readonly JsonNode[] {
  const task = result.get('task');
  if (result.has('message')) throw faulty('it answered with a message instead of a task');
  if (task?.kind !== 'object' || result.size !== 1) throw faulty('its reply holds something else than one task');
  const state = task.get('status')?.get('state')?.string();
  if (state === 'TASK_STATE_FAILED') throw failed(task);
  if (state !== 'TASK_STATE_COMPLETED')
    throw faulty(`its task ended as ${named(state)} instead of TASK_STATE_COMPLETED`);
  return task.get('artifacts')?.items() ?? [];
}

/** What an agent answered a call with: exactly one artifact `agent-result` with one data part (contract 8). */
export function readTask(result: JsonNode): AgentReply {
  const artifacts = completedArtifacts(result);
  const [artifact] = artifacts;
  if (artifact === undefined || artifacts.length > 1)
    throw faulty(`its task has ${artifacts.length} artifacts instead of one`);
  const name = artifact.get('name')?.string();
  if (name !== ARTIFACTS.result) throw faulty(`its artifact is called ${named(name)} instead of "${ARTIFACTS.result}"`);
  const data = onlyPart(artifact, 'data');
  if (data?.kind !== 'object') throw faulty('its artifact is not one data part with an object');
  const { result: agentResult, spans } = readReply(data);
  return { result: restored(agentResult), spans };
}

function named(text: string | undefined): string {
  return text === undefined ? 'null' : JSON.stringify(shortened(text));
}

/** A result with the numbers that crossed a `Struct` as they were: what evidence hashes, and token counts (contract 8). */
function restored(result: JsonNode): JsonNode {
  if (result.kind !== 'object') return result;
  const members = result.entries().map(([key, value]): [string, Composable] => {
    if (key === 'input_tokens' || key === 'output_tokens') return [key, withIntegralNumbers(value)];
    if (key === 'evidence' && value.kind === 'array') return [key, value.items().map(restoredItem)];
    return [key, value];
  });
  return parseJson(composeJson(new Map(members), { indent: 0 }), { file: '<agent>' });
}

function restoredItem(item: JsonNode): Composable {
  if (item.kind !== 'object') return item;
  return new Map(item.entries().map(([key, value]) => [key, key === 'content' ? withIntegralNumbers(value) : value]));
}

/** The `{"error"}` of a failed task's message, or the text that other servers put there. */
function failed(task: JsonNode): Error {
  const parts = task.get('status')?.get('message')?.get('parts')?.items() ?? [];
  const texts = parts.flatMap((part) => part.get('data')?.get('error')?.string() ?? part.get('text')?.string() ?? []);
  const said = oneLine(texts[0] ?? 'its task failed without a word')
    .slice(0, MAX_ERROR_LENGTH)
    .toWellFormed();
  return gateError('agent-threw', { blame: 'agent', message: said });
}

function faulty(message: string): Error {
  return gateError('agent-reply', { blame: 'agent', message });
}
