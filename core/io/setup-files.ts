import {
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';
import { isAbsence, systemCode } from './file-refusals.js';
import { makeFolders } from './make-folders.js';

/** Why nothing can be written in a folder, or in the nearest one above it that is there; null when it can be. It is tried. */
export function unwritableBecause(folder: string): string | null {
  let nearest = resolve(folder);
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    if (!statSync(nearest).isDirectory()) return `${nearest} is no folder`;
    rmSync(mkdtempSync(join(nearest, '.grounding-doctor-')), { recursive: true });
    return null;
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}

/** The workflows of a repository, by their path from its root; none where there are none. Throws the system's error. */
export function workflowFiles(root: string): readonly { readonly file: string; readonly bytes: Uint8Array }[] {
  const folder = join('.github', 'workflows');
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => ({ file: join(folder, name), bytes: readFileSync(join(root, folder, name)) }));
}

/** Whether anything has this path, a link that leads nowhere included. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** The regular files right in a folder; nothing when there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Writes a file that was not there, whole or not at all; false, and nothing is changed, when something has its path. */
export function writeNewFile(target: { readonly path: string; readonly folder: string }, text: string): boolean {
  const file = resolve(target.folder, target.path);
  if (isThere(file)) return false;
  try {
    makeFolders(dirname(file));
    const beside = mkdtempSync(join(dirname(file), '.grounding-init-'));
    try {
      writeFileSync(join(beside, 'new'), text, { flush: true });
      // Unlike a rename, a link never takes the place of a file that came in between.
      linkSync(join(beside, 'new'), file);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST' && isThere(file)) return false;
    throw gateError('output-unwritable', {
      blame: 'caller',
      message: `cannot be written (${systemCode(cause) ?? String(cause)})`,
      remedy: 'make the folder writable, and run it again: what is written already is left',
      place: { file: target.path },
      cause,
    });
  }
}
