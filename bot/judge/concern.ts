import { globMatches, plainBytes } from '../../core/index.js';
import { CONFIG_FILE } from '../config/grounding-config.js';
import { copyPaths } from './side.js';
import type { Target } from './target.js';

/** Whether a file that has to be judged differs; what the gate itself rests on always has to. Throws GateError for a refused sources.yaml. */
export async function isConcerned(target: Target): Promise<boolean> {
  const { config, changes } = target;
  const { agents, paths, profile, sources, fixtures, runsPath } = config;
  if (paths === null) return changes.length > 0;
  const own = new Set([CONFIG_FILE, profile, sources, agents, ...fixtures.map(expectationOf)]);
  const below = [...fixtures, runsPath];
  const isWanted = (path: string): boolean =>
    own.has(path) ||
    below.some((folder) => folder === '' || path === folder || path.startsWith(`${folder}/`)) ||
    paths.some((glob) => globMatches(glob, path));
  return changes.some(({ path }) => isWanted(path)) || (await changesCopy(target));
}

/** An expectation stands beside its fixture (contract 11). */
function expectationOf(fixture: string): string {
  return fixture.replace(/\.json$/, '.expect.yaml');
}

/** Whether a copy that the base pins is another one, or gone. */
async function changesCopy({ config, changes, base }: Target): Promise<boolean> {
  if (changes.length === 0) return false;
  const sources = await plainBytes(base, config.sources);
  if (sources === null) return false;
  const copies = copyPaths(sources, config);
  return changes.some(({ path }) => copies.has(path));
}
