import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { FixtureFiles } from '../fixtures/ports.js';
import { gateError } from '../model/error-codes.js';
import { notAFile, statOrNull, unreadable } from './file-refusals.js';
import { readRegularFile } from './regular-file.js';
import { confinementOf, isWithin, outside } from './repository.js';

/** The largest fixture or expectation that is read, in bytes. */
const FIXTURE_BYTES_LIMIT = 64 * 1024 * 1024;

/** Names that promise a fixture or what is expected of it. */
const FIXTURE_NAME = /\.(json|expect\.ya?ml)$/;

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
      for (const name of namesIn(real, next)) {
        const path = sep === '/' ? join(next, name) : join(next, name).replaceAll(sep, '/');
        const kind = this.kindOf(path);
        if (kind === 'folder') waiting.push(path);
        else if (kind === 'file') found.push(path);
        else this.#refuseUnlisted(path, kind);
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

  // A fixture that is passed over in silence is a check that its author believes in and that never runs.
  #refuseUnlisted(path: string, kind: 'other' | 'missing'): void {
    const stats = kind === 'missing' ? null : statOrNull(this.#locate(path));
    if (stats === null)
      throw gateError('config-unreadable', {
        blame: 'configuration',
        message: 'the folder lists this name and nothing can be found under it',
        remedy: 'give it a name in UTF-8, and run again when nothing writes to the folder',
        place: { file: path },
      });
    if (FIXTURE_NAME.test(path)) throw notAFile(path, stats);
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

function namesIn(folder: string, path: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw unreadable(path, error);
  }
}
