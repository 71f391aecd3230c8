import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadLine } from '../reverify/index-table.js';
import { type ArchiveFiles, INDEX_FILE, type PathKind, type ReadResult, type RunFileReader } from '../store/index.js';

/** Links are never followed, and opening a pipe must not wait for its other end. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Size of one piece of a file that is read in pieces. */
const PIECE = 1 << 20;

const PERHAPS = { throwIfNoEntry: false } as const;

/**
 * The files of a run, read synchronously: a run has a handful of small ones, and handing each step of each of them to
 * another thread takes several times as long as the step itself.
 */
export const runFiles: RunFileReader = {
  kind: (path) => kindOf(lstatSync(path, PERHAPS)),
  read: readWhole,
};

/** The files of an archive, read in the same way. */
export function archiveFiles(): ArchiveFiles {
  return {
    kind: async (path) => runFiles.kind(path),
    list: async (folder) =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: kindOf(entry) ?? 'other',
      })),
    read: async (path, maximum) => runFiles.read(path, maximum),
    pieces,
  };
}

/** Reads single lines of an archive's index, from the file as it was when the first was read. */
export interface IndexReader {
  readonly read: ReadLine;
  close(): void;
}

/** Opens nothing before a line is asked for, since an archive may have no index. */
export function indexReader(folder: string): IndexReader {
  let descriptor: number | undefined;
  return {
    read({ offset, length }) {
      descriptor ??= openSync(join(folder, INDEX_FILE), READ);
      return readAt(descriptor, { offset, length });
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** Names of files that were absent when they were last asked for: the next one of the name probably is, too. */
const absentLately = new Set<string>();

function readWhole(path: string, maximum: number): ReadResult {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Asked first only where it pays: the exception for an absent file costs more than reading one that is there.
  if (absentLately.has(name)) {
    if (lstatSync(path, PERHAPS) === undefined) return { kind: 'absent' };
    absentLately.delete(name);
  }
  const descriptor = openRegular(path);
  if (descriptor === 'absent') absentLately.add(name);
  if (descriptor === 'absent') return { kind: 'absent' };
  if (descriptor === 'not-a-file') return { kind: 'refused', why: 'not-a-file' };
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { kind: 'refused', why: 'not-a-file' };
    if (status.size > maximum) return { kind: 'refused', why: 'too-large' };
    return { kind: 'bytes', bytes: readAt(descriptor, { offset: 0, length: status.size }) };
  } finally {
    closeSync(descriptor);
  }
}

/** O_NOFOLLOW answers ELOOP for a link; a socket cannot be opened at all. */
function openRegular(path: string): number | 'absent' | 'not-a-file' {
  try {
    return openSync(path, READ);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return 'absent';
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EMLINK') return 'not-a-file';
    throw error;
  }
}

/** So many bytes, or fewer where the file ends: one that grows meanwhile is judged as it stood when it was opened. */
function readAt(descriptor: number, { offset, length }: { readonly offset: number; readonly length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

async function* pieces(path: string): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(path, READ);
  try {
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(PIECE);
      const count = readSync(descriptor, piece, 0, PIECE, null);
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(descriptor);
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean } | undefined): PathKind | undefined {
  if (entry === undefined) return undefined;
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}
