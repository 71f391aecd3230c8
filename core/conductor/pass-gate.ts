import { posix } from 'node:path';
import { assertNever } from '../model/assert-never.js';
import { shortened } from '../model/wording.js';
import { decide, type GateDecision, type Profile } from '../policy/index.js';
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
  return draftOf(decision, { profile: deps.profile, agentId, actionClass, invocationId: accepted.invocationId });
}

interface Asked {
  readonly profile: Profile;
  readonly agentId: string;
  readonly actionClass: string;
  readonly invocationId: string;
}

function draftOf(decision: GateDecision, { profile, agentId, actionClass, invocationId }: Asked): Draft | null {
  const where = `the profile ${profile.policyBundleRef}`;
  const wanted = `"${agentId}: ${shortened(actionClass)}"`;
  switch (decision.kind) {
    case 'allowed':
      return null;
    case 'not-permitted': {
      const detail = `${where} does not enable the agent ${agentId}; add ${wanted} under agents of ${fileName(profile)}`;
      return failedDraft('agent-not-permitted', { invocationId, detail });
    }
    case 'class-mismatch': {
      const { assigned, declared } = decision;
      const { line, column } = profile.places.get(agentId) ?? { line: 1, column: 1 };
      const at = `${fileName(profile)}:${line}:${column}`;
      const detail = `the agent ${agentId} declares the action class ${shortened(declared)}, ${where} assigns it ${assigned} at ${at}; write ${wanted} there, or change the agent`;
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

/** Without its folders: the outcome is told to whoever called, also over the network. */
function fileName({ file }: Profile): string {
  return posix.basename(file.replaceAll('\\', '/'));
}
