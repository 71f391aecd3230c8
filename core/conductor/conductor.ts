import type { Agent } from '../agents/agent.js';
import { validateDocument } from '../contract/documents.js';
import { faultsText } from '../contract/faults.js';
import { type JsonNode, jsonOf } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { Principal } from '../model/principal.js';
import { groundingText } from '../report/grounding-text.js';
import { sourcesText } from '../report/sources-text.js';
import { ATTRIBUTES, SPAN_NAMES } from '../trace/index.js';
import { timestampOf } from '../trace/timestamp.js';
import { type AcceptedRequest, acceptRequest } from './accept-request.js';
import { checkInput } from './check-input.js';
import { principalMembers } from './compose-envelope.js';
import { type FiledRun, fileSpans } from './file-spans.js';
import { findAgent } from './find-agent.js';
import { passGate } from './pass-gate.js';
import type { FinishedRun, InvokedRun } from './ports.js';
import { type AgentRun, runAgent } from './run-agent.js';
import type { ConductorDeps, RunContext } from './run-context.js';
import { type SettledRun, settle } from './settle.js';

/** What a front end hands the conductor: the caller's request, unchecked, and whom its authenticator named. */
export interface InvokeCall {
  readonly request: JsonNode;
  readonly principal: Principal;
}

/** Runs agents and holds each to the same rules, whatever front end calls (conductor.txt). */
export interface Conductor {
  /**
   * Runs one request to a judged, stored envelope. A caller's mistake rejects and stores nothing: `request-malformed`,
   * `request-reserved`, `agent-unknown`, `invocation-stored`, `invocation-running` (contract 7). So do `principal-malformed`,
   * `source-record-changed` and `store-*`, of blame `configuration`. All else becomes an outcome in the envelope.
   */
  invoke(call: InvokeCall): Promise<InvokedRun>;
}

/** Makes a conductor; it knows no payload class and no single agent, only what an agent's specification declares. */
export function createConductor(deps: ConductorDeps): Conductor {
  return { invoke: (call) => invoke(deps, call) };
}

async function invoke(deps: ConductorDeps, { request, principal }: InvokeCall): Promise<InvokedRun> {
  refuseMalformedPrincipal(principal);
  const accepted = acceptRequest(request);
  const place = request.get('agent_id')?.place();
  const agent = findAgent(deps.registry, { agentId: accepted.agentId, place });
  await deps.store.reserve(accepted.invocationId);
  try {
    const run = begin(deps, { accepted, agent, principal });
    const filed = fileSpans(run, await admitAndRun(run));
    const settled = settle(run, filed);
    await deps.store.write(finish(run, { filed, settled }));
    return invoked(run, settled);
  } catch (error) {
    // The first error is the one to tell; a reservation of a process that ends is taken over anyway.
    await deps.store.release(accepted.invocationId).catch(() => {});
    throw error;
  }
}

/** The policy gate, the input check, then the agent: the first that has an answer gives the draft. */
async function admitAndRun(run: RunContext): Promise<AgentRun> {
  const stopped = passGate(run);
  if (stopped !== null) return { draft: stopped, spans: [] };
  const input = await checkInput(run);
  if (input.kind === 'refused') return { draft: input.draft, spans: [] };
  return runAgent(run, input.schema);
}

function begin(
  deps: ConductorDeps,
  given: { readonly accepted: AcceptedRequest; readonly agent: Agent; readonly principal: Principal },
): RunContext {
  const { agentId, groundingMode } = given.agent.specification;
  const startedAt = timestampOf(deps.clock.nowNs());
  const trace = deps.tracer.startRun({
    [ATTRIBUTES.operation]: SPAN_NAMES.root,
    [ATTRIBUTES.agentId]: agentId,
    [ATTRIBUTES.groundingMode]: groundingMode,
    [ATTRIBUTES.inputHash]: given.accepted.inputHash,
  });
  return { deps, ...given, trace, startedAt };
}

function finish(
  { accepted, agent, deps, startedAt }: RunContext,
  { filed, settled }: { readonly filed: FiledRun; readonly settled: SettledRun },
): FinishedRun {
  const { draft, envelope, grounding, sources } = settled;
  const payload = draft.status === 'failed' ? undefined : draft.findings?.payload;
  const schemas = [draft.inputSchema, payload?.schema].filter((schema) => schema !== undefined);
  return {
    invocationId: accepted.invocationId,
    request: accepted.bytes,
    envelope: envelope.bytes,
    spans: filed.bytes,
    groundingText: groundingText(grounding),
    sourcesText: sourcesText(sources),
    schemas: new Map(schemas.map(({ digest, schema }) => [digest, schema.raw()])),
    crate: deps.writeCrate ? { startedAt, agentDescription: agent.specification.description } : null,
  };
}

function invoked({ accepted }: RunContext, { envelope, grounding, sources }: SettledRun): InvokedRun {
  return { invocationId: accepted.invocationId, envelope: envelope.node, grounding, sources };
}

function refuseMalformedPrincipal(principal: Principal): void {
  const faults = validateDocument('principal', jsonOf(principalMembers(principal)));
  if (faults.length === 0) return;
  throw gateError('principal-malformed', {
    blame: 'configuration',
    message: `the run's principal breaks the contract: ${faultsText(faults)}`,
    remedy: 'give an IRI, a name and a kind (person or accountable_role)',
  });
}
