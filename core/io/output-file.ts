import { openAtomicFile } from './atomic-file.js';

/**
 * Writes a file that appears whole or not at all: beside it, synced, then renamed over it. Throws GateError
 * `output-unwritable`, blame `caller`, and leaves what was there before.
 */
export function writeOutputFile(
  target: { readonly path: string; readonly folder: string },
  content: string | Uint8Array,
): void {
  const file = openAtomicFile(target);
  try {
    file.write(content);
    file.commit();
  } finally {
    file.discard();
  }
}
