import { COUNT_SHIFT, END, ESCAPED, FLAGS, NEXT, START, STRIDE, type TapeView } from './tape.js';

/** Objects with more keys are rare, and their shapes would be large. */
const MAX_KEYS = 64;
const MAX_BYTES = 4096;
/** A power of two: a line of a span file alone holds three or four unsorted shapes, and kinds of lines alternate. */
const SLOTS = 64;

interface Shape<Fact> {
  readonly keys: Uint8Array;
  readonly count: number;
  readonly fact: Fact;
}

/**
 * Remembers key sequences of unsorted objects, with what was found out about each. Records of one kind share a few,
 * and comparing the key bytes is far cheaper than ordering them again. `Fact` is what was found out.
 */
export class ShapeCache<Fact = true> {
  readonly #shapes: (Shape<Fact> | undefined)[] = new Array(SLOTS).fill(undefined);

  /** What is known of an object's key sequence; undefined when it is not among those remembered. */
  recall(tape: TapeView, object: number): Fact | undefined {
    const { bytes, words } = tape;
    const shape = this.#shapes[slotOf(words, object)];
    const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
    if (shape === undefined || shape.count !== count) return undefined;
    const { keys } = shape;
    let at = 0;
    let key = object + STRIDE;
    for (let i = 0; i < count; i++) {
      const end = words[key + END] as number;
      // The quotes are compared too, so that no two sequences look alike.
      for (let p = words[key + START] as number; p < end; p++) if (keys[at++] !== bytes[p]) return undefined;
      key = words[key + STRIDE + NEXT] as number;
    }
    return at === keys.length ? shape.fact : undefined;
  }

  /** Remembers the object's key sequence with `fact`; escaped, long or large sequences are left alone. */
  learn(tape: TapeView, object: number, fact: Fact): void {
    const { bytes, words } = tape;
    const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
    if (count > MAX_KEYS) return;
    const held: number[] = [];
    let key = object + STRIDE;
    for (let i = 0; i < count; i++) {
      const end = words[key + END] as number;
      const from = words[key + START] as number;
      if (((words[key + FLAGS] as number) & ESCAPED) !== 0 || held.length + end - from > MAX_BYTES) return;
      for (let p = from; p < end; p++) held.push(bytes[p] as number);
      key = words[key + STRIDE + NEXT] as number;
    }
    this.#shapes[slotOf(words, object)] = { keys: Uint8Array.from(held), count, fact };
  }
}

/** Shapes are told apart by the lengths of their first keys; a collision costs time, never a wrong answer. */
function slotOf(words: Int32Array, object: number): number {
  const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
  let hash = count;
  let key = object + STRIDE;
  for (let i = 0; i < count && i < 8; i++) {
    hash = (hash * 31 + (words[key + END] as number) - (words[key + START] as number)) | 0;
    key = words[key + STRIDE + NEXT] as number;
  }
  return (hash ^ (hash >>> 7)) & (SLOTS - 1);
}
