import { keyNodes } from './keys.js';
import { COUNT_SHIFT, END, ESCAPED, FLAGS, NEXT, START, STRIDE, type TapeView } from './tape.js';

/** Objects with more keys are rare, and their shapes would be large. */
const MAX_KEYS = 64;
const MAX_BYTES = 4096;

/**
 * Remembers the key sequence of the last unsorted object, with what was found out about it. Records of one kind
 * share it, and comparing the key bytes is far cheaper than ordering them again. `Fact` is what was found out.
 */
export class ShapeCache<Fact = true> {
  readonly #keys = new Uint8Array(MAX_BYTES);
  #length = 0;
  #count = -1;
  #fact: Fact | undefined;

  /** What is known of an object's key sequence; undefined when it is not the remembered one. */
  recall(tape: TapeView, object: number): Fact | undefined {
    const { bytes, words } = tape;
    const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
    if (count !== this.#count) return undefined;
    const keys = this.#keys;
    let at = 0;
    let key = object + STRIDE;
    for (let i = 0; i < count; i++) {
      const end = words[key + END] as number;
      // The quotes are compared too, so that no two sequences look alike.
      for (let p = words[key + START] as number; p < end; p++) if (keys[at++] !== bytes[p]) return undefined;
      key = words[key + STRIDE + NEXT] as number;
    }
    return at === this.#length ? this.#fact : undefined;
  }

  /** Remembers the object's key sequence with `fact`; escaped, long or large sequences are left alone. */
  learn(tape: TapeView, object: number, fact: Fact): void {
    const { bytes, words } = tape;
    const count = (words[object + FLAGS] as number) >> COUNT_SHIFT;
    if (count > MAX_KEYS) return;
    this.#count = -1;
    let at = 0;
    for (const key of keyNodes(tape, object)) {
      const from = words[key + START] as number;
      const to = words[key + END] as number;
      if (((words[key + FLAGS] as number) & ESCAPED) !== 0 || at + to - from > MAX_BYTES) return;
      this.#keys.set(bytes.subarray(from, to), at);
      at += to - from;
    }
    this.#length = at;
    this.#count = count;
    this.#fact = fact;
  }
}
