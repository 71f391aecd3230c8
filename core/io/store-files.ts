import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { PathKind, StoreFiles, StoreWorld } from '../store/world.js';
import { makeFolders } from './make-folders.js';
import { newOwner, ownerState } from './owner.js';

/** Links are never followed, and opening a pipe must not wait for its other end. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Size of one piece of a file that is read in pieces. */
const PIECE = 1 << 20;

/** The pause between two looks at a lock that another holds, in milliseconds: about one run's rename and append. */
const PAUSE_MS = { shortest: 1, spread: 8 };

/** The real world of a store: this machine's files and this process. */
export function storeWorld(): StoreWorld {
  return {
    files: storeFiles(),
    owner: newOwner(),
    ownerState,
    pause: () => setTimeout(PAUSE_MS.shortest + Math.random() * PAUSE_MS.spread),
  };
}

/** The machine's files, synced as the store asks. */
export function storeFiles(): StoreFiles {
  return {
    async prepare(folder) {
      makeFolders(folder);
      return realpath(folder);
    },
    kind: (path) => absent(lstat(path).then(kindOf)),
    list: async (folder) =>
      (await readdir(folder, { withFileTypes: true })).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    makeFolder: (path) => mkdir(path),
    create: (path, bytes) =>
      using(path, CREATE, async (file) => {
        await writeAll(file, bytes);
        await file.sync();
      }),
    syncFolder,
    rename,
    read: (path, maximum) => readWhole(path, maximum),
    pieces,
    async ending(path) {
      return (
        (await absent(
          using(path, READ, async (file) => {
            const { size } = await file.stat();
            return { size, lastByte: (await readAt(file, { from: Math.max(0, size - 1), length: 1 }))[0] };
          }),
        )) ?? { size: 0, lastByte: undefined }
      );
    },
    readFrom: (path, offset) =>
      using(path, READ, async (file) => readAt(file, { from: offset, length: (await file.stat()).size - offset })),
    append: (path, bytes) => using(path, APPEND, (file) => appendWhole(file, bytes)),
    truncate: (path, size) =>
      using(path, constants.O_WRONLY | constants.O_NOFOLLOW, async (file) => {
        await file.truncate(size);
        await file.sync();
      }),
    removeFile: async (path) => void (await absent(unlink(path))),
    removeFolder: (path) => removeEmpty(path),
    removeTree: (path) => rm(path, { recursive: true, force: true }),
  };
}

async function using<Value>(path: string, flags: number, work: (file: FileHandle) => Promise<Value>): Promise<Value> {
  const file = await open(path, flags, 0o666);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** `write` may write less than it was given, near the end of a disk above all. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, null);
    done += bytesWritten;
  }
}

async function appendWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  try {
    await writeAll(file, bytes);
    await file.sync();
  } catch (error) {
    await file.truncate(size);
    await file.sync();
    throw error;
  }
}

async function readWhole(path: string, maximum: number): ReturnType<StoreFiles['read']> {
  const result = await absent(refused(using(path, READ, (file) => readRegular(file, maximum))));
  return result ?? { kind: 'absent' };
}

async function readRegular(file: FileHandle, maximum: number): ReturnType<StoreFiles['read']> {
  const status = await file.stat();
  if (!status.isFile()) return { kind: 'refused', why: 'not-a-file' };
  if (status.size > maximum) return { kind: 'refused', why: 'too-large' };
  return { kind: 'bytes', bytes: await readAt(file, { from: 0, length: status.size }) };
}

/** Exactly the bytes asked for, or fewer when the file ends before. */
async function readAt(file: FileHandle, { from, length }: { from: number; length: number }): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

async function* pieces(path: string): AsyncIterable<Uint8Array> {
  const file = await open(path, READ);
  try {
    for (let from = 0; ; ) {
      const piece = await readAt(file, { from, length: PIECE });
      if (piece.byteLength === 0) return;
      from += piece.byteLength;
      yield piece;
    }
  } finally {
    await file.close();
  }
}

/** Windows opens no folder for syncing and needs none: its renames are journalled. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY, (folder) => folder.sync());
}

async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error))) throw error;
  }
}

async function absent<Value>(step: Promise<Value>): Promise<Value | undefined> {
  try {
    return await step;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** O_NOFOLLOW answers ELOOP for a link; a socket cannot be opened at all. */
async function refused(step: ReturnType<StoreFiles['read']>): ReturnType<StoreFiles['read']> {
  try {
    return await step;
  } catch (error) {
    if (['ELOOP', 'ENXIO', 'EMLINK'].includes(codeOf(error))) return { kind: 'refused', why: 'not-a-file' };
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): PathKind {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}
