import type { Status } from '../model/outcome.js';

/**
 * How a command ended: `passed` says that it was judged and holds, `failed` that it was judged and does not hold,
 * `refused` that there is no verdict to rely on: bad arguments, bad configuration, nothing judged, an error of ours.
 */
export type Conclusion = 'passed' | 'failed' | 'refused';

const EXIT_CODES = { passed: 0, failed: 1, refused: 2 } as const satisfies Record<Conclusion, number>;

/** The exit code of a conclusion (contract 9); no other place works one out. */
export function exitCodeOf(conclusion: Conclusion): 0 | 1 | 2 {
  return EXIT_CODES[conclusion];
}

/** The conclusion of a check that was carried out. */
export function concludeCheck(passed: boolean): Conclusion {
  return passed ? 'passed' : 'failed';
}

/** The conclusion of a single run, by its envelope's outcome (contract 9, `invoke`). */
export function concludeOutcome(status: Status): Conclusion {
  return concludeCheck(status !== 'failed' && status !== 'suspended');
}

/** What became of one fixture. */
export type FixtureState = 'as-expected' | 'unexpected' | 'not-judged';

/**
 * The conclusion of a fixtures run (contract 9, `run`): no fixture, or none that could be judged, is `refused`, since
 * nothing was shown; one that ended unexpectedly, or alone could not be judged, is `failed`.
 */
export function concludeFixtures(states: readonly FixtureState[]): Conclusion {
  if (states.every((state) => state === 'not-judged')) return 'refused';
  return concludeCheck(states.every((state) => state === 'as-expected'));
}
