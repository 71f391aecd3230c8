import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';

/**
 * The bytes of a regular file that a call names; messages show `path` as it was given, relative to `folder`.
 * Throws GateError `input-missing`, `input-not-a-file` or `input-unreadable`, blame `unreadable`.
 */
export function readInputFile(path: string, folder: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer that may never come.
    descriptor = openSync(resolve(folder, path), constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw notAFile(path);
    return readFileSync(descriptor);
  } catch (error) {
    throw refusal(error, path, folder);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function refusal(error: unknown, path: string, folder: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = { file: path };
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') {
    const link = lstatSync(resolve(folder, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const message = link ? 'is a link to a file that does not exist' : 'does not exist';
    return gateError('input-missing', { blame: 'unreadable', message, remedy: 'check the path', place, cause: error });
  }
  // A socket or a device without a driver answers ENXIO to open.
  if (code === 'ENXIO' || code === 'EISDIR') return notAFile(path);
  if (error instanceof Error && 'syscall' in error)
    return gateError('input-unreadable', {
      blame: 'unreadable',
      message: `cannot be read (${String(code)})`,
      remedy: 'check its permissions',
      place,
      cause: error,
    });
  if (code === 'ERR_FS_FILE_TOO_LARGE')
    return gateError('json-too-large', {
      blame: 'unreadable',
      message: 'is larger than 2 GiB',
      remedy: 'name a smaller file',
      place,
      cause: error,
    });
  return error;
}

function notAFile(path: string): Error {
  return gateError('input-not-a-file', {
    blame: 'unreadable',
    message: 'is not a regular file',
    remedy: 'name a file, not a folder, a pipe or a device',
    place: { file: path },
  });
}
