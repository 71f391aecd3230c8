import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { SealedFile } from '../reverify/merkle.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PIECE = 1 << 18;
const piece = Buffer.allocUnsafe(PIECE);

/** The digest of what is no regular file: no file has it, so that a link in a file's place never agrees with a seal. */
const NO_FILE = 'no regular file';

/** Every file below a folder, hashed, links not followed; what is no file stands there with a digest that none has. */
export function filesBelow(folder: string): readonly SealedFile[] {
  const found: SealedFile[] = [];
  const folders = [''];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else found.push({ path, ...(entry.isFile() ? digestOf(join(folder, path)) : { size: 0, sha256: NO_FILE }) });
    }
  }
  return found;
}

/** Size and SHA-256 of a file, or of its first `limit` bytes; undefined when nothing is there, or no file. */
export function digestOfFile(path: string, limit = Number.POSITIVE_INFINITY): Omit<SealedFile, 'path'> | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? digestOf(path, limit) : undefined;
}

/** Throws GateError `run-file-refused` for what cannot be sealed. */
export function refuseOthers(folder: string, files: readonly SealedFile[]): readonly SealedFile[] {
  for (const { path, sha256 } of files)
    if (sha256 === NO_FILE)
      throw gateError('run-file-refused', {
        blame: 'unreadable',
        message: 'no regular file, which cannot be sealed',
        remedy: 'move it out of the runs folder',
        place: { file: join(folder, path) },
      });
  return files;
}

function digestOf(path: string, limit = Number.POSITIVE_INFINITY): Omit<SealedFile, 'path'> {
  const descriptor = openSync(path, READ);
  try {
    const digest = createHash('sha256');
    let size = 0;
    while (size < limit) {
      const count = readSync(descriptor, piece, 0, Math.min(PIECE, limit - size), null);
      if (count === 0) break;
      digest.update(piece.subarray(0, count));
      size += count;
    }
    return { size, sha256: digest.digest('hex') };
  } finally {
    closeSync(descriptor);
  }
}
