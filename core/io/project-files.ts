import { randomUUID } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { link, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectFiles } from '../projects/ports.js';
import { malformed } from '../projects/project.js';
import { underIndexLock } from '../store/index-lock.js';
import { newSession } from '../store/session.js';
import { makeFolders } from './make-folders.js';
import { readRegularFile } from './regular-file.js';
import { storeWorld } from './store-files.js';

/** The largest file of a project that is read: a document may be as large as an agent's reply. */
const MAX_BYTES = 32 * 1024 * 1024;

/** An envelope holds a reply of an agent and is indented. */
const MAX_ENVELOPE_BYTES = 4 * MAX_BYTES;

/** The projects folder on disk, made when the first file is written. */
export function diskProjectFiles(root: string): ProjectFiles {
  const shown = (path: string): string => join(root, path);
  return {
    shown,
    async alone(folder, work) {
      refuseLinks(root, join(folder, 'any'));
      const path = join(root, folder);
      makeFolders(path);
      return underIndexLock(newSession(storeWorld(), path), work);
    },
    async read(path) {
      refuseLinks(root, path);
      const handle = await openPlain(shown(path));
      if (handle === null) return null;
      try {
        const stats = await handle.stat();
        if (!stats.isFile() || stats.size > MAX_BYTES) throw malformed(shown(path));
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
    async list(folder) {
      refuseLinks(root, join(folder, 'any'));
      const names = await readdir(join(root, folder)).catch((error) => {
        if (codeOf(error) === 'ENOTDIR') throw malformed(shown(folder));
        return absent(error);
      });
      return names === null ? [] : names.sort();
    },
    async create(path, bytes) {
      refuseLinks(root, path);
      const target = join(root, path);
      const temporary = await writeBeside(target, bytes);
      try {
        // A link fails where something stands; a rename would take its place.
        await link(temporary, target);
        await syncFolder(dirname(target));
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async replace(path, bytes) {
      refuseLinks(root, path);
      const target = join(root, path);
      const temporary = await writeBeside(target, bytes);
      try {
        await rename(temporary, target);
        await syncFolder(dirname(target));
      } finally {
        await rm(temporary, { force: true });
      }
    },
    async remove(path) {
      await rm(join(root, path), { force: true });
    },
  };
}

/** The envelope of a run that stands whole in a runs folder, where it appears in one step. */
export function storedIn(runs: string): (invocationId: string) => Promise<Uint8Array | null> {
  return async (invocationId) =>
    readRegularFile(join(runs, invocationId, 'envelope.json'), { limit: MAX_ENVELOPE_BYTES });
}

/** Throws GateError `project-malformed` when a folder on the way to a file is none, but for the projects folder itself. */
function refuseLinks(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) throw malformed(join(root, folder));
  }
}

async function openPlain(path: string) {
  // Without O_NONBLOCK a pipe in the file's place would hold the process for ever.
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    if (['ELOOP', 'ENXIO', 'ENOTDIR'].includes(String(codeOf(error)))) throw malformed(path);
    return absent(error);
  });
}

async function writeBeside(target: string, bytes: Uint8Array): Promise<string> {
  makeFolders(dirname(target));
  const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
