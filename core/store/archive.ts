import { posix } from 'node:path';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { explained, told } from './failure.js';
import { INDEX_FILE, isInvocationId, isPassedOver, RUN_FILES, type RunFile } from './names.js';
import { type RunContents, runContents } from './run-contents.js';
import { type IndexLine, indexBatches, isIndexThere } from './run-index.js';
import type { FolderEntry, PathKind, ReadResult, StoreFiles } from './world.js';

/** Largest file of a stored run that is read: below the longest string that Node can hold. */
export const MAX_RUN_FILE_BYTES = 512 * 1024 * 1024;

/** An entry of a runs folder that stands for a run; `obstructed` is one that is named like a run and is no folder. */
export interface ArchivedRun {
  readonly name: string;
  readonly kind: 'folder' | 'obstructed';
}

/** What reading an archive asks of the files; nothing of it writes. */
export type ArchiveFiles = Pick<StoreFiles, 'kind' | 'list' | 'read' | 'pieces'>;

/** A runs folder that is only read. Every method rejects with a GateError `store-*` or `run-file-refused`. */
export interface RunArchive {
  /** Sorted by name: each folder that is named like a run or holds an envelope, and each obstruction. */
  runs(): Promise<readonly ArchivedRun[]>;
  /** The run of exactly this name as `runs` would list it, whatever the name is; undefined when there is none. */
  find(name: string): Promise<ArchivedRun | undefined>;
  /** Rejects when the run or one of its files is a link, is not what it should be, or is too large. */
  read(name: string): Promise<RunContents>;
  /** One file of a run; undefined when it is absent. Rejects as `read` does. */
  readFile(name: string, file: RunFile): Promise<Uint8Array | undefined>;
  hasIndex(): Promise<boolean>;
  /** In file order; blank lines are left out. */
  index(): AsyncIterable<IndexLine>;
  /** The same, many lines at a time. */
  indexBatches(): AsyncIterable<readonly IndexLine[]>;
}

/** Opens a runs folder for reading; nothing is written, made or repaired (contract 10). */
export function openArchive(
  files: ArchiveFiles,
  options: { readonly folder: string; readonly maximum?: number },
): RunArchive {
  const { folder, maximum = MAX_RUN_FILE_BYTES } = options;
  const index = posix.join(folder, INDEX_FILE);
  return {
    async runs() {
      const entries = await told(folder, () => files.list(folder));
      const runs: ArchivedRun[] = [];
      for (const entry of entries) {
        const run = runByName(entry) ?? (await runOf(files, { folder, entry }));
        if (run !== null) runs.push(run);
      }
      return runs.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async find(name) {
      if (!isSegment(name)) return undefined;
      const path = posix.join(folder, name);
      const kind = await told(path, () => files.kind(path));
      return kind === undefined ? undefined : ((await runOf(files, { folder, entry: { name, kind } })) ?? undefined);
    },
    async read(name) {
      const path = await runFolder(files, { folder, name });
      return runContents((file) => readRunFile(files, { path: posix.join(path, RUN_FILES[file]), maximum }));
    },
    async readFile(name, file) {
      const path = await runFolder(files, { folder, name });
      return readRunFile(files, { path: posix.join(path, RUN_FILES[file]), maximum });
    },
    hasIndex: () => told(index, () => isIndexThere(files, index)),
    async *index() {
      for await (const lines of toldLines(files, index)) yield* lines;
    },
    indexBatches: () => toldLines(files, index),
  };
}

async function* toldLines(files: ArchiveFiles, path: string): AsyncGenerator<readonly IndexLine[]> {
  try {
    yield* indexBatches(files, path);
  } catch (error) {
    throw explained(error, path);
  }
}

/** Null for what stands for no run: what is passed over, loose files, folders of another purpose. */
async function runOf(
  files: ArchiveFiles,
  { folder, entry }: { readonly folder: string; readonly entry: FolderEntry },
): Promise<ArchivedRun | null> {
  const { name, kind } = entry;
  const run = runByName(entry);
  if (run !== null || isPassedOver(name) || kind !== 'folder') return run;
  // A name that is no UTF-8 is read as another one, which nothing has: nobody can tell whether it holds an envelope.
  if (name.includes('\ufffd') && (await told(folder, () => files.kind(posix.join(folder, name)))) === undefined)
    return { name, kind: 'obstructed' };
  const envelope = posix.join(folder, name, RUN_FILES.envelope);
  return (await told(envelope, () => files.kind(envelope))) === undefined ? null : { name, kind };
}

/** An entry that is named like a run. */
function runByName({ name, kind }: FolderEntry): ArchivedRun | null {
  if (isPassedOver(name) || !isInvocationId(name)) return null;
  return { name, kind: kind === 'folder' ? kind : 'obstructed' };
}

/** The path of a run whose name is one segment and which is a folder, not a link to one. */
async function runFolder(
  files: ArchiveFiles,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<string> {
  if (!isSegment(name)) throw refusal(name, 'no name of a run');
  const path = posix.join(folder, name);
  refuseUnlessFolder(path, await told(path, () => files.kind(path)));
  return path;
}

/** Throws for what is not the folder of a run, a link to one included. */
export function refuseUnlessFolder(path: string, kind: PathKind | undefined): void {
  if (kind === 'folder') return;
  throw refusal(path, kind === undefined ? 'no such run' : 'a link or a file where a run folder belongs');
}

/** The longest name that file systems take; a longer one is nobody's. */
const MAX_NAME_BYTES = 255;

/** The name may come from a stored envelope: it must not lead out of the runs folder. */
export function isSegment(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) return false;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

async function readRunFile(
  files: ArchiveFiles,
  { path, maximum }: { readonly path: string; readonly maximum: number },
): Promise<Uint8Array | undefined> {
  return fileOf(await told(path, () => files.read(path, maximum)), { path, maximum });
}

/** The bytes of a file of a run, undefined when it is absent; throws for one that was refused. */
export function fileOf(
  result: ReadResult,
  { path, maximum }: { readonly path: string; readonly maximum: number },
): Uint8Array | undefined {
  if (result.kind === 'bytes') return result.bytes;
  if (result.kind === 'absent') return undefined;
  throw refusal(path, result.why === 'too-large' ? `larger than ${maximum} bytes` : 'no regular file');
}

/** A run, or a file of one, that is not what it should be. */
export function refusal(file: string, message: string): GateError<ErrorCode> {
  return gateError('run-file-refused', {
    blame: 'unreadable',
    message,
    remedy: 'restore the run from where it was archived',
    place: { file },
  });
}
