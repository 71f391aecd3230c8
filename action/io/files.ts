import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ActionFiles } from '../world.js';

/** Larger files are not read into memory: none that the Action looks at has a reason to be. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** The job's disk. */
export const diskFiles: ActionFiles = {
  read(path) {
    const stats = statSync(path, { throwIfNoEntry: false });
    // A pipe or a device would keep the job waiting.
    if (stats === undefined || !stats.isFile() || stats.size > MOST_BYTES) return null;
    return readFileSync(path);
  },
  write(path, bytes) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  },
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
  makeTemporary(parent) {
    const folder = join(parent, `grounding-${randomBytes(6).toString('hex')}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  },
  list: (folder) => filesBelow(folder),
  realPath: (path) => (existsSync(path) ? realpathSync(path) : path),
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
};

function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const path = join(folder, at);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(name);
      if (entry.isFile()) found.push(name);
    }
  }
  return found.sort();
}
