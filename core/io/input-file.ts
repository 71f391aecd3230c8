import { gateError } from '../model/error-codes.js';
import { readRegularFile } from './regular-file.js';

/** The largest input that is read, in bytes: what one Node buffer takes without special builds. */
const INPUT_BYTES_LIMIT = 2 ** 31 - 2;

/**
 * The bytes of a regular file that a call names, by a path relative to the process's folder. Throws GateError
 * `input-missing`, `config-missing` for a dangling link, `config-not-a-file`, `config-too-large` or `config-unreadable`.
 */
export function readInputFile(path: string): Uint8Array {
  const bytes = readRegularFile(path, { limit: INPUT_BYTES_LIMIT });
  if (bytes !== null) return bytes;
  throw gateError('input-missing', {
    blame: 'unreadable',
    message: 'no such file',
    remedy: 'check the path',
    place: { file: path },
  });
}
