import { describe, expect, test } from 'vitest';
import { STATUSES } from '../../core/model/outcome.js';
import { concludeFixtures, concludeOutcome, exitCodeOf, type FixtureState } from '../../core/report/conclusion.js';

/** Contract 9, the row of `run`. */
const FIXTURES: readonly (readonly [FixtureState[], number])[] = [
  [[], 2],
  [['not-judged'], 2],
  [['not-judged', 'not-judged'], 2],
  [['as-expected'], 0],
  [['as-expected', 'as-expected'], 0],
  [['unexpected'], 1],
  [['as-expected', 'unexpected'], 1],
  [['as-expected', 'not-judged'], 1],
  [['unexpected', 'not-judged'], 1],
];

describe('concludeFixtures', () => {
  test.each(FIXTURES)('returns the conclusion of %j that ends with %i', (states, code) => {
    expect(exitCodeOf(concludeFixtures(states))).toBe(code);
  });
});

/** Contract 9, the row of `invoke`. */
const OUTCOMES = { succeeded: 0, abstained: 0, referred: 0, failed: 1, suspended: 1 } as const;

describe('concludeOutcome', () => {
  test.each(STATUSES)('returns the conclusion of contract 9 when a run %s', (status) => {
    expect(exitCodeOf(concludeOutcome(status))).toBe(OUTCOMES[status]);
  });
});
