import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';

/** The nearest ancestor of a folder, itself included, that holds `.git`; null when none does. `folder` is a real path. */
function repositoryOf(folder: string): string | null {
  let at = folder;
  while (!existsSync(join(at, '.git'))) {
    const parent = dirname(at);
    if (parent === at) return null;
    at = parent;
  }
  return at;
}

/**
 * Whether a file, there or not, lies in a checkout of a repository, or in a job's workspace, which is one even where it was
 * downloaded without `.git`: a pull request could have put the file there.
 */
export function isInCheckout(file: string): boolean {
  let folder = dirname(resolve(file));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  // A link may stand in a checkout and lead out of it, or the other way round: either way somebody else made it.
  const real = existsSync(file) ? realpathSync(file) : realpathSync(folder);
  const workspace = process.env['GITHUB_WORKSPACE'] ?? '';
  const isChecked = workspace !== '' && existsSync(workspace);
  return [folder, realpathSync(folder), real].some(
    (one) => repositoryOf(one) !== null || (isChecked && isWithin(one, realpathSync(workspace))),
  );
}

/** The folder that configuration in `folder` may not leave: its repository, else the folder itself (contract 6). */
export function confinementOf(folder: string): string {
  const real = realpathSync(folder);
  return repositoryOf(real) ?? real;
}

/** Whether a real path stands in a real folder. */
export function isWithin(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:)?[\\/]/.test(steps);
}

/** `config-outside`, naming the folder that was left. */
export function outside(path: string, folder: string): GateError {
  return gateError('config-outside', {
    blame: 'configuration',
    message: `the path, or a link on it, leads out of ${folder}`,
    remedy: 'keep the file itself inside the repository',
    place: { file: path },
  });
}
