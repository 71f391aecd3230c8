import { posix } from 'node:path';
import type { FinishedRun } from '../conductor/ports.js';
import type { JsonNode } from '../json/index.js';
import { composeCrate } from './crate.js';
import { CRATE_FILE, CRATE_FOLDER, RUN_FILES, type RunFile } from './names.js';
import type { StoreFiles } from './world.js';

/** A finished run with its envelope as read back from the bytes that are stored. */
export interface RunToStage {
  readonly run: FinishedRun;
  readonly envelope: JsonNode;
}

/** Writes a run's files and folders into the new folder `path`; when it fulfils, all of them have reached the disk. */
export async function stageRun(
  files: StoreFiles,
  { run, envelope, path }: RunToStage & { readonly path: string },
): Promise<void> {
  const contents = contentsOf(run);
  await files.makeFolder(path);
  await createAll(files, { path, contents });
  if (run.crate !== null) {
    const metadata = composeCrate({ ...run.crate, envelope, files: contents });
    await stageCrate(files, { path: posix.join(path, CRATE_FOLDER), contents, metadata });
  }
  await files.syncFolder(path);
}

async function stageCrate(
  files: StoreFiles,
  crate: { readonly path: string; readonly contents: ReadonlyMap<RunFile, Uint8Array>; readonly metadata: Uint8Array },
): Promise<void> {
  await files.makeFolder(crate.path);
  await files.create(posix.join(crate.path, CRATE_FILE), crate.metadata);
  await createAll(files, crate);
  await files.syncFolder(crate.path);
}

/**
 * In parallel, since each file waits for the disk. A failure is thrown only when every write has ended: the caller removes
 * the folder then, and nothing may be written into it behind its back.
 */
async function createAll(
  files: StoreFiles,
  { path, contents }: { readonly path: string; readonly contents: ReadonlyMap<RunFile, Uint8Array> },
): Promise<void> {
  const writes = [...contents].map(([file, bytes]) => files.create(posix.join(path, RUN_FILES[file]), bytes));
  const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function contentsOf(run: FinishedRun): ReadonlyMap<RunFile, Uint8Array> {
  return new Map([
    ['request', run.request],
    ['envelope', run.envelope],
    ['spans', run.spans],
    ['grounding', Buffer.from(run.groundingText)],
    ['sources', Buffer.from(run.sourcesText)],
  ]);
}
