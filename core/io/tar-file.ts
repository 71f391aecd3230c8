import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { gateError } from '../model/error-codes.js';
import { GateError, messageOf } from '../model/errors.js';
import { TarEnding } from '../reverify/tar-ending.js';
import type { TarEntries, TarEntry } from '../reverify/tar-ports.js';

/** What comes out may be so many times what goes in: runs shrink ten- to fiftyfold, a bomb a thousandfold. */
const MAX_RATIO = 200;
/** So that a small archive is not refused for its padding. */
const RATIO_FREE_BYTES = 1 << 26;

/** The entries of a `.tar.gz` file; nothing is unpacked, and no name of it is ever a path. */
export function tarFile(path: string): TarEntries {
  return async function* entries(): AsyncGenerator<TarEntry> {
    // Opening a pipe would wait for its other end for ever.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw refusal(path, new Error('no regular file'));
    const file = createReadStream(path);
    const unzip = createGunzip();
    const tar = extract();
    const ending = new TarEnding();
    let out = 0;
    const fail = (error: unknown): void => void tar.destroy(refusal(path, error));
    file.on('error', fail);
    unzip.on('error', fail);
    unzip.on('data', (piece: Buffer) => {
      out += piece.length;
      ending.take(piece);
      if (out > RATIO_FREE_BYTES && out > file.bytesRead * MAX_RATIO) {
        file.destroy();
        unzip.destroy(new Error(`it grows more than ${MAX_RATIO}-fold when it is decompressed`));
      }
    });
    file.pipe(unzip).pipe(tar);
    try {
      for await (const entry of tar) {
        const { name, type, size } = entry.header;
        yield {
          path: name,
          kind: kindOf(name, type),
          size: size ?? 0,
          pieces: () => entry as AsyncIterable<Uint8Array>,
        };
        // What nobody asked for is read past: the next header stands behind it.
        entry.resume();
      }
      const fault = ending.fault();
      if (fault !== null) throw refusal(path, new Error(fault));
    } catch (error) {
      throw error instanceof GateError ? error : refusal(path, error);
    } finally {
      file.destroy();
      unzip.destroy();
      tar.destroy();
    }
  };
}

/** A file whose name ends in a slash is one to some programs and a folder to others. */
function kindOf(name: string, type: string | null | undefined): TarEntry['kind'] {
  if (type === 'file' || type === 'contiguous-file') return name.endsWith('/') ? 'other' : 'file';
  return type === 'directory' ? 'folder' : 'other';
}

function refusal(path: string, error: unknown): GateError {
  return gateError('tar-refused', {
    blame: 'unreadable',
    message: `not readable as a .tar.gz file: ${messageOf(error)}`,
    remedy: 'make it anew, as with `tar --sort=name -czf runs.tar.gz runs`',
    place: { file: path },
    cause: error,
  });
}
