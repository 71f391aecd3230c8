import { type ErrorCode, gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';

interface Known {
  readonly code: ErrorCode;
  readonly says: string;
  readonly remedy: string;
}

/** The system's codes that a user can mend, with what they mean for a store and what to do. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...entries(['ENOSPC', 'EDQUOT'], {
    code: 'store-full',
    says: 'no space is left for the runs folder, and nothing of this run was kept',
    remedy: 'free some space or choose another folder with --runs or DD_RUNS_DIR',
  }),
  ...entries(['EROFS', 'EACCES', 'EPERM'], {
    code: 'store-access',
    says: 'this user may not read or write here',
    remedy: 'give the user the right or choose another folder with --runs or DD_RUNS_DIR',
  }),
  ...entries(['ENOENT'], {
    code: 'store-missing',
    says: 'the runs folder, or something in it, is not there',
    remedy: 'check --runs or DD_RUNS_DIR, and that nothing removes it meanwhile',
  }),
  ...entries(['ELOOP', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENXIO'], {
    code: 'store-obstructed',
    says: 'something else stands where the store keeps its own',
    remedy: 'move it out of the runs folder',
  }),
]);

function entries(keys: readonly string[], known: Known): [string, Known][] {
  return keys.map((key) => [key, known]);
}

/** The `code` of a system error, such as `ENOSPC`; undefined for any other value, Node's own `ERR_…` included. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof GateError || !(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && !error.code.startsWith('ERR_') ? error.code : undefined;
}

/** Does a piece of work on `path` and explains its failure. */
export async function told<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, path);
  }
}

/** Turns a system error into a GateError `store-*`; every other value passes unchanged. */
export function explained(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const known = KNOWN.get(code);
  return gateError(known?.code ?? 'store-failed', {
    blame: 'configuration',
    message: `${known?.says ?? 'the system refused'} (${code})`,
    remedy: known?.remedy ?? 'check the disk of the runs folder, then run again',
    place: { file: error instanceof Error && 'path' in error ? String(error.path) : path },
    cause: error,
  });
}

/** Something that is not the store's stands in its place. */
export function obstructed(path: string, expected: string): GateError {
  return gateError('store-obstructed', {
    blame: 'configuration',
    message: `expected ${expected} here`,
    remedy: 'move what stands there out of the runs folder; links are not followed',
    place: { file: path },
  });
}
