import { assertNever } from '../model/assert-never.js';
import { decide, type GateDecision } from '../policy/index.js';
import { ATTRIBUTES, SPAN_NAMES } from '../trace/index.js';
import { type Draft, failedDraft } from './draft.js';
import type { RunContext } from './run-context.js';

/** Asks the policy gate, under a span of its own; a draft when the agent may not run, else null (conductor.txt, step 1). */
export function passGate({ deps, agent, accepted, trace }: RunContext): Draft | null {
  const { agentId, actionClass } = agent.specification;
  const span = trace.child(SPAN_NAMES.policyGate, {
    [ATTRIBUTES.operation]: SPAN_NAMES.policyGate,
    [ATTRIBUTES.agentId]: agentId,
  });
  const decision = decide(deps.profile, { agentId, actionClass });
  span.end();
  const where = `the profile ${deps.profile.policyBundleRef}`;
  return draftOf(decision, { agentId, where, invocationId: accepted.invocationId });
}

function draftOf(
  decision: GateDecision,
  { agentId, where, invocationId }: { readonly agentId: string; readonly where: string; readonly invocationId: string },
): Draft | null {
  switch (decision.kind) {
    case 'allowed':
      return null;
    case 'not-permitted':
      return failedDraft('agent-not-permitted', {
        invocationId,
        detail: `${where} does not enable the agent ${agentId}`,
      });
    case 'class-mismatch': {
      const { assigned, declared } = decision;
      const detail = `the agent ${agentId} declares the action class ${declared}, ${where} assigns it ${assigned}`;
      return failedDraft('action-class-mismatch', { invocationId, detail });
    }
    case 'needs-approval':
      return {
        status: 'referred',
        outcome: {
          status: 'referred',
          statement: `${where} lets no agent act as ${decision.actionClass} before a data steward has approved it`,
          reason_code: 'policy_requires_approval',
          referred_to: 'data_steward',
        },
      };
    default:
      return assertNever(decision);
  }
}
