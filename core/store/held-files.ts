import { posix } from 'node:path';
import type { ArchiveFiles } from './archive.js';
import { INDEX_FILE } from './names.js';
import type { RunFileReader } from './run-reader.js';
import type { FolderEntry, PathKind } from './world.js';

/** Files that a door holds in memory, by their paths with `/`; null is something that is no regular file, as a link. */
export type HeldFiles = ReadonlyMap<string, Uint8Array | null>;

/** The files of an archive that is held in memory; every folder above a file is one. */
export function heldFiles(held: HeldFiles): ArchiveFiles {
  const folders = foldersOf(held);
  const { kind, read } = runFilesOf(held, folders);
  return {
    kind: async (path) => kind(path),
    list: async (folder) =>
      [...(folders.get(folder) ?? [])].map((name): FolderEntry => {
        return { name, kind: kind(posix.join(folder, name)) ?? 'other' };
      }),
    read: async (path, maximum) => read(path, maximum),
    async *pieces(path) {
      const bytes = held.get(path);
      // What is handed out is the reader's own, so that it never hands our bytes to somebody who changes them.
      if (bytes !== undefined && bytes !== null) yield Uint8Array.from(bytes);
    },
  };
}

/** The same files as they are read run by run. */
export function heldRunFiles(held: HeldFiles): RunFileReader {
  return runFilesOf(held, foldersOf(held));
}

function runFilesOf(held: HeldFiles, folders: ReadonlyMap<string, unknown>): RunFileReader {
  return {
    kind(path): PathKind | undefined {
      const file = held.get(path);
      if (file !== undefined) return file === null ? 'other' : 'file';
      return folders.has(path) ? 'folder' : undefined;
    },
    read(path, maximum) {
      const bytes = held.get(path);
      if (bytes === undefined) return folders.has(path) ? { kind: 'refused', why: 'not-a-file' } : { kind: 'absent' };
      if (bytes === null) return { kind: 'refused', why: 'not-a-file' };
      return bytes.length > maximum ? { kind: 'refused', why: 'too-large' } : { kind: 'bytes', bytes };
    },
  };
}

/** Reads single lines of the index that is held. */
export function heldIndexLine(held: HeldFiles, folder: string) {
  const index = held.get(posix.join(folder, INDEX_FILE)) ?? new Uint8Array();
  return ({ offset, length }: { readonly offset: number; readonly length: number }): Uint8Array =>
    index.subarray(offset, offset + length);
}

function foldersOf(held: HeldFiles): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of held.keys()) {
    for (let at = path; at !== '.'; at = posix.dirname(at)) {
      const names = folders.get(posix.dirname(at)) ?? new Set();
      const known = names.has(posix.basename(at));
      names.add(posix.basename(at));
      folders.set(posix.dirname(at), names);
      if (known) break;
    }
  }
  return folders;
}
