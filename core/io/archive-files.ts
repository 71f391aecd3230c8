import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import type { ArchiveFiles, PathKind, ReadResult } from '../store/index.js';

/** Links are never followed, and opening a pipe must not wait for its other end. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Size of one piece of a file that is read in pieces. */
const PIECE = 1 << 20;

/**
 * The files of an archive, read synchronously: a run has a handful of small files, and handing each step of each of them to
 * another thread takes several times as long as the step itself.
 */
export function archiveFiles(): ArchiveFiles {
  return {
    kind: async (path) => kindOf(lstatSync(path, { throwIfNoEntry: false })),
    list: async (folder) =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: kindOf(entry) ?? 'other',
      })),
    read: async (path, maximum) => readWhole(path, maximum),
    pieces,
  };
}

function readWhole(path: string, maximum: number): ReadResult {
  // Asked first, since an exception for each file that is absent costs more than reading one that is there.
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return { kind: 'absent' };
  if (!before.isFile()) return { kind: 'refused', why: 'not-a-file' };
  if (before.size > maximum) return { kind: 'refused', why: 'too-large' };
  const descriptor = openSync(path, READ);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return { kind: 'refused', why: 'not-a-file' };
    if (status.size > maximum) return { kind: 'refused', why: 'too-large' };
    return { kind: 'bytes', bytes: readAll(descriptor, status) };
  } finally {
    closeSync(descriptor);
  }
}

/** The file as long as it was when it was opened: one that grows meanwhile is judged as it stood. */
function readAll(descriptor: number, { size }: Stats): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === size ? bytes : bytes.subarray(0, filled);
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
