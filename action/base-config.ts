import { posix } from 'node:path';
import {
  blobSha,
  type CommitFiles,
  inRepository,
  parseSourcesConfiguration,
  plainBytes,
  plainFile,
  type TreeEntry,
} from '../core/index.js';

/** What of the base commit is written out, and where the head's own files are read. */
export interface Workspace {
  /** The bytes of a file of the working tree, by its path from the repository's root; null when it is not there. */
  read(path: string): Uint8Array | null;
  /** Writes a file below the folder that stands for the base's repository. */
  writeBase(path: string, bytes: Uint8Array): void;
}

/** Which configuration binds, and whether the pull request's own differs from it. */
export interface BaseConfig {
  readonly profile: ConfigState;
  readonly sources: ConfigState;
}

/**
 * `same`: base and head agree. `changed`: the base's binds and was written out, the head's is a second opinion. `first-use`: the base
 * has none, so that nothing protects the head's. `absent`: neither has one.
 */
export type ConfigState = 'same' | 'changed' | 'first-use' | 'absent';

/** The files to compare, by the names that the inputs give them. */
export interface ConfigPaths {
  readonly prefix: string;
  readonly profile: string;
  readonly sources: string;
}

/** Compares the configuration of base and head, and writes the base's out where they differ. */
export async function compareConfig(
  files: CommitFiles,
  { paths, workspace }: { readonly paths: ConfigPaths; readonly workspace: Workspace },
): Promise<BaseConfig> {
  const profile = inRepository(paths.prefix, paths.profile);
  const sources = inRepository(paths.prefix, paths.sources);
  const context = { files, workspace };
  return {
    profile: await compareProfile(profile, context),
    sources: await compareSources(sources, context),
  };
}

interface Context {
  readonly files: CommitFiles;
  readonly workspace: Workspace;
}

async function compareProfile(path: string, { files, workspace }: Context): Promise<ConfigState> {
  const base = await plainFile(files, path);
  const head = workspace.read(path);
  if (base === null) return head === null ? 'absent' : 'first-use';
  if (head !== null && isSame(base, head)) return 'same';
  workspace.writeBase(path, await files.read(base.sha));
  return 'changed';
}

async function compareSources(path: string, context: Context): Promise<ConfigState> {
  const { files, workspace } = context;
  const base = await plainFile(files, path);
  const head = workspace.read(path);
  if (base === null) return head === null ? 'absent' : 'first-use';
  const bytes = await files.read(base.sha);
  // The pins of an unchanged file hold the head's copies as they held the base's.
  if (head !== null && isSame(base, head)) return 'same';
  workspace.writeBase(path, bytes);
  const { entries } = parseSourcesConfiguration(bytes, { file: path });
  for (const copy of new Set(entries.map((entry) => posix.join(posix.dirname(path), entry.path)))) {
    await writeCopy(copy, context);
  }
  return 'changed';
}

/** A copy that the base cannot give is left out; the loader then refuses the base's configuration by name. */
async function writeCopy(path: string, { files, workspace }: Context): Promise<void> {
  if (posix.isAbsolute(path) || path.startsWith('../')) return;
  const bytes = await plainBytes(files, path);
  if (bytes === null) return;
  // Of a file in Git LFS the commit holds a pointer alone. The file in the working tree stands in: the base's pin decides on it.
  const held = isLfsPointer(bytes) ? (workspace.read(path) ?? bytes) : bytes;
  workspace.writeBase(path, held);
}

function isSame(entry: TreeEntry, bytes: Uint8Array): boolean {
  // In a repository of SHA-256 the names never agree, and the base's file is then read: more work, and no less protection.
  return blobSha(bytes) === entry.sha;
}

function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < 1024 && Buffer.from(bytes).toString('latin1').startsWith('version https://git-lfs.');
}
