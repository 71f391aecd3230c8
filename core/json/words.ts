import { decodedString } from './strings.js';
import { END, ESCAPED, FLAGS, START, type TapeView } from './tape.js';

/** Longer texts are seldom words. */
const LONGEST = 64;
/** Slots of the table; a power of two. */
const SLOTS = 512;

interface Word {
  /** Between the quotes. */
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** The words that were read last, each in the slot that its bytes give; one that falls into a taken slot replaces it. */
const table: (Word | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * What a string node stands for, as `decodedString` tells it; a word that stood somewhere before, such as the name of a
 * kind or of an algorithm, is found by its bytes, and is the same string again.
 */
export function decodedWord(tape: TapeView, node: number): string {
  const { bytes, words } = tape;
  const from = (words[node + START] as number) + 1;
  const length = (words[node + END] as number) - 1 - from;
  if (length === 0 || length > LONGEST || ((words[node + FLAGS] as number) & ESCAPED) !== 0)
    return decodedString(tape, node);
  const first = bytes[from] as number;
  const middle = bytes[from + (length >> 1)] as number;
  const last = bytes[from + length - 1] as number;
  const slot = (first + middle * 7 + last * 31 + length * 127) & (SLOTS - 1);
  const known = table[slot];
  if (known !== undefined && isAt(bytes, { from, length, word: known.bytes })) return known.text;
  const text = decodedString(tape, node);
  table[slot] = { bytes: Uint8Array.from(bytes.subarray(from, from + length)), text };
  return text;
}

function isAt(
  bytes: Uint8Array,
  { from, length, word }: { readonly from: number; readonly length: number; readonly word: Uint8Array },
): boolean {
  if (word.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== word[i]) return false;
  return true;
}
