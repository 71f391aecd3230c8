import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FixtureFiles } from '../fixtures/ports.js';
import { gateError } from '../model/error-codes.js';
import { statOrNull } from './file-refusals.js';
import { readRegularFile } from './regular-file.js';
import { confinementOf, isWithin, outside } from './repository.js';

/** The largest fixture or expectation that is read, in bytes. */
const FIXTURE_BYTES_LIMIT = 64 * 1024 * 1024;

/** Fixtures on disk; relative paths start at `folder`, whose repository no link may leave. */
export function diskFixtureFiles(folder: string): FixtureFiles {
  const files = new DiskFixtureFiles(folder);
  return {
    kindOf: (path) => files.kindOf(path),
    list: (path) => files.list(path),
    read: (path) => files.read(path),
  };
}

class DiskFixtureFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = realpathSync(folder);
  }

  kindOf(path: string): 'file' | 'folder' | 'other' | 'missing' {
    const stats = statOrNull(this.#locate(path));
    if (stats === null) return 'missing';
    this.#refuseOutside(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'other';
  }

  list(folder: string): readonly string[] {
    const found: string[] = [];
    // Links may form a ring, so that each real folder is entered once.
    const entered = new Set<string>();
    const waiting = [folder.replace(/\/+$/, '') || '/'];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      this.#refuseOutside(next);
      const real = realpathSync(this.#locate(next));
      if (entered.has(real)) continue;
      entered.add(real);
      for (const name of readdirSync(real)) {
        const path = join(next, name).replaceAll('\\', '/');
        const kind = this.kindOf(path);
        if (kind === 'folder') waiting.push(path);
        if (kind === 'file') found.push(path);
      }
    }
    return found;
  }

  read(path: string): Uint8Array {
    const bytes = readRegularFile(this.#locate(path), { limit: FIXTURE_BYTES_LIMIT });
    if (bytes !== null) {
      this.#refuseOutside(path);
      return bytes;
    }
    throw gateError('config-missing', {
      blame: 'configuration',
      message: 'no such file',
      remedy: 'check the path',
      place: { file: path },
    });
  }

  #locate(path: string): string {
    return resolve(this.#folder, path);
  }

  // What stands below the folder's repository stays in it; a path elsewhere, which only a person can name, stays in its own.
  #refuseOutside(path: string): void {
    const located = this.#locate(path);
    const ours = confinementOf(this.#folder);
    const allowed = isWithin(located, ours) ? ours : confinementOf(dirname(located));
    if (!isWithin(realpathSync(located), allowed)) throw outside(path, allowed);
  }
}
