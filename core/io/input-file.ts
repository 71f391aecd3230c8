import { gateError } from '../model/error-codes.js';
import { unreadable } from './file-refusals.js';
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

/** What a call names as its input, `-` for standard input, and what messages call it; rejects as the two readers refuse. */
export async function readInput(path: string): Promise<{ readonly file: string; readonly bytes: Uint8Array }> {
  // As with other programs; a file of this name is `./-`.
  if (path === '-') return { file: STANDARD_INPUT, bytes: await readStandardInput() };
  return { file: path, bytes: readInputFile(path) };
}

/** All that standard input holds; rejects with GateError `config-too-large` or `config-unreadable`. */
async function readStandardInput(): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of process.stdin) {
      pieces.push(piece);
      size += piece.length;
      if (size > INPUT_BYTES_LIMIT) break;
    }
  } catch (error) {
    throw unreadable(STANDARD_INPUT, error);
  }
  if (size <= INPUT_BYTES_LIMIT) return Buffer.concat(pieces);
  throw gateError('config-too-large', {
    blame: 'configuration',
    message: `standard input holds more than the ${INPUT_BYTES_LIMIT} bytes that are read`,
    remedy: 'check that this is the document that was meant',
    place: { file: STANDARD_INPUT },
  });
}

/** What messages call it. */
const STANDARD_INPUT = '<stdin>';
