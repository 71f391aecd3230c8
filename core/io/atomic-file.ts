import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';

/** Text is gathered to this many characters before it is written. */
const PIECE = 1 << 18;

/** A file that is written piece by piece and appears whole or not at all. */
export interface AtomicFile {
  write(text: string): void;
  /** Puts the file in place of what was there; throws GateError `output-unwritable`. */
  commit(): void;
  /** Leaves what was there before; does nothing after `commit`. */
  discard(): void;
}

/** Opens a file beside its target; every method but `discard` throws GateError `output-unwritable`, blame `caller`. */
export function openAtomicFile(target: { readonly path: string; readonly folder: string }): AtomicFile {
  const file = resolve(target.folder, target.path);
  // The process id keeps two calls for one file apart.
  const beside = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  const attempt = <Value>(step: () => Value): Value => {
    try {
      return step();
    } catch (error) {
      throw unwritable(target.path, error);
    }
  };
  let descriptor: number | undefined = attempt(() => {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('is not a regular file');
    return openSync(beside, 'wx', 0o666);
  });
  let gathered = '';
  const flush = (): void => {
    if (descriptor === undefined) throw new Error('the file is closed');
    const bytes = Buffer.from(gathered, 'utf8');
    gathered = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  };
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    write(text) {
      gathered += text;
      if (gathered.length >= PIECE) attempt(flush);
    },
    commit: () =>
      attempt(() => {
        flush();
        if (descriptor !== undefined) fsyncSync(descriptor);
        close();
        renameSync(beside, file);
      }),
    discard() {
      if (descriptor === undefined) return;
      close();
      rmSync(beside, { force: true });
    },
  };
}

function unwritable(path: string, error: unknown): GateError {
  const coded = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return gateError('output-unwritable', {
    blame: 'caller',
    message: `cannot be written (${coded ?? (error instanceof Error ? error.message : String(error))})`,
    remedy: 'name a file in a folder that exists and can be written',
    place: { file: path },
    cause: error,
  });
}
