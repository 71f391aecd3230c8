/** Outcome statuses of contract 3. */
export const STATUSES = ['succeeded', 'abstained', 'referred', 'failed', 'suspended'] as const;
export type Status = (typeof STATUSES)[number];

/** Reason codes of contract 3. */
export const REASON_CODES = [
  'no_qualifying_resource',
  'no_candidates_retrieved',
  'registry_unavailable',
  'not_applicable',
  'insufficient_input',
  'capability_not_implemented',
  'requires_human_judgement',
  'policy_requires_approval',
  'outside_agent_scope',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** Problem slugs of contract 3 with their HTTP status. */
export const PROBLEMS = {
  'agent-not-permitted': 403,
  'action-class-mismatch': 403,
  'input-not-accepted': 422,
  'agent-error': 500,
  'grounding-violation': 500,
  'revision-refused': 409,
} as const;
export type ProblemSlug = keyof typeof PROBLEMS;

/** The prefix of every problem type (contract 3). */
export const PROBLEM_BASE = 'https://w3id.org/data-director/problems/';

/** The contract version that this code writes (contract 3). */
export const CONTRACT_VERSION = '0.7.0';
