import { type Finding, makeFinding } from '../report/index.js';

/** Stored runs that a pull request takes away: evidence that is gone can be judged by nobody. */
export function removedRunFindings(removed: readonly string[], runs: string): readonly Finding[] {
  return removed.map((run) =>
    makeFinding({
      rule: 'tampered',
      level: 'error',
      message: 'this change removes the stored run',
      run,
      place: { file: `${runs}/${run}/envelope.json`, line: null, column: null },
    }),
  );
}
