/**
 * What the process of an agent writes. All of it may be the agent's own doing, so that it is read strictly
 * (contract 1) and every fault is the agent's.
 */
import { type JsonNode, parseJson } from '../json/index.js';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import type { AgentReply } from './agent.js';

/** The specification that a process declares when its module is loaded; throws GateError `agent-threw` when it could not be. */
export function readGreeting(line: Uint8Array): JsonNode {
  const message = read(line);
  const unusable = message.get('unusable');
  if (unusable !== undefined) throw fault('agent-threw', unusable.string() ?? 'it could not be loaded');
  const specification = message.get('specification');
  if (specification === undefined) throw fault('agent-reply', 'its first line declares no specification');
  return specification;
}

/** The answer to the call `id`; throws GateError `agent-threw`, `agent-misuse` or `agent-reply`. */
export function readAnswer(line: Uint8Array, id: number): AgentReply {
  const message = read(line);
  if (message.get('id')?.integer() !== id) throw fault('agent-reply', 'it answered another call than it was given');
  const error = message.get('error');
  if (error !== undefined) {
    const code = error.get('code')?.string() === 'agent-misuse' ? 'agent-misuse' : 'agent-threw';
    throw fault(code, error.get('message')?.string() ?? 'it failed without a message');
  }
  return readReply(message.get('answer'));
}

/**
 * The `result` and the `spans` of an answer (contract 8); throws GateError `agent-reply` when there is no result or no list
 * of spans. Whether the result is one is the conductor's to say, so that a bad one does not cost the trace its spans.
 */
export function readReply(answer: JsonNode | undefined): AgentReply {
  const result = answer?.get('result');
  const spans = answer?.get('spans');
  if (result === undefined) throw fault('agent-reply', 'its answer has no result');
  if (spans?.kind !== 'array') throw fault('agent-reply', 'its spans are not a list');
  const texts = spans.items().map((span) => span.string());
  if (!texts.every((text) => text !== undefined)) throw fault('agent-reply', 'one of its spans is not a string');
  return { result, spans: texts };
}

function read(line: Uint8Array): JsonNode {
  try {
    return parseJson(line, { file: '<agent>' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw gateError('agent-reply', { blame: 'agent', message: `its answer is ${why}`, cause });
  }
}

function fault(code: ErrorCode, message: string): Error {
  return gateError(code, { blame: 'agent', message });
}
