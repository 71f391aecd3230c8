import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { YAML_BYTES_LIMIT } from '../config/index.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { SourcesLocation } from '../sources/index.js';
import type { OpenCopy, SourceFiles } from '../sources/ports.js';
import { isAbsence, notAFile, statOrNull, unreadable } from './file-refusals.js';
import { readRegularFile } from './regular-file.js';
import { confinementOf, isWithin, outside } from './repository.js';

/** sources.yaml and its copies on disk; relative paths start at the working directory. */
export const diskSourceFiles: SourceFiles = {
  readConfiguration,
  locate: ({ sourcesPath, path }) => locate({ folder: dirname(sourcesPath), path }),
  open: openCopy,
  relativePath,
  replaceConfiguration,
  secret: () => randomBytes(16).toString('hex'),
};

/** The files that a location means: those on disk, relative paths starting where it says. */
export function sourceFilesFor({ folder }: SourcesLocation): SourceFiles {
  if (folder === undefined) return diskSourceFiles;
  const moved = (path: string): string => resolve(folder, path);
  return {
    ...diskSourceFiles,
    readConfiguration: (sourcesPath) => readConfiguration(moved(sourcesPath)),
    locate: ({ sourcesPath, path }) => locate({ folder: dirname(moved(sourcesPath)), path }),
    relativePath: ({ sourcesPath, file }) => relativePath({ sourcesPath: moved(sourcesPath), file: moved(file) }),
    replaceConfiguration: (sourcesPath, bytes) => replaceConfiguration(moved(sourcesPath), bytes),
  };
}

function readConfiguration(sourcesPath: string): Uint8Array | null {
  if (statOrNull(sourcesPath) === null) return null;
  locate({ folder: dirname(sourcesPath), path: basename(sourcesPath) });
  return readRegularFile(sourcesPath, { limit: YAML_BYTES_LIMIT });
}

/** The real path of a regular file named relative to a folder, inside what the folder is confined to. */
function locate({
  folder,
  path,
  remedy = 'check the path, which is relative to the sources file',
}: {
  readonly folder: string;
  readonly path: string;
  readonly remedy?: string;
}): string {
  const named = resolve(folder, path);
  if (realPathOf(folder) === null) throw missing(resolve(folder), remedy);
  const confinement = confinementOf(folder);
  const real = realPathOf(named);
  // Asked before the file is looked at: nobody learns from an error what stands outside.
  if (!isWithin(real ?? resolve(realpathSync(folder), path), confinement)) throw outside(named, confinement);
  const stats = statOrNull(named);
  if (real === null || stats === null) throw missing(named, remedy);
  if (!stats.isFile()) throw notAFile(named, stats);
  return real;
}

function missing(path: string, remedy: string): GateError {
  return gateError('config-missing', {
    blame: 'configuration',
    message: 'nothing has this path',
    remedy,
    place: { file: path },
  });
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw unreadable(path, error);
  }
}

function openCopy(realPath: string): OpenCopy {
  const descriptor = openReal(realPath);
  const stats = fstatSync(descriptor);
  // A link put in place of a folder on the way would have led elsewhere.
  const moved = realPathOf(realPath) !== realPath;
  if (!stats.isFile() || moved) {
    closeSync(descriptor);
    throw moved ? outside(realPath, dirname(realPath)) : notAFile(realPath, stats);
  }
  return {
    read: (target, offset) => readAt({ descriptor, path: realPath, target, offset }),
    close: () => closeSync(descriptor),
  };
}

function openReal(realPath: string): number {
  try {
    // A real path has no link left to follow, and a pipe must not hold the process.
    return openSync(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(realPath, error);
  }
}

interface Reading {
  readonly descriptor: number;
  readonly path: string;
  readonly target: Uint8Array;
  readonly offset: number;
}

function readAt({ descriptor, path, target, offset }: Reading): number {
  try {
    return readSync(descriptor, target, 0, target.length, offset);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function relativePath({ sourcesPath, file }: { readonly sourcesPath: string; readonly file: string }): string {
  const folder = dirname(sourcesPath);
  const path = relative(resolve(folder), resolve(file));
  locate({ folder, path, remedy: 'check the path' });
  return path.split(sep).join('/');
}

/** Writes beside the file, syncs, renames: a reader, or a crash, sees the old bytes or the new ones. */
function replaceConfiguration(sourcesPath: string, bytes: Uint8Array): void {
  const target = realPathOf(sourcesPath) ?? sourcesPath;
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeSynced(temporary, { bytes, mode: statOrNull(target)?.mode ?? 0o644 });
    renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw gateError('config-unwritable', {
      blame: 'configuration',
      message: 'the file cannot be written',
      remedy: 'check its folder and the permissions',
      place: { file: sourcesPath },
      cause: error,
    });
  }
}

function writeSynced(path: string, content: { readonly bytes: Uint8Array; readonly mode: number }): void {
  const descriptor = openSync(path, 'wx', content.mode & 0o777);
  try {
    let written = 0;
    while (written < content.bytes.length) written += writeSync(descriptor, content.bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

// The rename itself is only on disk once the folder is.
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
