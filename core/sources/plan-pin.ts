import { posix } from 'node:path';

/** What one entry of sources.yaml says, without its place. */
export interface EntryValues {
  readonly snapshotRefs: readonly string[];
  readonly path: string;
  readonly idField: string;
  readonly sha256: string;
}

/** A copy that was read and is to be pinned for one snapshot_ref. */
export interface PinnedFile {
  readonly ref: string;
  readonly path: string;
  readonly idField: string;
  readonly sha256: string;
}

/**
 * What the entries are to be once a file is pinned for a reference. An entry keeps its place in the list; the pin of
 * every entry of the same file is renewed, since a file has one hash; new entries come last.
 */
export function planPin(entries: readonly EntryValues[], file: PinnedFile): readonly EntryValues[] {
  const renewed = entries.map((entry) => (samePath(entry, file) ? { ...entry, sha256: file.sha256 } : entry));
  const owner = renewed.findIndex((entry) => entry.snapshotRefs.includes(file.ref));
  const owning = renewed[owner];
  if (owning === undefined) return addReference(renewed, file);
  if (serves(owning, file)) return renewed;
  if (owning.snapshotRefs.length > 1)
    return addReference(renewed.with(owner, withoutReference(owning, file.ref)), file);
  return renewed.with(owner, { ...owning, path: file.path, idField: file.idField, sha256: file.sha256 });
}

function addReference(entries: readonly EntryValues[], file: PinnedFile): readonly EntryValues[] {
  const { ref, path, idField, sha256 } = file;
  const sibling = entries.findIndex((entry) => serves(entry, file));
  const serving = entries[sibling];
  if (serving === undefined) return [...entries, { snapshotRefs: [ref], path, idField, sha256 }];
  return entries.with(sibling, { ...serving, snapshotRefs: [...serving.snapshotRefs, ref] });
}

function withoutReference(entry: EntryValues, ref: string): EntryValues {
  return { ...entry, snapshotRefs: entry.snapshotRefs.filter((other) => other !== ref) };
}

function serves(entry: EntryValues, file: PinnedFile): boolean {
  return samePath(entry, file) && entry.idField === file.idField;
}

function samePath(entry: EntryValues, file: PinnedFile): boolean {
  return posix.normalize(entry.path) === posix.normalize(file.path);
}
