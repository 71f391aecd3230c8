import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { notAFile, statOrNull, systemCode, unreadable } from './file-refusals.js';

/** An open regular file; the caller closes `descriptor`. */
interface OpenFile {
  readonly descriptor: number;
  readonly size: number;
}

/**
 * Opens a regular file for reading, or returns null when nothing has this path. Throws `config-not-a-file` for a folder,
 * device or pipe, `config-missing` for a dangling link, `config-unreadable` for anything else.
 */
function openRegularFile(path: string): OpenFile | null {
  // Looked at before it is opened, since opening a device can already do something.
  const before = statOrNull(path);
  if (before === null) return null;
  if (!before.isFile()) throw notAFile(path, before);
  const descriptor = openQuietly(path);
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, size: stats.size };
  closeSync(descriptor);
  throw notAFile(path, stats);
}

/** All bytes of a regular file, or null when nothing has this path; throws as `openRegularFile` does, and `config-too-large`. */
export function readRegularFile(path: string, options: { readonly limit: number }): Uint8Array | null {
  const file = openRegularFile(path);
  if (file === null) return null;
  try {
    return readAll(file, { path, limit: options.limit });
  } catch (error) {
    // A disk, or a file of /proc, may refuse the read after it let the file be opened.
    throw systemCode(error) === undefined || error instanceof GateError ? error : unreadable(path, error);
  } finally {
    closeSync(file.descriptor);
  }
}

// One byte more than the limit is asked for, so that a file that grows meanwhile is noticed.
function readAll(file: OpenFile, { path, limit }: { readonly path: string; readonly limit: number }): Uint8Array {
  if (file.size > limit) {
    throw gateError('config-too-large', {
      blame: 'configuration',
      message: `the file has ${file.size} bytes, more than the ${limit} that are read`,
      remedy: 'check that this is the file that was meant',
      place: { file: path },
    });
  }
  const bytes = new Uint8Array(file.size + 1);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file.descriptor, bytes, filled, bytes.length - filled, null);
    if (count === 0) return bytes.subarray(0, filled);
    filled += count;
  }
  throw gateError('config-unreadable', {
    blame: 'configuration',
    message: 'the file grew while it was read',
    remedy: 'run again when nothing writes to it',
    place: { file: path },
  });
}

function openQuietly(path: string): number {
  try {
    // Without O_NONBLOCK a pipe that took the file's place would hold the process for ever.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(path, error);
  }
}
