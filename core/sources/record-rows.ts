import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { placeInCopy } from './copy-place.js';
import type { CopySource } from './index-copy.js';
import { readRecord } from './read-record.js';
import type { RecordTable } from './record-table.js';

/** How much of a copy is read at once; a longer record is read alone. */
const WINDOW_BYTES = 1 << 20;

/** Consecutive records, from `first` on. Their texts are those of the file, and valid only until the next window is asked for. */
export interface RecordWindow {
  readonly first: number;
  readonly texts: readonly Uint8Array[];
}

/** The records of a copy in the order of its file, numbered from 0. */
export interface RecordRows {
  readonly count: number;
  /** All of them, window by window, in memory that does not grow with the copy. Their bytes are not held against the pin. */
  windows(): Generator<RecordWindow, void>;
  /** One of them, held against the pin, with its id; throws `source-record-changed`. */
  record(number: number): { readonly id: string; readonly node: JsonNode };
}

/** The rows of an indexed copy, read from the descriptor that was hashed. */
export function recordRows(source: CopySource, table: RecordTable): RecordRows {
  return {
    count: table.count,
    windows: () => windowsOf(source, table),
    record(number) {
      const node = readRecord(source, table.record(number));
      return { id: node.get(source.idField)?.string() ?? '', node };
    },
  };
}

function* windowsOf(source: CopySource, table: RecordTable): Generator<RecordWindow, void> {
  let buffer = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, Math.max(1, sizeOf(table))));
  for (let first = 0; first < table.count; ) {
    const { offset } = table.bounds(first);
    const bounds = boundsFrom(table, { first, most: buffer.length });
    const last = bounds.at(-1) ?? { offset, length: 0 };
    const size = last.offset + last.length - offset;
    if (size > buffer.length) buffer = Buffer.allocUnsafe(size);
    fill(source, { target: buffer.subarray(0, size), offset });
    yield {
      first,
      texts: bounds.map((one) => buffer.subarray(one.offset - offset, one.offset - offset + one.length)),
    };
    first += bounds.length;
  }
}

function sizeOf(table: RecordTable): number {
  if (table.count === 0) return 0;
  const last = table.bounds(table.count - 1);
  return last.offset + last.length - table.bounds(0).offset;
}

/** The bounds of as many records as fit into `most` bytes, and of one at least. */
function boundsFrom(table: RecordTable, { first, most }: { readonly first: number; readonly most: number }) {
  const start = table.bounds(first);
  const bounds = [start];
  for (let number = first + 1; number < table.count; number++) {
    const next = table.bounds(number);
    if (next.offset + next.length - start.offset > most) break;
    bounds.push(next);
  }
  return bounds;
}

function fill(source: CopySource, { target, offset }: { readonly target: Uint8Array; readonly offset: number }): void {
  let filled = 0;
  while (filled < target.length) {
    const count = source.copy.read(target.subarray(filled), offset + filled);
    if (count === 0)
      throw gateError('source-record-changed', {
        blame: 'configuration',
        message: 'the copy became shorter after its pin was checked',
        remedy: 'run again when nothing writes to it',
        place: placeInCopy(source.copy, { label: source.label, offset: 0 }),
      });
    filled += count;
  }
}
