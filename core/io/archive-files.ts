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
  read: (path, maximum) => readWhole(path, { maximum, take: Buffer.allocUnsafe }),
};

/** How much of one run's files is read into memory that the next run's files take again. */
const BLOCK = 1 << 20;

/**
 * The same for whoever is done with a run when it reads the next: all runs are read into one block, so that the memory
 * stays at hand. What does not fit into it gets memory of its own.
 */
export function runFilesInBlock(): RunFileReader {
  const block = Buffer.allocUnsafeSlow(BLOCK);
  let used = 0;
  const take = (length: number): Buffer => {
    if (length > BLOCK - used) return Buffer.allocUnsafeSlow(length);
    used += length;
    return block.subarray(used - length, used);
  };
  return {
    kind: runFiles.kind,
    read: (path, maximum) => readWhole(path, { maximum, take }),
    beginRun() {
      used = 0;
    },
  };
}

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

/** How much of an index is read ahead where lines are asked for in their order, as the runs mostly are. */
const WINDOW = 1 << 16;

/**
 * Opens nothing before a line is asked for, since an archive may have no index. The bytes of a line are valid until the
 * next one is asked for.
 */
export function indexReader(folder: string): IndexReader {
  let descriptor: number | undefined;
  let window: Buffer | undefined;
  let begin = 0;
  let end = 0;
  return {
    read({ offset, length }) {
      descriptor ??= openSync(join(folder, INDEX_FILE), READ);
      const goesOn = offset >= begin && offset <= end + WINDOW && length <= WINDOW;
      if (!goesOn) {
        begin = offset;
        end = offset;
        return readInto(Buffer.allocUnsafe(length), { descriptor, offset });
      }
      window ??= Buffer.allocUnsafeSlow(WINDOW);
      if (offset + length > end) {
        begin = offset;
        end = offset + readInto(window, { descriptor, offset }).length;
      }
      return window.subarray(offset - begin, Math.min(offset + length, end) - begin);
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** Names of files, slash included, that were absent when they were last asked for: the next one of the name probably is, too. */
const absentLately: string[] = [];

/** How a file is read: at most so many bytes, into memory of the length that is asked for. */
interface Reading {
  readonly maximum: number;
  readonly take: (length: number) => Buffer;
}

function readWhole(path: string, { maximum, take }: Reading): ReadResult {
  // Asked first only where it pays: the exception for an absent file costs more than reading one that is there.
  const known = indexOfAbsent(path);
  if (known !== -1) {
    if (lstatSync(path, PERHAPS) === undefined) return { kind: 'absent' };
    absentLately.splice(known, 1);
  }
  const descriptor = openRegular(path);
  if (descriptor === 'absent') {
    absentLately.push(path.slice(path.lastIndexOf('/')));
    return { kind: 'absent' };
  }
  if (descriptor === 'not-a-file') return { kind: 'refused', why: 'not-a-file' };
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { kind: 'refused', why: 'not-a-file' };
    if (status.size > maximum) return { kind: 'refused', why: 'too-large' };
    return { kind: 'bytes', bytes: readInto(take(status.size), { descriptor, offset: 0 }) };
  } finally {
    closeSync(descriptor);
  }
}

/** The place of the path's name among those that were absent lately, or -1. */
function indexOfAbsent(path: string): number {
  for (let i = 0; i < absentLately.length; i++) if (path.endsWith(absentLately[i] as string)) return i;
  return -1;
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

/** Fills the memory, or less of it where the file ends: one that grows meanwhile is judged as it stood when it was opened. */
function readInto(
  bytes: Buffer,
  { descriptor, offset }: { readonly descriptor: number; readonly offset: number },
): Buffer {
  const { length } = bytes;
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
