import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectFiles } from '../projects/ports.js';
import { makeFolders } from './make-folders.js';

/** The largest file of a project that is read: a document may be as large as an agent's reply. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The projects folder on disk, made when the first file is written. */
export function diskProjectFiles(root: string): ProjectFiles {
  return {
    async read(path) {
      const handle = await openPlain(join(root, path));
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        if (size > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES} bytes`);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
    async list(folder) {
      const names = await readdir(join(root, folder)).catch(absent);
      return names === null ? [] : names.sort();
    },
    async create(path, bytes) {
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

/** Whether a run stands whole in a runs folder: its folder appears there in one step. */
export function storedIn(runs: string): (invocationId: string) => Promise<boolean> {
  return (invocationId) =>
    access(join(runs, invocationId, 'envelope.json')).then(
      () => true,
      () => false,
    );
}

async function openPlain(path: string) {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(absent);
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
