import { posix } from 'node:path';
import { type CommitFiles, parseSourcesConfiguration, plainFile, type TreeEntry } from '../../core/index.js';

/** Where a commit keeps what runs are judged by. */
export interface PolicyPaths {
  readonly profile: string;
  readonly sources: string;
}

/** What one commit would judge by: its files with git's names for them, so that two commits are compared without reading copies. */
export interface Side {
  readonly files: CommitFiles;
  readonly paths: PolicyPaths;
  readonly profile: TreeEntry | null;
  readonly sources: TreeEntry | null;
  /** The bytes of sources.yaml. */
  readonly sourcesBytes: Uint8Array | null;
  /** Pinned copies by their paths; one that the commit does not have is left out, and refused by name when it is loaded. */
  readonly copies: ReadonlyMap<string, TreeEntry>;
}

/** Looks up what a commit would judge by. Throws GateError for a sources.yaml that is refused, and for links. */
export async function readSide(files: CommitFiles, paths: PolicyPaths): Promise<Side> {
  const [profile, sources] = [await plainFile(files, paths.profile), await plainFile(files, paths.sources)];
  const sourcesBytes = sources === null ? null : await files.read(sources.sha);
  const copies = sourcesBytes === null ? new Map<string, TreeEntry>() : await copiesOf(sourcesBytes, { files, paths });
  return { files, paths, profile, sources, sourcesBytes, copies };
}

async function copiesOf(
  bytes: Uint8Array,
  { files, paths }: Pick<Side, 'files' | 'paths'>,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const found = new Map<string, TreeEntry>();
  for (const path of copyPaths(bytes, paths)) {
    const entry = await plainFile(files, path);
    if (entry !== null) found.set(path, entry);
  }
  return found;
}

/** Where a sources.yaml says that its copies are, as far as that is within the repository. */
export function copyPaths(bytes: Uint8Array, { sources }: Pick<PolicyPaths, 'sources'>): ReadonlySet<string> {
  const { entries } = parseSourcesConfiguration(bytes, { file: sources });
  const paths = entries.map((entry) => posix.join(posix.dirname(sources), entry.path));
  return new Set(paths.filter((path) => !posix.isAbsolute(path) && path !== '..' && !path.startsWith('../')));
}

/** The bytes of everything that a side's sources rest on, by path. */
export async function sourceBytes(side: Side): Promise<ReadonlyMap<string, Uint8Array>> {
  const held = new Map<string, Uint8Array>();
  if (side.sourcesBytes !== null) held.set(side.paths.sources, side.sourcesBytes);
  for (const [path, { sha }] of side.copies) held.set(path, await side.files.read(sha));
  return held;
}

/** Whether two sides judge sources by the same bytes under the same names. */
export function sameSources(one: Side, other: Side): boolean {
  if (one.paths.sources !== other.paths.sources || one.sources?.sha !== other.sources?.sha) return false;
  if (one.copies.size !== other.copies.size) return false;
  return [...one.copies].every(([path, { sha }]) => other.copies.get(path)?.sha === sha);
}
