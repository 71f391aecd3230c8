import type { StoredRunVerdict } from '../model/stored-run.js';

/** By what a run fails: ids in one text, so that the many runs that fail alike share it. */
export type FailureFacts = string;

/** The state that decides, the tests for tampering that found something, the rules, and whether it fails for what is unresolved. */
export function failureFacts({ state, tampering, grounding, sources }: StoredRunVerdict): FailureFacts {
  const isForUnresolved = sources?.passed === false && sources.rules.length === 0;
  const facts = new Set<string>([
    ...(state === 'unreadable' ? [state] : []),
    ...tampering.map(({ test }) => test),
    ...(grounding?.rules ?? []),
    ...(sources?.rules ?? []),
    ...(isForUnresolved ? ['unresolved'] : []),
  ]);
  return [...facts].join(' ');
}

/** Whether there is something in `now` that there was not before. */
export function isNewIn(now: FailureFacts, before: FailureFacts): boolean {
  if (now === before) return false;
  const known = new Set(before.split(' '));
  return now.split(' ').some((fact) => fact !== '' && !known.has(fact));
}
