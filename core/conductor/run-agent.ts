import type { AgentReply } from '../agents/agent.js';
import { checkClass } from '../contract/check-class.js';
import type { SchemaDocument } from '../contract/class-schema.js';
import { faultsText } from '../contract/faults.js';
import type { JsonNode } from '../json/index.js';
import { assertNever } from '../model/assert-never.js';
import { GateError, messageOf } from '../model/errors.js';
import { shortened } from '../model/wording.js';
import { type OpenDoors, openDoors } from './doors.js';
import { type Draft, type Findings, failedDraft } from './draft.js';
import { problemOf } from './problem.js';
import { type ReadResult, readResult } from './read-result.js';
import type { RunContext } from './run-context.js';
import { showsToken, withoutTokens } from './tokens.js';

/** What came of running the agent: a draft, and the spans that it declared, one JSON text each. */
export interface AgentRun {
  readonly draft: Draft;
  readonly spans: readonly string[];
}

/** Runs the agent and checks that its payload is of the class that it declared (conductor.txt, step 3). */
export async function runAgent(run: RunContext, inputSchema: SchemaDocument): Promise<AgentRun> {
  const { accepted, agent, deps, grant, trace, witness, witnessed: required } = run;
  const { inputHash, inputRef, invocationId, sent } = accepted;
  const failed = (detail: string): Draft => ({ ...failedDraft('agent-error', { detail, invocationId }), inputSchema });
  const { traceparent } = trace;
  const doors = await openDoors(deps.doors ?? [], { agent, invocationId, traceparent, required, witness });
  const before = tokensOf(run, doors);
  // Further runs may have been given one meanwhile.
  const tokens = (): readonly string[] => [...before, ...tokensOf(run, doors)];
  let reply: AgentReply;
  try {
    const delegation = grant === null ? {} : { delegation: grant.delegation };
    const sources = doors.sources === undefined ? {} : { sources: doors.sources };
    reply = await agent.invoke({ request: sent, inputRef, inputHash, traceparent, ...delegation, ...sources });
  } catch (error) {
    // No agent blames the configuration: this is a recording that does not fit, and no run was made.
    if (error instanceof GateError && error.blame === 'configuration') throw error;
    const detail = `the agent ${agent.specification.agentId} failed: ${withoutTokens(messageOf(error), tokens())}`;
    return { draft: failed(detail), spans: [] };
  } finally {
    // What is served from now on is not what the answer rests on.
    await Promise.all([doors.close(), grant?.revoke()]);
  }
  if (givesAway(reply, tokens())) return { draft: failed('the agent returned a token of this run'), spans: [] };
  const result = readResult(reply.result);
  if (typeof result === 'string')
    return { draft: failed(`the agent broke the contract: ${result}`), spans: reply.spans };
  const payload = result.node.get('payload');
  const checked = payload === undefined ? null : await checkPayload(run, payload);
  if (typeof checked === 'string') return { draft: { ...failed(checked), usage: result.usage }, spans: reply.spans };
  const findings = findingsOf(result, checked);
  return { draft: { ...draftOf(result, { findings, invocationId }), inputSchema }, spans: reply.spans };
}

/** An agent may report that it failed; as it gives no problem of its own, this is one of the kind `agent-error`. */
function draftOf(
  { status, outcome, statement, usage }: ReadResult,
  { findings, invocationId }: { readonly findings: Findings; readonly invocationId: string },
): Draft {
  if (status !== 'failed') return { status, outcome, findings, usage };
  const detail = statement === '' ? 'the agent reports that it failed' : statement;
  return { status, outcome, findings, usage, problem: problemOf('agent-error', { detail, invocationId }) };
}

function findingsOf(result: ReadResult, payload: Findings['payload'] | null): Findings {
  const evidence = result.node.get('evidence');
  return {
    result: result.node,
    ...(payload === null || payload === undefined ? {} : { payload }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** The payload with the schema that it fits, or why it is not of the declared class. */
async function checkPayload({ agent, deps }: RunContext, node: JsonNode): Promise<Findings['payload'] | string> {
  const { agentId, payload: name, schemas } = agent.specification;
  if (name === null) return `the agent ${agentId} declares no payload and returned one`;
  const named = node.get('schema_class')?.string();
  if (named !== name) {
    const found = named === undefined ? 'of no class' : `of the class ${shortened(named)}`;
    return `the agent ${agentId} declares the payload ${name} and returned one ${found}`;
  }
  const check = await checkClass(node, { name, declared: schemas, checker: deps.schemas });
  switch (check.kind) {
    case 'valid':
      return { node, schema: check.schema };
    case 'invalid':
      return `the payload does not fit the class ${name}: ${faultsText(check.faults)}`;
    case 'refused':
      return `the payload could not be checked: ${check.message}`;
    default:
      return assertNever(check);
  }
}

/** Every token that the agent may have come by. */
function tokensOf({ deps, grant, token }: RunContext, { sources }: OpenDoors): readonly string[] {
  const own = [grant?.delegation.token, token, sources?.token].filter((one) => one !== undefined);
  return [...new Set([...own, ...(deps.grants?.liveTokens() ?? [])])];
}

function givesAway({ result, spans }: AgentReply, tokens: readonly string[]): boolean {
  if (tokens.length === 0) return false;
  return [result.text(), ...spans].some((text) => tokens.some((token) => showsToken(text, token)));
}
