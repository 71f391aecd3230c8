import { posix } from 'node:path';
import { fileOf, isSegment, MAX_RUN_FILE_BYTES, refusal, refuseUnlessFolder } from './archive.js';
import { explained } from './failure.js';
import { isInvocationId, isPassedOver, RUN_FILES, type RunFile } from './names.js';
import type { RunContents } from './run-contents.js';
import type { PathKind, ReadResult } from './world.js';

/** What reading single runs asks of the files. Each step is over when it returns: to wait for it costs more than to take it. */
export interface RunFileReader {
  /** What a path is, links not followed; undefined when nothing stands there. */
  kind(path: string): PathKind | undefined;
  /** The whole file, at most `maximum` bytes of it. */
  read(path: string, maximum: number): ReadResult;
  /** Called before the files of one more run are read: the bytes of the run before may be overwritten then. */
  beginRun?(): void;
}

/** Reads single runs of an archive, as `RunArchive` does, without waiting; throws what that rejects with. */
export interface RunReader {
  /** Whether `RunArchive.runs` would list a run of exactly this name, whatever the name is. */
  holds(name: string): boolean;
  read(name: string): RunContents;
  readFile(name: string, file: RunFile): Uint8Array | undefined;
}

/** Opens a runs folder for reading its runs one by one; nothing is written, made or repaired (contract 10). */
export function openRunReader(
  files: RunFileReader,
  { folder, maximum = MAX_RUN_FILE_BYTES }: { readonly folder: string; readonly maximum?: number },
): RunReader {
  // Put in order once and not for every file.
  const within = posix.join(folder, '_').slice(0, -1);
  const kindOf = (path: string): PathKind | undefined => explaining(path, () => files.kind(path));
  const fileAt = (path: string): Uint8Array | undefined =>
    fileOf(
      explaining(path, () => files.read(path, maximum)),
      { path, maximum },
    );
  const pathOf = (name: string): string => {
    if (!isSegment(name)) throw refusal(name, 'no name of a run');
    const path = within + name;
    refuseUnlessFolder(path, kindOf(path));
    return path;
  };
  return {
    holds(name) {
      if (!isSegment(name) || isPassedOver(name)) return false;
      const kind = kindOf(within + name);
      if (kind === undefined || isInvocationId(name)) return kind !== undefined;
      return kind === 'folder' && kindOf(`${within}${name}/${RUN_FILES.envelope}`) !== undefined;
    },
    read(name) {
      files.beginRun?.();
      const path = pathOf(name);
      return {
        request: fileAt(`${path}/${RUN_FILES.request}`),
        envelope: fileAt(`${path}/${RUN_FILES.envelope}`),
        spans: fileAt(`${path}/${RUN_FILES.spans}`),
        grounding: fileAt(`${path}/${RUN_FILES.grounding}`),
        sources: fileAt(`${path}/${RUN_FILES.sources}`),
      };
    },
    readFile: (name, file) => fileAt(`${pathOf(name)}/${RUN_FILES[file]}`),
  };
}

function explaining<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw explained(error, path);
  }
}
