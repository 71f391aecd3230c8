import { type Finding, makeFinding } from '../report/index.js';
import type { FixtureChange } from './merge-fixtures.js';

/** What the pull request did to the fixtures, as findings. */
export function changeFindings(changes: readonly FixtureChange[]): readonly Finding[] {
  return changes.flatMap((change): Finding[] => {
    const { file } = change;
    const told = { level: 'error', fixture: file, place: { file, line: null, column: null } } as const;
    switch (change.kind) {
      case 'removed':
        return [
          makeFinding({
            rule: 'fixture-removed',
            message: 'the base has this fixture, and this change removes it',
            ...told,
          }),
        ];
      case 'loosened':
        return change.clauses.map((message) => makeFinding({ rule: 'expectation-loosened', message, ...told }));
      default:
        return [];
    }
  });
}
