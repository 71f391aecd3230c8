import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { JsonNode } from '../json/index.js';
import { Scanner } from '../json/scan.js';
import { ScanFailure } from '../json/scan-failure.js';
import { END, START } from '../json/tape.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { placeInCopy } from './copy-place.js';
import { firstInvalidByte } from './first-invalid-byte.js';
import type { OpenCopy } from './ports.js';
import { readRecord } from './read-record.js';
import { ArrayBounds, type BoundsFinder, LineBounds, type RecordBounds, skipSpace } from './record-bounds.js';
import { type IdTag, type Probe, RecordTable } from './record-table.js';

/** A copy that is being indexed or asked. */
export interface CopySource {
  readonly copy: OpenCopy;
  /** Its path as messages name it. */
  readonly label: string;
  readonly idField: string;
  /** Keys the hash of ids, so that nobody can choose ids that collide. */
  readonly secret: string;
  /** How much is read at once, at least 64 bytes; tests make it small. */
  readonly windowBytes?: number;
}

/** What one pass over a copy found; `fault` is why it cannot serve, if it cannot. */
export interface CopyIndex {
  /** SHA-256 of every byte of the file, whatever the fault. */
  readonly sha256: string;
  readonly table: RecordTable;
  readonly fault: GateError | null;
}

/** The largest single record, in bytes; everything else is read in windows. */
export const RECORD_BYTES_LIMIT = 64 * 1024 * 1024;

const WINDOW_BYTES = 1 << 20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const LFS_POINTER = Buffer.from('version https://git-lfs.');
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Hashes and indexes a copy in one pass over its bytes (contract 6): what the index describes is what was hashed. */
export function indexCopy(source: CopySource): CopyIndex {
  return new Indexer(source).run();
}

/** The keyed hash by which the table finds an id. */
export function tagOf(id: string, secret: string): IdTag {
  const digest = hash('sha256', secret + id, 'binary');
  return { slot: wordAt(digest, 0), check: wordAt(digest, 4) };
}

function wordAt(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 8) | digest.charCodeAt(at + 1);
  const low = (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
  return ((high << 16) | low) >>> 0;
}

class Indexer {
  readonly #source: CopySource;
  readonly #table = new RecordTable();
  readonly #scanner = new Scanner();
  #window: Buffer<ArrayBuffer>;
  /** Valid bytes of the window. */
  #end = 0;
  /** Offset in the file of the window's first byte. */
  #base = 0;
  #last = false;
  #finder: BoundsFinder | null = null;

  constructor(source: CopySource) {
    this.#source = source;
    this.#window = Buffer.allocUnsafe(source.windowBytes ?? WINDOW_BYTES);
  }

