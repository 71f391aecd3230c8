import { realpathSync, statSync } from 'node:fs';
import { gateError } from '../model/error-codes.js';
import { type IndexLine, indexLines } from '../store/index.js';
import { archiveFiles } from './archive-files.js';
import { isAbsence, notAFile, unreadable } from './file-refusals.js';

/**
 * The lines of a JSON Lines file that a call names, read in pieces; blank lines are left out. Throws GateError
 * `input-missing`, `config-unreadable` or `config-not-a-file`.
 */
export async function* fileLines(path: string): AsyncGenerator<IndexLine> {
  const real = realPathOf(path);
  if (real === null)
    throw gateError('input-missing', {
      blame: 'unreadable',
      message: 'no such file',
      remedy: 'check the path',
      place: { file: path },
    });
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw notAFile(path, stats);
  yield* indexLines(archiveFiles(), real);
}

/** The real path of a file; null when nothing has it. Throws `config-unreadable`. */
export function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw unreadable(path, error);
  }
}
