import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { SealedFile } from '../reverify/merkle.js';
import { systemCode } from './file-refusals.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const PIECE = 1 << 18;
const piece = Buffer.allocUnsafe(PIECE);

/** The digest of what is no regular file: no file has it, so that a link in a file's place never agrees with a seal. */
const NO_FILE = 'no regular file';
const NOTHING = { size: 0, sha256: NO_FILE };

/** Every file below a folder, hashed, links not followed; what is no file stands there with a digest that none has. */
export function filesBelow(folder: string): readonly SealedFile[] {
  const found: SealedFile[] = [];
  const folders = [''];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = unlessLost(() => readdirSync(join(folder, at), { withFileTypes: true }));
    if (entries === undefined) found.push({ path: at, ...NOTHING });
    for (const entry of entries ?? []) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else
        found.push({ path, ...((entry.isFile() ? unlessLost(() => digestOf(join(folder, path))) : null) ?? NOTHING) });
    }
  }
  return found;
}

/** What a step finds; undefined when nothing has the name, or none that can be said: names need not be UTF-8. */
function unlessLost<Value>(step: () => Value): Value | undefined {
  try {
    return step();
  } catch (error) {
    if (LOST.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const LOST: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Size and SHA-256 of a file, or of its first `limit` bytes; undefined when nothing is there, or no file. */
export function digestOfFile(path: string, limit = Number.POSITIVE_INFINITY): Omit<SealedFile, 'path'> | undefined {
  return unlessLost(() => (lstatSync(path).isFile() ? digestOf(path, limit) : undefined));
}

/** The same for a file below a folder, which no link on the way may replace. */
export function digestBelow(
  folder: string,
  { path, limit }: { readonly path: string; readonly limit: number | undefined },
): Omit<SealedFile, 'path'> | undefined {
  const parts = path.split('/');
  const above = parts.slice(0, -1).map((_, at) => join(folder, ...parts.slice(0, at + 1)));
  const isStraight = above.every((one) => unlessLost(() => lstatSync(one).isDirectory()) === true);
  return isStraight ? digestOfFile(join(folder, path), limit) : undefined;
}

/** Throws GateError `run-file-refused` for what cannot be sealed. */
export function refuseOthers(folder: string, files: readonly SealedFile[]): readonly SealedFile[] {
  const strange = files.find(({ sha256 }) => sha256 === NO_FILE);
  if (strange !== undefined) throw unsealable(join(folder, strange.path));
  return files;
}

/** The refusal to seal what is not what it should be: a seal that left it out would look like a whole one. */
export function unsealable(file: string): GateError {
  return gateError('run-file-refused', {
    blame: 'unreadable',
    message: 'not what belongs there, and cannot be sealed: a link, a device, or a name that cannot be read',
    remedy: 'move it out of the runs folder',
    place: { file },
  });
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
