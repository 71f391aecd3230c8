import { byCodePoint } from './code-points.js';
import { decodedString } from './strings.js';
import { COUNT_SHIFT, END, ESCAPED, FLAGS, NEXT, START, STRIDE, type TapeView } from './tape.js';

/** Below this many keys, comparing every pair is faster than building a set. */
const PAIRWISE_LIMIT = 12;

/**
 * Orders two keys by code point, which for UTF-8 is the order of the bytes. Escaped keys are decoded first,
 * so that `"\u0061"` and `"a"` are one key.
 */
export function compareKeys(tape: TapeView, pair: { readonly left: number; readonly right: number }): number {
  const { bytes, words } = tape;
  const { left, right } = pair;
  if ((((words[left + FLAGS] as number) | (words[right + FLAGS] as number)) & ESCAPED) !== 0)
    return byCodePoint(decodedString(tape, left), decodedString(tape, right));
  let a = (words[left + START] as number) + 1;
  let b = (words[right + START] as number) + 1;
  const aEnd = (words[left + END] as number) - 1;
  const bEnd = (words[right + END] as number) - 1;
  while (a < aEnd && b < bEnd) {
    const difference = (bytes[a++] as number) - (bytes[b++] as number);
    if (difference !== 0) return difference;
  }
  return aEnd - a - (bEnd - b);
}

/** The key nodes of an object, in the order of the file. */
export function keyNodes(tape: TapeView, object: number): number[] {
  const { words } = tape;
  const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
  // Plain arrays: for a handful of keys a typed array costs more to make than it saves.
  const keys: number[] = [];
  let key = object + STRIDE;
  for (let i = 0; i < count; i++) {
    keys.push(key);
    key = words[key + STRIDE + NEXT] as number;
  }
  return keys;
}

/** A key node of the object that repeats an earlier key, or -1. Linear for large objects, whatever the keys are. */
export function anyDuplicate(tape: TapeView, object: number): number {
  const keys = keyNodes(tape, object);
  return keys.length <= PAIRWISE_LIMIT ? pairwiseDuplicate(tape, keys) : setDuplicate(tape, keys);
}

function pairwiseDuplicate(tape: TapeView, keys: readonly number[]): number {
  const { bytes, words } = tape;
  for (let i = 1; i < keys.length; i++) {
    const right = keys[i] as number;
    const start = words[right + START] as number;
    const length = (words[right + END] as number) - start;
    const first = bytes[start + 1];
    const escaped = (words[right + FLAGS] as number) & ESCAPED;
    for (let j = 0; j < i; j++) {
      const left = keys[j] as number;
      const leftStart = words[left + START] as number;
      // An escape changes length and first byte, so only plain keys can be told apart by them.
      if ((escaped | ((words[left + FLAGS] as number) & ESCAPED)) === 0) {
        if ((words[left + END] as number) - leftStart !== length || bytes[leftStart + 1] !== first) continue;
      }
      if (compareKeys(tape, { left, right }) === 0) return right;
    }
  }
  return -1;
}

function setDuplicate(tape: TapeView, keys: readonly number[]): number {
  const seen = new Set<string>();
  for (const key of keys) {
    const text = decodedString(tape, key);
    if (seen.has(text)) return key;
    seen.add(text);
  }
  return -1;
}
