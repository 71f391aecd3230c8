/**
 * Finds where the records of a copy begin and end, window by window, without reading them: what it cuts out is read by
 * the strict reader, which refuses whatever is not one JSON object.
 */

/** A record's bytes within the window, `to` exclusive. */
export interface RecordBounds {
  readonly from: number;
  readonly to: number;
}

/** Why the text between records is not that of a copy; `offset` is within the window. */
export interface BoundsFault {
  readonly code: 'json-syntax' | 'json-depth' | 'json-trailing' | 'source-record-shape';
  readonly offset: number;
  readonly reason: string;
}

/** What a finder says about the bytes from an offset on: a record, the need for more bytes, the end, or a fault. */
export type NextRecord =
  | ({ readonly kind: 'record' } & RecordBounds)
  /** Everything before `from` is done with. */
  | { readonly kind: 'more'; readonly from: number }
  | ({ readonly kind: 'fault' } & BoundsFault);

/** The valid bytes of a window; `last` when the file ends with them. */
export interface Window {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly last: boolean;
}

/** A finder of one of the two forms; it keeps its state between windows. */
export interface BoundsFinder {
  next(window: Window, from: number): NextRecord;
  /** What is wrong with a file that ends here, or null. */
  atEnd(): Omit<BoundsFault, 'offset'> | null;
}

const LINE_FEED = 0x0a;

/** JSON Lines: every line is a record, split on U+000A only, blank lines skipped (contract 1). */
export class LineBounds implements BoundsFinder {
  next(window: Window, start: number): NextRecord {
    let from = start;
    while (from < window.end) {
      const feed = window.bytes.indexOf(LINE_FEED, from);
      const found = feed !== -1 && feed < window.end;
      if (!found && !window.last) return { kind: 'more', from };
      const to = found ? feed : window.end;
      const first = skipSpace(window.bytes, { from, to });
      if (first < to) return { kind: 'record', from: first, to };
      from = to + 1;
    }
    return { kind: 'more', from: window.end };
  }

  atEnd(): null {
    return null;
  }
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The deepest nesting inside one record: the array around it is a level too (contract 1). */
const RECORD_DEPTH_LIMIT = 999;

type ArrayState = 'start' | 'first' | 'next' | 'after' | 'closed';

/** One JSON array of objects: each element is a record. */
export class ArrayBounds implements BoundsFinder {
  #state: ArrayState = 'start';

  next(window: Window, start: number): NextRecord {
    let at = start;
    for (;;) {
      at = skipSpace(window.bytes, { from: at, to: window.end });
      if (at === window.end) return { kind: 'more', from: at };
      const byte = window.bytes[at] ?? 0;
      if (byte === OPEN_OBJECT && (this.#state === 'first' || this.#state === 'next')) return this.#element(window, at);
      const fault = this.#punctuation(byte, at);
      if (fault !== null) return fault;
      at += 1;
    }
  }

  atEnd(): Omit<BoundsFault, 'offset'> | null {
    return this.#state === 'closed' ? null : { code: 'json-syntax', reason: 'the array is not closed' };
  }

  #punctuation(byte: number, offset: number): NextRecord | null {
    if (this.#state === 'start') this.#state = 'first';
    else if (this.#state === 'after' && byte === COMMA) this.#state = 'next';
    else if ((this.#state === 'after' || this.#state === 'first') && byte === CLOSE_ARRAY) this.#state = 'closed';
    else return { kind: 'fault', offset, ...this.#complaint(byte) };
    return null;
  }

  #complaint(byte: number): Omit<BoundsFault, 'offset'> {
    if (this.#state === 'closed') return { code: 'json-trailing', reason: 'something follows the end of the array' };
    if (this.#state === 'after') return { code: 'json-syntax', reason: "',' or ']' was expected" };
    if (byte === CLOSE_ARRAY || byte === COMMA) return { code: 'json-syntax', reason: 'an element was expected' };
    return { code: 'source-record-shape', reason: 'an element of the array is not an object' };
  }

  // Braces and brackets are counted alike: a wrong pair ends the cut early, and the strict reader refuses what was cut.
  #element(window: Window, from: number): NextRecord {
    const { bytes, end } = window;
    let depth = 0;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfString(bytes, { from: at, to: end });
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth += 1;
        if (depth > RECORD_DEPTH_LIMIT) {
          return { kind: 'fault', code: 'json-depth', offset: at, reason: 'more than 1000 levels of nesting' };
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        if (depth > 0) continue;
        this.#state = 'after';
        return { kind: 'record', from, to: at + 1 };
      }
    }
    // An unfinished element of the last window goes to the strict reader, which says what it lacks.
    if (window.last) return { kind: 'record', from, to: end };
    return { kind: 'more', from };
  }
}

/** The offset of the quote that closes a string, or `to` when it is not in the window. */
function endOfString(bytes: Uint8Array, { from, to }: RecordBounds): number {
  let at = from + 1;
  while (at < to) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return to;
}

/** The offset of the first byte that is not JSON white space, or `to`. */
export function skipSpace(bytes: Uint8Array, { from, to }: RecordBounds): number {
  let at = from;
  while (at < to) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
  return to;
}
