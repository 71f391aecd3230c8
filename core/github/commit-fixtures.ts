import { posix, win32 } from 'node:path';
import type { FixtureFiles } from '../fixtures/index.js';
import { gateError } from '../model/error-codes.js';
import { isLink } from './api-files.js';
import { inLanes } from './lanes.js';
import type { CommitFiles, TreeEntry } from './ports.js';

/** Requests under way at once; GitHub's secondary limit is 100 for all of an installation's. */
const LANES = 8;

/** Fixtures as a commit has them; every file is fetched before, since the reader of fixtures does not wait. */
export async function commitFixtureFiles(
  files: CommitFiles,
  { targets, prefix }: { readonly targets: readonly string[]; readonly prefix: string },
): Promise<FixtureFiles> {
  const wanted = (targets.length === 0 ? ['fixtures'] : targets).map((target) => inRepository(prefix, target));
  const beside = wanted.map((path) => path.replace(/\.json$/, '.expect.yaml')).filter((path) => !wanted.includes(path));
  const entries = await files.list([...wanted, ...beside]);
  for (const path of wanted) if (!entries.some((entry) => isAtOrBelow(entry, path))) await refuseLinkAbove(path, files);
  for (const entry of entries) refuseLink(entry, files.commit);
  const held = new Map<string, Uint8Array>(
    await inLanes(entries, { lanes: LANES, work: async ({ path, sha }) => [path, await files.read(sha)] as const }),
  );
  const at = (path: string): string => inRepository(prefix, path);
  const below = (folder: string): string[] => {
    const inside = at(folder);
    return [...held.keys()].filter((path) => inside === '' || path.startsWith(`${inside}/`));
  };
  return {
    kindOf: (path) => {
      if (held.has(at(path))) return 'file';
      return below(path).length > 0 ? 'folder' : 'missing';
    },
    list: (folder) => below(folder).map((path) => fromFolder(prefix, path)),
    read: (path) => {
      const bytes = held.get(at(path));
      if (bytes !== undefined) return bytes;
      throw gateError('config-missing', {
        blame: 'configuration',
        message: `the base commit ${files.commit} has no such file`,
        remedy: 'check the path',
        place: { file: path },
      });
    },
  };
}

function isAtOrBelow(entry: TreeEntry, path: string): boolean {
  return path === '' || entry.path === path || entry.path.startsWith(`${path}/`);
}

/** A path of the working directory as the repository's root sees it; null for one that leaves it. */
export function fromRoot(prefix: string, path: string): string | null {
  const joined = posix.normalize(posix.join(prefix, path.replaceAll('\\', '/'))).replace(/\/$/, '');
  if (posix.isAbsolute(path) || win32.isAbsolute(path) || joined === '..' || joined.startsWith('../')) return null;
  return joined === '.' ? '' : joined;
}

/** The same for a path that binds; throws `config-outside` for one that leaves the repository. */
export function inRepository(prefix: string, path: string): string {
  const inside = fromRoot(prefix, path);
  if (inside !== null) return inside;
  throw gateError('config-outside', {
    blame: 'configuration',
    message: 'the path leads out of the repository',
    remedy: 'give a path within it, relative to working-directory',
    place: { file: path },
  });
}

function fromFolder(prefix: string, path: string): string {
  return prefix === '' ? path : posix.relative(prefix, path);
}

/** What a link of a commit leads to is not in the list, so that a fixture behind one could vanish unseen. */
function refuseLink(entry: TreeEntry, commit: string): void {
  if (isLink(entry)) throw linkOnBase(entry.path, commit);
}

/**
 * The same for a path of which nothing was found: behind a linked folder it would look like one that the base has never had, and what
 * binds there would bind nobody. Rejects with GateError `base-link`.
 */
export async function refuseLinkAbove(path: string, files: CommitFiles): Promise<void> {
  const link = await files.linkAbove(path);
  if (link !== null) throw linkOnBase(link, files.commit);
}

/** The refusal of something that stands in the way of a plain file. */
export function linkOnBase(file: string, commit: string): Error {
  return gateError('base-link', {
    blame: 'configuration',
    message: `on the base commit ${commit} this is a link or a submodule`,
    remedy: 'keep configuration, fixtures and pinned copies as plain files in plain folders',
    place: { file },
  });
}
