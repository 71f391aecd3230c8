import { concludeFixtures, type FixtureState } from './conclusion.js';
import type { RunReport, RunRow } from './run-report.js';

/** Counts the rows and concludes; the order of the rows stays. */
export function buildReport(facts: Omit<RunReport, 'conclusion' | 'counts'>): RunReport {
  const states = facts.rows.map(stateOf);
  const count = (wanted: FixtureState): number => states.filter((state) => state === wanted).length;
  return {
    ...facts,
    conclusion: concludeFixtures(states),
    counts: {
      'as-expected': count('as-expected'),
      unexpected: count('unexpected'),
      'not-judged': count('not-judged'),
    },
  };
}

/** What became of one row. */
export function stateOf({ result }: RunRow): FixtureState {
  if (result.kind === 'unjudged') return 'not-judged';
  return result.differences.length === 0 ? 'as-expected' : 'unexpected';
}
