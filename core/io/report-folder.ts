import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ReportFolder } from '../html/ports.js';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { type GateError, messageOf } from '../model/errors.js';

/** What a folder must hold, and may hold at its top, to be taken for an earlier report. */
export interface ReportMark {
  /** The file by which a report is known, and its exact text. */
  readonly file: string;
  readonly text: string;
  /** Every name at the top of a report. */
  readonly names: readonly string[];
}

const PIECE = 1 << 20;
/** Appended texts are gathered to this many characters before they are written. */
const GATHERED = 1 << 18;
const APPENDED = '.appended-';

/**
 * Opens a report folder beside its target. Throws GateError `report-folder-refused`, blame `caller`, when something other
 * than an earlier report stands there, and `output-unwritable` when nothing can be written.
 */
export function openReportFolder(
  target: { readonly path: string; readonly folder: string },
  mark: ReportMark,
): ReportFolder {
  const place = resolve(target.folder, target.path);
  let settled = false;
  const attempt = <Value>(step: () => Value): Value => {
    // What was given up must not come into being again by a write that was under way.
    if (settled) throw new Error('the report is closed');
    try {
      return step();
    } catch (error) {
      throw unwritable(target.path, error);
    }
  };
  refuseOthers(place, { shown: target.path, mark });
  const beside = attempt(() => makeBeside(place));
  const appended = new Appended(beside);
  return {
    write: (path, content) => attempt(() => writeFileSync(prepared(beside, path), content)),
    append: (name, text) => attempt(() => appended.add(name, text)),
    compose: (path, parts) => attempt(() => compose(prepared(beside, path), { parts, appended })),
    commit() {
      attempt(() => appended.remove());
      attempt(() => writeFileSync(join(beside, mark.file), mark.text));
      // Asked again: whatever came there while the report was made is nobody's to remove.
      refuseOthers(place, { shown: target.path, mark });
      attempt(() => takePlace(beside, place));
      settled = true;
    },
    discard() {
      if (settled) return;
      settled = true;
      appended.close();
      rmSync(beside, { recursive: true, force: true });
    },
  };
}

/** Keeps the folders apart that one process makes. */
let serial = 0;

/** A new folder beside another; a name of a process that ended long ago may be taken. */
function makeBeside(place: string): string {
  for (;;) {
    const folder = join(dirname(place), `.grounding-report.${process.pid}.${serial++}.tmp`);
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(folder);
    return folder;
  }
}

function prepared(folder: string, path: string): string {
  const file = join(folder, path);
  if (!file.startsWith(join(folder, sep))) throw new Error(`the path ${path} leads out of the report`);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** Texts that are written piece by piece, each to a file of its own within the folder that is not there yet. */
class Appended {
  readonly #folder: string;
  readonly #open = new Map<string, { readonly descriptor: number; gathered: string }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(name: string, text: string): void {
    const known = this.#open.get(name) ?? { descriptor: openSync(this.#file(name), 'wx'), gathered: '' };
    this.#open.set(name, known);
    known.gathered += text;
    if (known.gathered.length >= GATHERED) flush(known);
  }

  *pieces(name: string): Generator<Uint8Array> {
    const known = this.#open.get(name);
    if (known === undefined) return;
    flush(known);
    const descriptor = openSync(this.#file(name), 'r');
    try {
      const piece = Buffer.allocUnsafe(PIECE);
      for (let count = readSync(descriptor, piece); count > 0; count = readSync(descriptor, piece))
        yield piece.subarray(0, count);
    } finally {
      closeSync(descriptor);
    }
  }

  remove(): void {
    const names = [...this.#open.keys()];
    this.close();
    for (const name of names) rmSync(this.#file(name));
  }

  close(): void {
    for (const { descriptor } of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #file(name: string): string {
    return join(this.#folder, `${APPENDED}${name}`);
  }
}

function flush(to: { readonly descriptor: number; gathered: string }): void {
  writeAll(to.descriptor, Buffer.from(to.gathered));
  to.gathered = '';
}

function compose(
  file: string,
  { parts, appended }: { readonly parts: Parameters<ReportFolder['compose']>[1]; readonly appended: Appended },
): void {
  const descriptor = openSync(file, 'wx');
  try {
    for (const part of parts) {
      if (typeof part === 'string') writeAll(descriptor, Buffer.from(part));
      else for (const piece of appended.pieces(part.appended)) writeAll(descriptor, piece);
    }
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

/** Moves the earlier report aside first, since no system puts a folder in place of one that holds something. */
function takePlace(beside: string, place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return renameSync(beside, place);
  const aside = makeBeside(place);
  const earlier = join(aside, basename(place));
  renameSync(place, earlier);
  try {
    renameSync(beside, place);
  } catch (error) {
    renameSync(earlier, place);
    rmSync(aside, { recursive: true, force: true });
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** An empty folder is as good as none; anything but a report of ours stays as it is. */
function refuseOthers(place: string, { shown, mark }: { readonly shown: string; readonly mark: ReportMark }): void {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw refused(shown, 'is no folder');
  const names = readdirSync(place);
  if (names.length === 0) return;
  if (!isMarked(place, mark)) throw refused(shown, 'holds something that is no report');
  const strange = names.find((name) => !mark.names.includes(name));
  if (strange !== undefined) throw refused(shown, `holds ${JSON.stringify(strange)} beside a report`);
}

function isMarked(place: string, { file, text }: ReportMark): boolean {
  const path = join(place, file);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path, 'utf8') === text;
}

function refused(path: string, message: string): GateError<ErrorCode> {
  return gateError('report-folder-refused', {
    blame: 'caller',
    message,
    remedy: 'name a folder that does not exist, is empty, or holds an earlier report and nothing else',
    place: { file: path },
  });
}

function unwritable(path: string, error: unknown): GateError<ErrorCode> {
  const coded = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return gateError('output-unwritable', {
    blame: 'caller',
    message: `cannot be written (${coded ?? messageOf(error)})`,
    remedy: 'choose another folder, in one that exists and can be written',
    place: { file: path },
    cause: error,
  });
}