  run(): CopyIndex {
    const digest = createHash('sha256');
    let fault: GateError | null = null;
    while (!this.#last) {
      digest.update(this.#fill());
      // After a fault the rest is only hashed: whether this is the pinned file at all is worth knowing first.
      const done: number | GateError = fault === null ? this.#tryConsume() : this.#end;
      if (typeof done !== 'number') fault = done;
      this.#shift(typeof done === 'number' ? done : this.#end);
    }
    return { sha256: digest.digest('hex'), table: this.#table, fault };
  }

  /** Fills the window up; returns the new bytes. */
  #fill(): Uint8Array {
    const from = this.#end;
    while (!this.#last && this.#end < this.#window.length) {
      const count = this.#source.copy.read(this.#window.subarray(this.#end), this.#base + this.#end);
      this.#last = count === 0;
      this.#end += count;
    }
    return this.#window.subarray(from, this.#end);
  }

  #shift(done: number): void {
    this.#window.copyWithin(0, done, this.#end);
    this.#base += done;
    this.#end -= done;
    if (this.#end < this.#window.length) return;
    const larger = Buffer.allocUnsafe(this.#window.length * 2);
    larger.set(this.#window);
    this.#window = larger;
  }

  #tryConsume(): number | GateError {
    try {
      return this.#consume();
    } catch (error) {
      if (error instanceof ScanFailure) return this.#refusal(error);
      throw error;
    }
  }

  /** Takes every whole record of the window; returns how many of its bytes are done with. */
  #consume(): number {
    let at = this.#finder === null ? this.#begin() : 0;
    const finder = this.#finder;
    if (finder === null) return at;
    const window = { bytes: this.#window, end: this.#end, last: this.#last };
    for (;;) {
      const next = finder.next(window, at);
      if (next.kind === 'fault') throw new ScanFailure(next.code, next.offset, next.reason);
      if (next.kind === 'record') {
        this.#take(next);
        at = next.to;
        continue;
      }
      this.#checkText(next.from);
      this.#checkEnd(finder, next.from);
      return next.from;
    }
  }

  /** Looks at the first bytes and chooses the form; returns how many of them are white space. */
  #begin(): number {
    if (this.#base === 0) this.#refuseOtherFiles();
    const first = skipSpace(this.#window, { from: 0, to: this.#end });
    if (first < this.#end) this.#finder = this.#window[first] === OPEN_ARRAY ? new ArrayBounds() : new LineBounds();
    else if (this.#last) throw new ScanFailure('json-empty', 0, 'the copy holds no record');
    return first;
  }

  #refuseOtherFiles(): void {
    if (BYTE_ORDER_MARK.every((byte, at) => this.#window[at] === byte)) {
      throw new ScanFailure('json-encoding', 0, 'the file begins with a byte order mark');
    }
    if (this.#window.subarray(0, Math.min(LFS_POINTER.length, this.#end)).equals(LFS_POINTER)) {
      throw new ScanFailure('source-lfs-pointer', 0, 'this is a Git LFS pointer, the file itself was not fetched');
    }
  }

  #take(bounds: RecordBounds): void {
    const bytes = this.#window;
    const root = this.#scanner.scan(bytes, bounds);
    const { words } = this.#scanner;
    const from = words[root + START] ?? 0;
    const to = words[root + END] ?? 0;
    if (bytes[from] !== OPEN_OBJECT) throw new ScanFailure('source-record-shape', from, 'the record is not an object');
    const id = this.#idOf(words, root);
    if (id === undefined) {
      throw new ScanFailure(
        'source-record-id',
        from,
        `the record has no string under ${JSON.stringify(this.#source.idField)}`,
      );
    }
    const tag = tagOf(id, this.#source.secret);
    this.#refuseDuplicate({ id, tag, from });
    const digest = hash('sha256', bytes.subarray(from, to), 'binary');
    this.#table.add(tag, { offset: this.#base + from, length: to - from, digest });
  }

  #idOf(words: Int32Array, root: number): string | undefined {
    const origin = { file: this.#source.label, firstLine: 1 };
    return JsonNode.root({ bytes: this.#window, words, root, from: 0, origin }).get(this.#source.idField)?.string();
  }

  // Records that share a tag are read and compared, so that a collision is not taken for a double, nor a double missed.
  #refuseDuplicate({ id, tag, from }: { readonly id: string; readonly tag: IdTag; readonly from: number }): void {
    const probe: Probe = { step: 0 };
    for (let found = this.#table.find(tag, probe); found !== -1; found = this.#table.find(tag, probe)) {
      const earlier = this.#table.record(found);
      if (readRecord(this.#source, earlier).get(this.#source.idField)?.string() !== id) continue;
      const { line } = placeInCopy(this.#source.copy, { label: this.#source.label, offset: earlier.offset });
      throw new ScanFailure('source-duplicate-id', from, `the id ${JSON.stringify(id)} stands on line ${line} already`);
    }
  }

  #checkText(done: number): void {
    const bytes = this.#window.subarray(0, done);
    if (isUtf8(bytes)) return;
    throw new ScanFailure('json-encoding', firstInvalidByte(bytes), 'the bytes are not UTF-8');
  }

  #checkEnd(finder: BoundsFinder, from: number): void {
    if (this.#end - from >= RECORD_BYTES_LIMIT) {
      throw new ScanFailure('source-record-too-large', from, `a record has more than ${RECORD_BYTES_LIMIT} bytes`);
    }
    const fault = this.#last ? finder.atEnd() : null;
    if (fault !== null) throw new ScanFailure(fault.code, this.#end, fault.reason);
  }

  #refusal(failure: ScanFailure): GateError {
    const { copy, label } = this.#source;
    return gateError(failure.code, {
      blame: 'configuration',
      message: failure.reason,
      remedy: REMEDIES.get(failure.code) ?? 'mend the copy at this place, then pin it again',
      place: placeInCopy(copy, { label, offset: this.#base + failure.offset }),
    });
  }
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['source-lfs-pointer', 'fetch it with `git lfs pull`'],
  ['source-duplicate-id', 'keep one of the two records, then pin the copy again'],
  ['source-record-id', 'name as id_field a member that every record has as a string, or give every record one'],
  ['source-record-shape', 'write one object a line, or one array of objects'],
  ['json-encoding', 'save the copy as UTF-8 without a byte order mark, then pin it again'],
]);
