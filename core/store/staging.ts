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
  const folders = [path];
  const written = filesIn(path, contents);
  if (run.crate !== null) {
    const crate = posix.join(path, CRATE_FOLDER);
    const metadata = composeCrate({ ...run.crate, envelope, files: contents });
    folders.push(crate);
    written.push({ path: posix.join(crate, CRATE_FILE), bytes: metadata }, ...filesIn(crate, contents));
  }
  for (const folder of folders) await files.makeFolder(folder);
  await allEnded(written.map((file) => files.create(file.path, file.bytes)));
  await allEnded(folders.map((folder) => files.syncFolder(folder)));
}

/** A file of a run, and where it goes. */
interface Written {
  readonly path: string;
  readonly bytes: Uint8Array;
}

function filesIn(folder: string, contents: ReadonlyMap<RunFile, Uint8Array>): Written[] {
  return [...contents].map(([file, bytes]) => ({ path: posix.join(folder, RUN_FILES[file]), bytes }));
}

/**
 * In parallel, since each step waits for the disk, which takes what waits together for little more than one. A failure is thrown only when
 * every step has ended: the caller removes the folder then, and nothing may be written into it behind its back.
 */
async function allEnded(steps: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
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
