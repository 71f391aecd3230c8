import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PathKind, StoreFiles, StoreWorld } from '../store/world.js';
import { makeFolders } from './make-folders.js';
import { newOwner, ownerState } from './owner.js';
import type { TreeWriter } from './tree-writer.js';

/** Links are never followed, and opening a pipe must not wait for its other end. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Size of one piece of a file that is read in pieces. */
const PIECE = 1 << 20;

/** The pause between two looks at a lock that another holds, in milliseconds: about one run's rename and append. */
const PAUSE_MS = { shortest: 1, spread: 8 };

/** The real world of a store: this machine's files and this process. */
export function storeWorld(writer?: Pick<TreeWriter, 'writeTree'>): StoreWorld {
  return {
    files: storeFiles(),
    ...(writer === undefined ? {} : { writeTree: writer.writeTree }),
    owner: newOwner(),
    ownerState,
    pause: () => setTimeout(PAUSE_MS.shortest + Math.random() * PAUSE_MS.spread),
  };
}

/** Waits for the disk outside of this thread. */
const synced = promisify(fsync);

/**
 * The machine's files, synced as the store asks. Only what waits for the disk, or may be large, leaves this thread: every other step
 * takes the system a few microseconds, and handing it to another thread several times as long.
 */
export function storeFiles(): StoreFiles {
  return {
    async prepare(folder) {
      makeFolders(folder);
      return realpath(folder);
    },
    kind: async (path) => {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      return entry === undefined ? undefined : kindOf(entry);
    },
    list: async (folder) =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    makeFolder: async (path) => void mkdirSync(path),
    mark: async (path) => closeSync(openSync(path, CREATE, 0o666)),
    create: (path, bytes) =>
      withFile(path, CREATE, async (file) => {
        writeAll(file, bytes);
        await synced(file);
      }),
    syncFolder,
    rename: async (from, to) => renameSync(from, to),
    read: (path, maximum) => readWhole(path, maximum),
    pieces,
    ending: async (path) => (await absent(withFile(path, READ, async (file) => endingOf(file)))) ?? NO_FILE,
    readFrom: (path, offset) =>
      using(path, READ, async (file) => readAt(file, { from: offset, length: (await file.stat()).size - offset })),
    append: (path, bytes) => withFile(path, APPEND, (file) => appendWhole(file, bytes)),
    truncate: (path, size) =>
      withFile(path, constants.O_WRONLY | constants.O_NOFOLLOW, async (file) => {
        ftruncateSync(file, size);
        await synced(file);
      }),
    removeFile: async (path) => unlessGone(() => unlinkSync(path), ['ENOENT']),
    removeFolder: async (path) => unlessGone(() => rmdirSync(path), ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']),
    removeTree: async (path) => rmSync(path, { recursive: true, force: true }),
  };
}

const NO_FILE = { size: 0, lastByte: undefined };

/** Hands the descriptor of an opened file to `work` and closes it after, whatever came of that. */
async function withFile<Value>(path: string, flags: number, work: (file: number) => Promise<Value>): Promise<Value> {
  const file = openSync(path, flags, 0o666);
  try {
    return await work(file);
  } finally {
    closeSync(file);
  }
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
function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done, bytes.byteLength - done, null);
}

async function appendWhole(file: number, bytes: Uint8Array): Promise<void> {
  const { size } = fstatSync(file);
  try {
    writeAll(file, bytes);
    await synced(file);
  } catch (error) {
    ftruncateSync(file, size);
    await synced(file);
    throw error;
  }
}

function endingOf(file: number): { readonly size: number; readonly lastByte: number | undefined } {
  const { size } = fstatSync(file);
  const last = new Uint8Array(1);
  const found = size > 0 && readSync(file, last, 0, 1, size - 1) === 1;
  return { size, lastByte: found ? last[0] : undefined };
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
  await withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY, (folder) => synced(folder));
}

function unlessGone(step: () => void, codes: readonly string[]): void {
  try {
    step();
  } catch (error) {
    if (!codes.includes(codeOf(error))) throw error;
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
