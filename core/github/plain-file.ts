import { linkOnBase, refuseLinkAbove } from './commit-fixtures.js';
import type { CommitFiles, TreeEntry } from './ports.js';

/** The plain file of a commit at a path; null when nothing is there. Throws `base-link` for a link, a submodule, or one above it. */
export async function plainFile(files: CommitFiles, path: string): Promise<TreeEntry | null> {
  const entry = (await files.list([path])).find((one) => one.path === path);
  if (entry === undefined) {
    await refuseLinkAbove(path, files);
    return null;
  }
  if (entry.mode === '100644' || entry.mode === '100755') return entry;
  throw linkOnBase(entry.path, files.commit);
}

/** The bytes of the plain file at a path; null and throws as `plainFile` does. */
export async function plainBytes(files: CommitFiles, path: string): Promise<Uint8Array | null> {
  const entry = await plainFile(files, path);
  return entry === null ? null : files.read(entry.sha);
}
