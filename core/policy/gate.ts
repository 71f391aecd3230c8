import type { Profile } from './profile.js';

/** What the gate asks about an agent; every `AgentSpecification` is one. */
export interface GatedAgent {
  readonly agentId: string;
  readonly actionClass: string;
}

/** What the policy says about a run before it begins (conductor.txt, step 1). */
export type GateDecision =
  | { readonly kind: 'allowed' }
  /** The profile does not name the agent: `failed`, `agent-not-permitted`. */
  | { readonly kind: 'not-permitted' }
  /** The profile assigns another class than the agent declares: `failed`, `action-class-mismatch`. */
  | { readonly kind: 'class-mismatch'; readonly assigned: string; readonly declared: string }
  /** The class needs a person's approval: `referred` to a data steward, `policy_requires_approval`. */
  | { readonly kind: 'needs-approval'; readonly actionClass: string };

/** Decides whether an agent may run under a profile; ids and classes are compared exactly (contract 7). */
export function decide(profile: Profile, agent: GatedAgent): GateDecision {
  const assigned = profile.agents.get(agent.agentId);
  if (assigned === undefined) return { kind: 'not-permitted' };
  if (assigned !== agent.actionClass) return { kind: 'class-mismatch', assigned, declared: agent.actionClass };
  if (profile.actionsRequiringApproval.has(assigned)) return { kind: 'needs-approval', actionClass: assigned };
  return { kind: 'allowed' };
}
