import { PROBLEM_BASE, PROBLEMS, type ProblemSlug } from '../model/outcome.js';

const TITLES: Readonly<Record<ProblemSlug, string>> = {
  'agent-not-permitted': 'The profile does not enable this agent',
  'action-class-mismatch': 'The agent declares another action class than the profile assigns it',
  'input-not-accepted': 'The agent does not read this input',
  'agent-error': 'The agent failed',
  'grounding-violation': 'The result is not grounded',
  'revision-refused': 'The draft revises no version of this project',
};

/** The problem member of an envelope (RFC 9457, contract 3). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly http_status: number;
  readonly detail: string;
  readonly instance: string;
  // What is composed as JSON may hold any member.
  readonly [member: string]: string | number;
}

/** Makes the problem of a run; `detail` says what happened in this one. */
export function problemOf(
  slug: ProblemSlug,
  { detail, invocationId }: { readonly detail: string; readonly invocationId: string },
): Problem {
  return {
    type: `${PROBLEM_BASE}${slug}`,
    title: TITLES[slug],
    http_status: PROBLEMS[slug],
    detail,
    instance: `urn:uuid:${invocationId}`,
  };
}
