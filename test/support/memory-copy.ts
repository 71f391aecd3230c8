import { createHash } from 'node:crypto';
import type { OpenCopy, SourceFiles } from '../../core/sources/index.js';

/** A copy in memory behind the real port; `bytes` may be changed after it was opened. */
export function memoryCopy(bytes: Uint8Array): OpenCopy {
  return {
    read: (target, offset) => {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
    close: () => undefined,
  };
}

/** Source files in memory: the sources file is `sources.yaml`, copies are named by their path. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): SourceFiles {
  const bytesOf = (path: string): Uint8Array => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content === undefined) throw new Error(`the test has no file ${path}`);
    return typeof content === 'string' ? new TextEncoder().encode(content) : content;
  };
  return {
    readConfiguration: (path) => (Object.hasOwn(files, path) ? bytesOf(path) : null),
    locate: ({ path }) => path,
    open: (path) => memoryCopy(bytesOf(path)),
    relativePath: ({ file }) => file,
    replaceConfiguration: () => {
      throw new Error('these files are only read');
    },
    secret: () => 'a secret of the test',
  };
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
