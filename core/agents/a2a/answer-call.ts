import { checkClass } from '../../contract/check-class.js';
import { faultsText } from '../../contract/faults.js';
import type { SchemaChecker } from '../../contract/ports.js';
import { type Composable, composeJson, hashOf, type JsonNode, parseJson } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { parseTraceparent } from '../../trace/traceparent.js';
import type { AgentCall, Delegation, SourceAccess } from '../agent.js';
import type { AgentDefinition } from '../delegate/definition.js';
import { type RunWorld, runCall } from '../delegate/run-call.js';
import type { AgentSpecification } from '../specification.js';
import { numberLostOnTheWire, withIntegralNumbers } from './integral-numbers.js';
import { ARTIFACTS, METADATA } from './protocol.js';
import { type IncomingMessage, metadataText, onlyPart, type TaskAnswer } from './task-answer.js';

/** An agent that is served, and what its runs need. */
export interface ServedAgent {
  readonly definition: AgentDefinition;
  readonly specification: AgentSpecification;
  readonly world: RunWorld;
  readonly schemas: SchemaChecker;
  /** Origins that a call may name as the harness to delegate to, beside those of this machine. */
  readonly harnesses: ReadonlySet<string>;
}

/** The longest text of a failure that is sent. */
const MAX_ERROR_LENGTH = 2_000;

/** Names of this machine: what answers there is the operator's own. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Answers one message to an agent of ours (contract 8); whatever goes wrong is a failed task that says so in one line. */
export async function answerCall(message: IncomingMessage, agent: ServedAgent): Promise<TaskAnswer> {
  try {
    const call = readCall(message, agent);
    await refuseInput(call.request, agent);
    const reply = parseJson(await runCall(call, agent), { file: '<reply>' });
    refuseLostNumbers(reply);
    return { kind: 'completed', artifacts: [{ name: ARTIFACTS.result, part: { kind: 'data', value: reply } }] };
  } catch (error) {
    return failedAnswer(error);
  }
}

/** The answer to a call that failed, in one line. */
export function failedAnswer(error: unknown): TaskAnswer {
  return { kind: 'failed', error: firstLine(error) };
}

function readCall(message: IncomingMessage, { specification, harnesses }: ServedAgent): AgentCall {
  const data = onlyPart(message, 'data');
  if (data?.kind !== 'object') throw refused('the message is not one data part with an InvocationRequest');
  const agentId = data.get('agent_id')?.string();
  const invocationId = data.get('invocation_id')?.string();
  if (agentId !== specification.agentId)
    throw refused(`this is the agent ${specification.agentId}, the request is for ${JSON.stringify(agentId ?? null)}`);
  if (invocationId === undefined) throw refused('the request has no invocation_id');
  const traceparent = metadataText(message, METADATA.traceparent) ?? '';
  if (parseTraceparent(traceparent) === null) throw refused(`the message has no ${METADATA.traceparent}`);
  const inputHash = metadataText(message, METADATA.inputHash) ?? '';
  const delegation = readDelegation(message, harnesses);
  const sources = readSources(message, harnesses);
  return {
    request: asHashed(data, inputHash),
    inputRef: metadataText(message, METADATA.inputRef) ?? `input:${invocationId}`,
    inputHash,
    traceparent,
    ...(delegation === undefined ? {} : { delegation }),
    ...(sources === undefined ? {} : { sources }),
  };
}

/** The request whose input has the hash that the conductor computed: as it came, or with the integers that a `Struct` took. */
function asHashed(request: JsonNode, inputHash: string): JsonNode {
  const input = request.get('input');
  if (input?.kind !== 'object') throw refused('the request has no input');
  if (hashOf(input, 'dd-input-json-v1') === inputHash) return request;
  const restored = withIntegralNumbers(input);
  if (hashOf(restored, 'dd-input-json-v1') !== inputHash)
    throw refused(`the input is not what ${METADATA.inputHash} names`);
  const members = request
    .entries()
    .map(([key, value]): [string, Composable] => [key, key === 'input' ? restored : value]);
  return parseJson(composeJson(new Map(members), { indent: 0 }), { file: '<request>' });
}

function readDelegation(message: IncomingMessage, harnesses: ReadonlySet<string>): Delegation | undefined {
  return readAccess(message, { url: METADATA.delegateUrl, token: METADATA.delegationToken, harnesses });
}

function readSources(message: IncomingMessage, harnesses: ReadonlySet<string>): SourceAccess | undefined {
  return readAccess(message, { url: METADATA.sourcesUrl, token: METADATA.sourcesToken, harnesses });
}

/** An address that a call names is not trusted: only this machine, and what the operator listed, is sent a token. */
function readAccess(
  message: IncomingMessage,
  names: { readonly url: string; readonly token: string; readonly harnesses: ReadonlySet<string> },
): { readonly url: string; readonly token: string } | undefined {
  const url = metadataText(message, names.url);
  const token = metadataText(message, names.token);
  if (url === undefined || token === undefined) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const known = parsed !== null && (names.harnesses.has(parsed.origin) || LOOPBACK.test(parsed.hostname));
  if (known && ['http:', 'https:'].includes(parsed.protocol)) return { url, token };
  throw refused(`${names.url} is not this machine, and no harness that this agent was told of`);
}

async function refuseInput(request: JsonNode, { specification, schemas }: ServedAgent): Promise<void> {
  const input = request.get('input');
  const name = input?.get('schema_class')?.string() ?? '';
  if (input === undefined || !specification.accepts.includes(name))
    throw refused(`this agent does not read ${JSON.stringify(name)}`);
  const check = await checkClass(input, { name, declared: specification.schemas, checker: schemas });
  if (check.kind === 'invalid') throw refused(`the input does not fit ${name}: ${faultsText(check.faults)}`);
  if (check.kind === 'refused') throw refused(`the input could not be checked: ${check.message}`);
}

/** What evidence hashes must come out of a `Struct` as it went in; here it would not, and the conductor could only say that the hash is wrong. */
function refuseLostNumbers(reply: JsonNode): void {
  for (const item of reply.get('result')?.get('evidence')?.items() ?? []) {
    const content = item.get('content');
    const lost = content === undefined ? undefined : numberLostOnTheWire(content);
    if (lost === undefined) continue;
    const source = JSON.stringify(item.get('source_id')?.string() ?? null);
    throw refused(
      `the content of the evidence ${source} holds ${lost}, which does not survive the wire as it is hashed`,
    );
  }
}

/** Never a stack: a message that has one in it is cut at its first line. */
function firstLine(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${typeof error} instead of an Error`;
  return (text.split(/[\r\n]/, 1)[0] ?? '').slice(0, MAX_ERROR_LENGTH).toWellFormed();
}

function refused(message: string): Error {
  return gateError('agent-misuse', { blame: 'agent', message });
}
