import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'es-module-lexer/js';

/** Reads a source file; null when there is none, or none that can be read. The path is absolute. */
export type ReadSource = (path: string) => string | null;

/** More files than any agent is written in. */
const MAX_FILES = 5_000;

/**
 * The files that a module stands on, itself included, as far down as its imports lead; packages are left out. Null where that cannot be
 * known: `require`, an import whose path is worked out or mapped by package.json, a file that cannot be read.
 */
export function importsOf(module: string, read: ReadSource): ReadonlySet<string> | null {
  const files = new Set([module]);
  for (const file of files) {
    const found = files.size > MAX_FILES ? null : importedBy(file, read(file));
    if (found === null) return null;
    for (const one of found) files.add(one);
  }
  return files;
}

function importedBy(file: string, source: string | null): readonly string[] | null {
  if (file.endsWith('.json')) return [];
  if (source === null || /\b(?:require|createRequire)\s*\(/.test(source)) return null;
  const found: string[] = [];
  try {
    for (const one of parse(source)[0]) {
      if (one.type === 'import-meta') continue;
      const specifier = one.type === 'dynamic' && one.glob ? undefined : one.specifier;
      const path = specifier === undefined ? null : pathOf(specifier, file);
      if (path === null) return null;
      if (path !== 'package') found.push(path);
    }
    return found;
  } catch {
    return null;
  }
}

/** Where a specifier leads; `package` for what is installed, null for what only package.json knows. */
function pathOf(specifier: string, from: string): string | null {
  if (/^\.{1,2}\//.test(specifier)) return posix.join(posix.dirname(from), specifier.replace(/[?#].*$/, ''));
  if (specifier.startsWith('/')) return specifier;
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  return specifier.startsWith('#') ? null : 'package';
}
