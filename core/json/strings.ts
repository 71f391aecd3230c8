import { END, ESCAPED, FLAGS, START, type TapeView } from './tape.js';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The same bytes as a Buffer, without a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A byte range that is known to be ASCII, as text. */
export function asciiText(bytes: Uint8Array, range: Range): string {
  return bufferOf(bytes).toString('latin1', range.from, range.to);
}

/** A byte range as the text that it is in UTF-8, all of the bytes unless one is given; what is no UTF-8 becomes replacement characters. */
export function utf8Text(bytes: Uint8Array, range?: Range): string {
  return bufferOf(bytes).toString('utf8', range?.from, range?.to);
}

/** The text that a string node stands for, escapes resolved. */
export function decodedString(tape: TapeView, node: number): string {
  const { bytes, words } = tape;
  const from = words[node + START] as number;
  const to = words[node + END] as number;
  if (((words[node + FLAGS] as number) & ESCAPED) === 0) return utf8Text(bytes, { from: from + 1, to: to - 1 });
  // The scanner has proved that this is one JSON string without lone surrogates.
  return JSON.parse(utf8Text(bytes, { from, to })) as string;
}

/** The value of an ASCII hexadecimal digit, or -1. */
export function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
