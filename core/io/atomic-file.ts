import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';
import { type GateError, messageOf } from '../model/errors.js';
import { systemCode } from './file-refusals.js';

/** Pieces are gathered to this many bytes before they are written. */
const GATHERED_BYTES = 1 << 18;

/** Keeps the files apart that one process writes at a time. */
let serial = 0;

/** A file that is written piece by piece and appears whole or not at all. */
export interface AtomicFile {
  write(piece: string | Uint8Array): void;
  /** Puts the file in place of what was there; throws GateError `output-unwritable`. */
  commit(): void;
  /** Leaves what was there before; does nothing after `commit`. */
  discard(): void;
}

/** Opens a file beside its target; every method but `discard` throws GateError `output-unwritable`, blame `caller`. */
export function openAtomicFile(target: { readonly path: string; readonly folder: string }): AtomicFile {
  const file = resolve(target.folder, target.path);
  const attempt = <Value>(step: () => Value): Value => {
    try {
      return step();
    } catch (error) {
      throw unwritable(target.path, error);
    }
  };
  const opened = attempt(() => {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('is not a regular file');
    return openBeside(dirname(file));
  });
  const { beside } = opened;
  let descriptor: number | undefined = opened.descriptor;
  let settled = false;
  let gathered: Uint8Array[] = [];
  let size = 0;
  const flush = (): void => {
    if (descriptor === undefined) throw new Error('the file is closed');
    const bytes = Buffer.concat(gathered);
    gathered = [];
    size = 0;
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    write(piece) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
      gathered.push(bytes);
      size += bytes.byteLength;
      if (size >= GATHERED_BYTES) attempt(flush);
    },
    commit: () =>
      attempt(() => {
        flush();
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        renameSync(beside, file);
        settled = true;
      }),
    discard() {
      if (settled) return;
      settled = true;
      close();
      rmSync(beside, { force: true });
    },
  };
}

/**
 * Makes a file that is nobody's yet. The process id keeps two calls apart, but in a container it is the same every time: one
 * that was killed may have left its file, and another may be writing. The name is short beside the longest of names.
 */
function openBeside(folder: string): { readonly beside: string; readonly descriptor: number } {
  for (let tries = 0; ; tries++) {
    const beside = join(folder, `.grounding-output.${process.pid}.${serial++}.tmp`);
    try {
      return { beside, descriptor: openSync(beside, 'wx', 0o666) };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || tries === MOST_TRIES) throw error;
    }
  }
}

/** So many files that were left behind are stepped over. */
const MOST_TRIES = 1000;

function unwritable(path: string, error: unknown): GateError {
  const coded = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return gateError('output-unwritable', {
    blame: 'caller',
    message: `cannot be written (${coded ?? messageOf(error)})`,
    remedy: 'choose another file, in a folder that exists and can be written',
    place: { file: path },
    cause: error,
  });
}
