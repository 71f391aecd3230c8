import { discoverFixtures, type FixtureFiles, type FixtureSearch, readFixture } from '../fixtures/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { FoundFixture } from './run-fixtures.js';

/**
 * Finds and reads fixtures. One that is no request is found as unreadable; an expectation that is refused, or finding
 * none at all (`fixtures-none`), throws, since the author of the configuration then believes in a check that never runs.
 */
export function findFixtures(files: FixtureFiles, search: FixtureSearch): readonly FoundFixture[] {
  const paths = discoverFixtures(files, search);
  if (paths.length > 0) return paths.map((file) => read(files, file));
  const where = search.targets.length === 0 ? 'fixtures/**/*.json' : search.targets.join(', ');
  throw gateError('fixtures-none', {
    blame: 'configuration',
    message: `no fixture is found in ${where}${search.only === undefined ? '' : ` that matches ${search.only}`}`,
    remedy: 'name the files or folders that hold them',
  });
}

function read(files: FixtureFiles, file: string): FoundFixture {
  try {
    return { kind: 'read', fixture: readFixture(files, file) };
  } catch (error) {
    if (!(error instanceof GateError) || error.blame === 'configuration') throw error;
    return { kind: 'unreadable', file, reason: error.describe() };
  }
}
