import { posix } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { LoadedFiles } from './ports.js';

/** What a door holds in memory of a repository: files by their paths from its root, with `/`. */
export interface HeldSources {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Text that nobody outside this process can guess. */
  readonly secret: string;
}

/** sources.yaml and its copies out of memory; what is not held counts as missing, and no path leaves the repository. */
export function heldSourceFiles({ files, secret }: HeldSources): LoadedFiles {
  const bytesAt = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes !== undefined) return bytes;
    throw refusal('config-missing', { path, message: 'nothing has this path', remedy: 'check the path' });
  };
  return {
    readConfiguration: (path) => files.get(posix.normalize(path)) ?? null,
    locate({ sourcesPath, path }) {
      const named = posix.join(posix.dirname(sourcesPath), path);
      if (!posix.isAbsolute(path) && named !== '..' && !named.startsWith('../')) {
        bytesAt(named);
        return named;
      }
      const message = 'the path leads out of the repository';
      throw refusal('config-outside', { path, message, remedy: 'keep the file itself inside the repository' });
    },
    open(path) {
      const bytes = bytesAt(path);
      return {
        read(target, offset) {
          const part = bytes.subarray(offset, offset + target.length);
          target.set(part);
          return part.length;
        },
        close: () => undefined,
      };
    },
    secret: () => secret,
  };
}

function refusal(
  code: 'config-missing' | 'config-outside',
  { path, message, remedy }: { readonly path: string; readonly message: string; readonly remedy: string },
): GateError {
  return gateError(code, { blame: 'configuration', message, remedy, place: { file: path } });
}
