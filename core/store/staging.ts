import { posix } from 'node:path';
import type { FinishedRun } from '../conductor/ports.js';
import type { JsonNode } from '../json/index.js';
import { composeCrate } from './crate.js';
import { CRATE_FILE, CRATE_FOLDER, RUN_FILES, type RunFile } from './names.js';
import type { NewTree, StoreFiles } from './world.js';

/** A finished run with its envelope as read back from the bytes that are stored. */
export interface RunToStage {
  readonly run: FinishedRun;
  readonly envelope: JsonNode;
}

/** The files and folders of a run whose folder will be `path`. */
export function treeOf({ run, envelope, path }: RunToStage & { readonly path: string }): NewTree {
  const contents = contentsOf(run);
  if (run.crate === null) return { folders: [path], files: filesIn(path, contents) };
  const crate = posix.join(path, CRATE_FOLDER);
  const metadata = composeCrate({ ...run.crate, envelope, files: contents });
  return {
    folders: [path, crate],
    files: [
      ...filesIn(path, contents),
      { path: posix.join(crate, CRATE_FILE), bytes: metadata },
      ...filesIn(crate, contents),
    ],
  };
}

/** Makes new folders and files; when it fulfils, all of them have reached the disk. */
export async function writeTree(
  files: Pick<StoreFiles, 'makeFolder' | 'create' | 'syncFolder'>,
  tree: NewTree,
): Promise<void> {
  for (const folder of tree.folders) await files.makeFolder(folder);
  await allEnded(tree.files.map((file) => files.create(file.path, file.bytes)));
  await allEnded(tree.folders.map((folder) => files.syncFolder(folder)));
}

function filesIn(folder: string, contents: ReadonlyMap<RunFile, Uint8Array>): NewTree['files'] {
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
