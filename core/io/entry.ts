import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs that this package starts as processes of their own. */
export type ChildEntry = 'agent-host' | 'schema-worker' | 'service-host' | 'reverify-worker' | 'tree-thread';

/**
 * Absolute path of a child program: beside the running bundle when it stands there, else in the package's build folder.
 * `from` is the folder of the running file; throws a plain Error when the package was never built.
 */
export function entryPath(name: ChildEntry, from: string = dirname(fileURLToPath(import.meta.url))): string {
  const file = `${name}.js`;
  const candidates = [join(bundleFolder(from), file), join(packageRoot(from), 'build', file)];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`no ${file} at ${candidates.join(' or ')}: run the package's build first`);
  return found;
}

/** Where this very program can be installed from. */
export interface OwnPackage {
  readonly root: string;
  /** `checkout` is a clone that can be packed, `installed` an unpacked package, `fetched` what npx took from a registry. */
  readonly kind: 'checkout' | 'installed' | 'fetched';
}

/** The package that the running file is of. */
export function ownPackage(from: string = dirname(fileURLToPath(import.meta.url))): OwnPackage {
  const root = packageRoot(from);
  if (root.split(/[\\/]/).includes('_npx')) return { root, kind: 'fetched' };
  return { root, kind: existsSync(join(root, 'scripts/build.mjs')) ? 'checkout' : 'installed' };
}

/** esbuild puts shared code into chunks/, one level below the entries. */
function bundleFolder(from: string): string {
  return basename(from) === 'chunks' ? dirname(from) : from;
}

/** Nearest ancestor with a package.json, so that the search never leaves this package. */
function packageRoot(from: string): string {
  let folder = from;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) return from;
    folder = parent;
  }
  return folder;
}
