import { type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { obstructed } from './failure.js';
import { isInvocationId } from './names.js';
import type { StoreFiles } from './world.js';

const LINE_FEED = 0x0a;

/** A longer index line is reported as unreadable instead of being gathered in memory. */
const MAX_LINE_BYTES = 1 << 28;

/** One line of `invocations.jsonl` without its line feed; `bytes` is null when it is longer than `MAX_LINE_BYTES`. */
export interface IndexLine {
  /** Counts from 1, blank lines included. */
  readonly line: number;
  /** Where the line begins in the file, in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array | null;
}

/** The lines of an index in order, blank ones left out; the last may lack its line feed. No lines when there is no file. */
export async function* indexLines(files: Pick<StoreFiles, 'kind' | 'pieces'>, path: string): AsyncGenerator<IndexLine> {
  for await (const lines of indexBatches(files, path)) yield* lines;
}

/** The same lines, as many at a time as one piece of the file completes: an index may have more lines than can be waited for. */
export async function* indexBatches(
  files: Pick<StoreFiles, 'kind' | 'pieces'>,
  path: string,
): AsyncGenerator<readonly IndexLine[]> {
  if (!(await isIndexThere(files, path))) return;
  let carried: Uint8Array[] = [];
  let carriedBytes = 0;
  let line = 1;
  let base = 0;
  let offset = 0;
  for await (const piece of files.pieces(path)) {
    let from = 0;
    const lines: IndexLine[] = [];
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, from)) {
      const whole =
        carriedBytes === 0
          ? piece.subarray(from, end)
          : joined([...carried, piece.subarray(from, end)], carriedBytes + end - from);
      if (whole === null || !isBlank(whole)) lines.push({ line, offset, bytes: whole });
      carried = [];
      carriedBytes = 0;
      from = end + 1;
      offset = base + from;
      line++;
    }
    const rest = piece.subarray(from);
    base += piece.byteLength;
    carriedBytes += rest.byteLength;
    carried = carriedBytes > MAX_LINE_BYTES ? [] : [...carried, rest];
    yield lines;
  }
  const last = joined(carried, carriedBytes);
  if (last === null || !isBlank(last)) yield [{ line, offset, bytes: last }];
}

/** The id that an index line is filed under, or null when the line cannot be read or names none. */
export function indexedId({ bytes }: IndexLine): string | null {
  const envelope = bytes === null ? null : readable(bytes);
  const id = envelope?.get('invocation_id')?.string();
  return id !== undefined && isInvocationId(id) ? id : null;
}

/** What became of the end of an index: nothing to mend, a half line cut off, or a whole line given its line feed. */
export type MendedEnding =
  | { readonly kind: 'sound' }
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'completed' };

/**
 * Mends an index that does not end in a line feed; the caller holds the index lock. Only what is provably a half line
 * is cut off: a document that is complete, whatever it says, gets its line feed instead.
 */
export async function mendEnding(files: StoreFiles, path: string): Promise<MendedEnding> {
  const { size, lastByte } = await files.ending(path);
  if (size === 0 || lastByte === LINE_FEED) return { kind: 'sound' };

  const start = await lastLineStart(files, path);
  if (size - start > MAX_LINE_BYTES || isComplete(await files.readFrom(path, start))) {
    await files.append(path, Uint8Array.of(LINE_FEED));
    return { kind: 'completed' };
  }
  await files.truncate(path, start);
  return { kind: 'cut', bytes: size - start };
}

/** Whether an index file exists; throws `store-obstructed` when something else stands in its place. */
export async function isIndexThere(files: Pick<StoreFiles, 'kind'>, path: string): Promise<boolean> {
  const kind = await files.kind(path);
  if (kind !== undefined && kind !== 'file') throw obstructed(path, 'the index, a regular file');
  return kind === 'file';
}

async function lastLineStart(files: StoreFiles, path: string): Promise<number> {
  let offset = 0;
  let start = 0;
  for await (const piece of files.pieces(path)) {
    const last = piece.lastIndexOf(LINE_FEED);
    if (last !== -1) start = offset + last + 1;
    offset += piece.byteLength;
  }
  return start;
}

/**
 * Whether the text is a JSON document from its first to its last character. The strict reader would be wrong here:
 * what it refuses, such as a doubled key, may still be complete, and this answer decides whether bytes are destroyed.
 */
function isComplete(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function readable(bytes: Uint8Array): JsonNode | null {
  try {
    return parseJson(bytes, { file: 'invocations.jsonl' });
  } catch (error) {
    if (error instanceof GateError) return null;
    throw error;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array | null {
  if (length > MAX_LINE_BYTES) return null;
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
