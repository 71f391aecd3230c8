import { lstatSync, type Stats, statSync } from 'node:fs';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';

/** The status of a path, links followed; null when nothing has it. Throws `config-missing` for a dangling link. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if (!isAbsence(error)) throw unreadable(path, error);
  }
  if (!linkStands(path)) return null;
  throw gateError('config-missing', {
    blame: 'configuration',
    message: 'the link leads to nothing',
    remedy: 'point it at an existing file or remove it',
    place: { file: path },
  });
}

function linkStands(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether an error of node:fs says that nothing has the path. */
export function isAbsence(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** `config-not-a-file`, naming what stands there instead. */
export function notAFile(path: string, stats: Stats): GateError {
  return gateError('config-not-a-file', {
    blame: 'configuration',
    message: `this is ${kindOf(stats)}, a regular file was expected`,
    remedy: 'name a regular file',
    place: { file: path },
  });
}

/** `config-unreadable`, with the system's word for it. */
export function unreadable(path: string, error: unknown): GateError {
  return gateError('config-unreadable', {
    blame: 'configuration',
    message: `the file cannot be read (${systemCode(error) ?? 'unknown error'})`,
    remedy: 'check the path and its permissions',
    place: { file: path },
    cause: error,
  });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/** The code of a system error, such as `ENOENT`; undefined for any other. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
