import {
  assess,
  decide,
  describeReason,
  type Fixture,
  type GateDecision,
  type JudgedRun,
  type Profile,
  type RunFacts,
  type SourcesReport,
} from '../core/index.js';

/** A run that was made and judged under the base's configuration, and what the pull request's own has to say about it. */
export interface RunUnderBase {
  readonly fixture: Fixture;
  readonly agent: { readonly agentId: string; readonly actionClass: string } | undefined;
  readonly judged: JudgedRun;
  /** The profile of the pull request; null where it is the base's. */
  readonly profile: Profile | null;
  /** The run's envelope against the sources of the pull request; undefined where they are the base's. */
  readonly sources: SourcesReport | undefined;
}

/**
 * Evaluates the head's profile as a gate and its sources as a second source check, a clause for each expectation that they leave unmet.
 * Neither can mend what the base's found: a difference is only ever added, so that the worse verdict counts (issue 3, point 6).
 */
export function secondOpinion(given: RunUnderBase): readonly string[] {
  const facts = factsOf(given.judged);
  return [...gateDifferences(given, facts), ...sourceDifferences(given, facts)];
}

function factsOf({ outcome, grounding, sources }: JudgedRun): RunFacts {
  return {
    ...outcome,
    rules: [...grounding.rules, ...sources.rules],
    verified: sources.verified,
    unresolved: sources.unresolved.length,
  };
}

function gateDifferences({ fixture, agent, profile }: RunUnderBase, facts: RunFacts): readonly string[] {
  // What the base's gate refused never ran, so that nothing is known of how it would have ended.
  if (profile === null || agent === undefined || GATE_PROBLEMS.some((one) => one === facts.problem)) return [];
  const refusal = refusedAs(decide(profile, agent));
  if (refusal === null) return [];
  return unmet(fixture, { ...NO_RUN, ...refusal }).map((text) => `under the profile of this change, ${text}`);
}

const GATE_PROBLEMS = ['agent-not-permitted', 'action-class-mismatch'] as const;
const NO_RUN = { rules: [], verified: 0, unresolved: 0, reasonCode: null, problem: null } as const;

/** How a run ends that the gate refuses (conductor.txt, step 1); null for one that it lets through. */
function refusedAs(decision: GateDecision): (Pick<RunFacts, 'status'> & Partial<RunFacts>) | null {
  switch (decision.kind) {
    case 'allowed':
      return null;
    case 'not-permitted':
      return { status: 'failed', problem: 'agent-not-permitted' };
    case 'class-mismatch':
      return { status: 'failed', problem: 'action-class-mismatch' };
    case 'needs-approval':
      return { status: 'referred', reasonCode: 'policy_requires_approval' };
  }
}

function sourceDifferences({ fixture, sources }: RunUnderBase, facts: RunFacts): readonly string[] {
  if (sources === undefined || sources.passed) return [];
  const withheld = facts.status === 'succeeded' ? ({ status: 'failed', problem: 'grounding-violation' } as const) : {};
  const rules = [...new Set([...facts.rules, ...sources.rules])];
  return unmet(fixture, { ...facts, ...withheld, rules }).map((text) => `under the sources of this change, ${text}`);
}

function unmet(fixture: Fixture, facts: RunFacts): readonly string[] {
  const assessment = assess({ ...fixture.expectation, repeat: 1 }, [facts]);
  if (assessment.kind === 'as-expected') return [];
  // Which of the repeats it was stands in the row.
  return assessment.reasons.map((reason) => describeReason(reason).replace(/^run 1: /, ''));
}
