import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { RecordingFiles } from '../recordings/ports.js';
import { openAtomicFile } from './atomic-file.js';
import { statOrNull } from './file-refusals.js';
import { diskFixtureFiles } from './fixture-files.js';
import { makeFolders } from './make-folders.js';

/**
 * The recordings of a folder, which no link may leave; `path` is relative to `folder`. Throws GateError `recording-missing` when
 * there is no such folder.
 */
export function diskRecordingFiles({
  path,
  folder,
}: {
  readonly path: string;
  readonly folder: string;
}): RecordingFiles {
  const files = diskFixtureFiles(folder);
  if (files.kindOf(path) !== 'folder')
    throw gateError('recording-missing', {
      blame: 'configuration',
      message: 'there is no such folder of recordings',
      remedy: 'record into it with grounding run --record',
      place: { file: path },
    });
  const pathOf = (name: string): string => join(path, name);
  return {
    pathOf,
    read: async (name) => (files.kindOf(pathOf(name)) === 'missing' ? null : files.read(pathOf(name))),
  };
}

/** Writes a recording, which appears whole or not at all; throws GateError `output-unwritable`. */
export function writeRecording(
  { path, folder }: { readonly path: string; readonly folder: string },
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): void {
  prepareRecordings({ path, folder });
  const file = openAtomicFile({ path: join(path, name), folder });
  try {
    file.write(bytes);
    file.commit();
  } finally {
    file.discard();
  }
}

/** Makes the folder of recordings; throws GateError `recording-unwritable` before any agent has run. */
export function prepareRecordings({ path, folder }: { readonly path: string; readonly folder: string }): void {
  try {
    makeFolders(resolve(folder, path));
  } catch (cause) {
    throw gateError('recording-unwritable', {
      blame: 'configuration',
      message: `the folder cannot be made (${cause instanceof Error ? cause.message : String(cause)})`,
      remedy: 'name a folder that can be written with --record',
      place: { file: path },
      cause,
    });
  }
}

/**
 * Throws GateError `replay-runs` for a runs folder that holds anything: a replay keeps the recorded invocation ids, which
 * must not meet, or be taken for, runs that were made.
 */
export function refuseUsedFolder(folder: string): void {
  const names = namesIn(folder);
  const [first] = names;
  if (first === undefined) return;
  throw gateError('replay-runs', {
    blame: 'configuration',
    message: `the runs folder of a replay holds ${names.length === 1 ? first : `${names.length} files or folders`}`,
    remedy: 'name an empty or a new folder with --runs',
    place: { file: folder },
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return statOrNull(folder) === null ? [] : readdirSync(folder);
  } catch (cause) {
    throw gateError('replay-runs', {
      blame: 'configuration',
      message: `the runs folder cannot be looked into (${cause instanceof Error ? cause.message : String(cause)})`,
      remedy: 'name an empty or a new folder with --runs',
      place: { file: folder },
      cause,
    });
  }
}
