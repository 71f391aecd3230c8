import type { Agent } from '../agents/agent.js';
import { classSchemaOf } from '../contract/class-schema.js';
import { validateDocument } from '../contract/documents.js';
import { faultsText } from '../contract/faults.js';
import { restoreIntegers } from '../contract/restore-integers.js';
import { type JsonNode, jsonOf } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { Principal } from '../model/principal.js';
import type { Requirement } from '../model/requirement.js';
import { requirementOf } from '../policy/index.js';
import { groundingText } from '../report/grounding-text.js';
import { sourcesText } from '../report/sources-text.js';
import { ATTRIBUTES, SPAN_NAMES } from '../trace/index.js';
import { timestampOf } from '../trace/timestamp.js';
import { type AcceptedRequest, acceptRequest, type Placement } from './accept-request.js';
import { checkInput } from './check-input.js';
import { principalMembers } from './compose-envelope.js';
import { type FiledRun, fileSpans } from './file-spans.js';
import { findAgent } from './find-agent.js';
import { passGate } from './pass-gate.js';
import type { FinishedRun, InvokedRun } from './ports.js';
import { proposeToProject } from './propose-to-project.js';
import { type AgentRun, runAgent } from './run-agent.js';
import type { ConductorDeps, RunContext } from './run-context.js';
import { type SettledRun, settle } from './settle.js';
import { showsToken } from './tokens.js';
import { witnessOf } from './witness.js';

/** A request with what the caller may not set, and where it came from. */
export interface Conducted {
  /** One that `checkRequest` let pass. */
  readonly request: JsonNode;
  readonly principal: Principal;
  readonly placement: Placement;
  /** Whether numbers may have become doubles on the way here. */
  readonly overWire: boolean;
  /** The span that asked for a delegated run; such a run may not delegate in turn. */
  readonly link?: string;
  /** The token that a delegated run was asked for with, which its agent has no business with. */
  readonly token?: string;
  /** Called once the run is sure to be made. */
  readonly begun?: () => Promise<void>;
  /** What the caller asks of the run beside what the profile does. */
  readonly require?: Requirement;
}

/** Runs one request through every step, from the caller's words to the stored envelope; rejects as `Conductor.invoke` says. */
export async function conduct(deps: ConductorDeps, call: Conducted): Promise<InvokedRun> {
  refuseMalformedPrincipal(call.principal);
  refuseTokens(deps, call);
  const agentId = call.request.get('agent_id');
  const agent = findAgent(deps.registry, { agentId: agentId?.string() ?? '', place: agentId?.place() });
  const accepted = await accept(deps, { agent, call });
  await deps.store.reserve(accepted.invocationId);
  let run: RunContext | undefined;
  try {
    await call.begun?.();
    run = begin(deps, { call, accepted, agent });
    const finish = finishing(run, await admitAndRun(run));
    return await (deps.finishing?.(finish) ?? finish());
  } catch (error) {
    // The first error is the one to tell; a reservation of a process that ends is taken over anyway.
    await deps.store.release(accepted.invocationId).catch(() => {});
    throw error;
  } finally {
    await run?.grant?.revoke();
  }
}

/**
 * What is hashed, stored and sent: a request may have crossed a wire that knows doubles alone, so that its integers are restored
 * (contract 8), and a project puts its facts in.
 */
async function accept(
  deps: ConductorDeps,
  { agent, call }: { readonly agent: Agent; readonly call: Conducted },
): Promise<AcceptedRequest> {
  const { request, placement, overWire } = call;
  let input = request.get('input');
  if (input === undefined) throw new Error('a valid request lacks input');
  const schema = classSchemaOf(input.get('schema_class')?.string() ?? '', agent.specification.schemas);
  if (overWire && schema !== undefined) input = restoreIntegers(input, schema.schema);
  const { projectId } = placement;
  if (projectId !== undefined) input = (await deps.projects?.placeFacts(projectId, input)) ?? input;
  return acceptRequest(request, { ...placement, input });
}

/** What is left to do once the agent has answered: judging and storing. */
function finishing(run: RunContext, ran: AgentRun): () => Promise<InvokedRun> {
  return async () => {
    const filed = fileSpans(run, ran);
    const { settled, undo } = await proposeToProject(run, settle(run, filed));
    await run.deps.store.write(toStore(run, { filed, settled })).catch(async (error) => {
      // The first error is the one to tell, and what is left behind without its run is no version.
      await undo().catch(() => {});
      throw error;
    });
    return invoked(run, settled);
  };
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
  given: { readonly call: Conducted; readonly accepted: AcceptedRequest; readonly agent: Agent },
): RunContext {
  const { accepted, agent, call } = given;
  const { principal, link } = call;
  const { agentId, groundingMode } = agent.specification;
  const startedAt = timestampOf(deps.clock.nowNs());
  const witnessed = call.require === 'witnessed' || requirementOf(deps.profile, agentId) === 'witnessed';
  const trace = deps.tracer.startRun(
    {
      [ATTRIBUTES.operation]: SPAN_NAMES.root,
      [ATTRIBUTES.agentId]: agentId,
      [ATTRIBUTES.groundingMode]: groundingMode,
      [ATTRIBUTES.inputHash]: accepted.inputHash,
      // Stored with the run, so that it is judged by the same rules again offline.
      ...(witnessed ? { [ATTRIBUTES.require]: 'witnessed' } : {}),
      ...(agent.isolated === undefined ? {} : { [ATTRIBUTES.isolation]: agent.isolated ? 'isolated' : 'open' }),
    },
    link === undefined ? {} : { link },
  );
  const { conversationId, invocationId, projectId } = accepted;
  const holder = {
    ...{ invocationId, agentId, principal, traceId: trace.traceId },
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(projectId === undefined ? {} : { projectId }),
  };
  // One level deep: what was delegated does not delegate.
  const mayDelegate = groundingMode === 'delegation' && link === undefined;
  const grant = mayDelegate ? (deps.grants?.issue(holder) ?? null) : null;
  const token = call.token === undefined ? {} : { token: call.token };
  return { deps, accepted, agent, principal, trace, startedAt, grant, witness: witnessOf(trace), witnessed, ...token };
}

function toStore(
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

/** A request is stored, so that it may show no token of a run in progress. */
function refuseTokens({ grants }: ConductorDeps, { request, token }: Conducted): void {
  const tokens = [...(grants?.liveTokens() ?? []), ...(token === undefined ? [] : [token])];
  if (tokens.length === 0) return;
  const text = request.text();
  if (!tokens.some((one) => showsToken(text, one))) return;
  throw gateError('grant-second-hand', {
    blame: 'caller',
    message: 'the request holds the delegation token of a run in progress',
    remedy: 'keep the token in the metadata of the message',
  });
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
