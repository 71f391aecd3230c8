import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and the missing ones above it; does nothing when it is there. Throws the system's error. Node's own
 * recursive mkdir never returns below a folder that answers ENOENT to each new name, as /proc does.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  let nearest = resolve(path);
  for (; kindAt(nearest) === 'nothing'; nearest = dirname(nearest)) missing.push(nearest);
  if (missing.length === 0) makeOne(nearest);
  for (const folder of missing.reverse()) makeOne(folder);
}

/** Another process may have been faster; a file or a dangling link in the way is EEXIST. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (kindAt(folder) !== 'folder') throw error;
  }
}

function kindAt(path: string): 'folder' | 'other' | 'nothing' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  return stats.isDirectory() ? 'folder' : 'other';
}
