import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';

/**
 * Writes a file that appears whole or not at all: beside it, synced, then renamed over it. Throws GateError
 * `output-unwritable`, blame `caller`, and leaves what was there before.
 */
export function writeOutputFile(
  target: { readonly path: string; readonly folder: string },
  content: string | Uint8Array,
): void {
  const file = resolve(target.folder, target.path);
  // The process id keeps two calls for one file apart; a name of its own is short enough beside the longest of names.
  const beside = join(dirname(file), `.grounding-output.${process.pid}.tmp`);
  let descriptor: number | undefined;
  let begun = false;
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('is not a regular file');
    descriptor = openSync(beside, 'wx', 0o666);
    begun = true;
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
    closeSync(descriptor);
    descriptor = undefined;
    renameSync(beside, file);
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    // What was not opened is not ours, and looking for it fails where opening it did.
    if (begun) rmSync(beside, { force: true });
    const why =
      error instanceof Error && 'code' in error
        ? String(error.code)
        : error instanceof Error
          ? error.message
          : String(error);
    throw gateError('output-unwritable', {
      blame: 'caller',
      message: `cannot be written (${why})`,
      remedy: 'choose another --output, in a folder that exists',
      place: { file: target.path },
      cause: error,
    });
  }
}
