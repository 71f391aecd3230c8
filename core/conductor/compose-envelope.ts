import { type Composable, composeJson, type JsonNode, parseJson } from '../json/index.js';
import { CONTRACT_VERSION } from '../model/outcome.js';
import type { Principal } from '../model/principal.js';
import { timestampOf } from '../trace/timestamp.js';
import type { Draft, Usage } from './draft.js';
import type { RunContext } from './run-context.js';

/** An envelope as it is stored: what is judged was read from these very bytes. */
export interface ComposedEnvelope {
  readonly bytes: Uint8Array;
  readonly node: JsonNode;
}

/**
 * Composes the envelope of a draft. What no agent may decide comes from the conductor (conductor.txt); a failed run
 * carries neither payload nor evidence (contract 7); numbers in the agent's documents keep their text.
 */
export function composeEnvelope(
  { accepted, agent, deps, grant, principal, trace }: RunContext,
  draft: Draft,
): ComposedEnvelope {
  const { agentId, groundingMode, version } = agent.specification;
  const shown = draft.status === 'failed' ? undefined : draft.findings;
  const delegations = grant?.records() ?? [];
  const members: Readonly<Record<string, Composable | undefined>> = {
    invocation_id: accepted.invocationId,
    agent_id: agentId,
    agent_version: version,
    completed_at: timestampOf(deps.clock.nowNs()),
    grounding_mode: groundingMode,
    policy_bundle_ref: deps.profile.policyBundleRef,
    policy_digest: deps.profile.policyDigest,
    acting_for: principalMembers(principal),
    contract_version: CONTRACT_VERSION,
    conversation_id: accepted.conversationId,
    parent_invocation_id: accepted.parentInvocationId,
    project_id: accepted.projectId,
    input_schema: draft.inputSchema?.digest,
    outcome: draft.outcome,
    payload: shown?.payload?.node,
    payload_schema: shown?.payload?.schema.digest,
    evidence: shown?.evidence,
    problem: draft.problem,
    telemetry: telemetryMembers(trace.traceId, draft.usage),
    requires_human_review: true,
    delegations: delegations.length === 0 ? undefined : delegations.map((record) => ({ ...record })),
  };
  const bytes = composeJson(members);
  return { bytes, node: parseJson(bytes, { file: 'envelope.json' }) };
}

/** A principal as the contract writes it. */
export function principalMembers(principal: Principal): Readonly<Record<string, string>> {
  return {
    principal_id: principal.principalId,
    name: principal.name,
    principal_kind: principal.principalKind,
    assurance: principal.assurance,
  };
}

function telemetryMembers(traceId: string, usage: Usage = {}): Readonly<Record<string, Composable | undefined>> {
  return {
    trace_id: traceId,
    model_id: usage.modelId,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    // Nothing here measures energy; the contract has this one member written as null.
    energy_estimate_j: null,
    energy_method: 'not_measured',
  };
}
