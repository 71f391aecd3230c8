import { basename, dirname, relative, resolve, sep } from 'node:path';
import { realPathOf } from '../io/file-lines.js';
import { GateError } from '../model/errors.js';
import { INDEX_FILE, isInvocationId, SCHEMAS_FOLDER } from '../store/index.js';
import type { Call } from './command.js';
import { usage } from './options.js';

const WRITTEN = ['output', 'cache'] as const;

/**
 * Refuses files that a call would write over the index of its archive, into a run or into the schemas, and one file for two
 * purposes: whoever checks an archive must not be able to break it by a slip. Throws GateError `usage`.
 */
export function refuseIntoArchive(call: Call, runs: string): void {
  const folder = realOf(resolve(call.world.cwd, runs));
  const targets = WRITTEN.flatMap((flag) => {
    const path = call.options.text(flag);
    return path === undefined ? [] : [{ flag, file: placeOf(resolve(call.world.cwd, path)) }];
  });
  for (const { flag, file } of targets) {
    const [first = ''] = relative(folder, file).split(sep);
    if (first === INDEX_FILE || first === SCHEMAS_FOLDER || isInvocationId(first))
      throw usage(`--${flag} is a file of the archive`, 'name a file elsewhere: nothing is written into an archive');
  }
  const [one, other] = targets;
  if (one !== undefined && one.file === other?.file)
    throw usage(`--${one.flag} and --${other.flag} name the same file`, 'give each its own');
}

/** Where a file will stand: a link in its own place is replaced, not followed. */
function placeOf(path: string): string {
  return resolve(realOf(dirname(path)), basename(path));
}

/** The real path of a folder, or the path where it has none: whoever opens it says what is wrong. */
function realOf(folder: string): string {
  try {
    return realPathOf(folder) ?? folder;
  } catch (error) {
    if (error instanceof GateError) return folder;
    throw error;
  }
}
