import { OPEN_OBJECT } from './ascii.js';
import { keyNodes } from './keys.js';
import type { JsonNode } from './node.js';
import { ShapeFacts, shapeOf } from './shapes.js';
import { decodedString } from './strings.js';
import { NEXT, START, STRIDE, type TapeView } from './tape.js';

/** Asks the same of every key below a value; of keys that stood in one sequence before, the answer is known. */
export class KeysBelow {
  readonly #isFine: (key: string) => boolean;
  readonly #known = new ShapeFacts<boolean>();

  constructor(isFine: (key: string) => boolean) {
    this.#isFine = isFine;
  }

  /** Whether all keys are fine; also false when that is not quickly told: of keys that no document had, or of more than `most` objects. */
  areFine({ document, index }: JsonNode, most: number): boolean {
    const { bytes, words } = document;
    const after = words[index + NEXT] as number;
    let objects = 0;
    for (let at = index; at < after; at += STRIDE) {
      if (bytes[words[at + START] as number] !== OPEN_OBJECT) continue;
      objects++;
      if (objects > most || !this.#isFineAt(document, at)) return false;
    }
    return true;
  }

  #isFineAt(tape: TapeView, object: number): boolean {
    const known = this.#known.recall(tape, object);
    if (known !== undefined) return known;
    // Objects whose keys are not remembered may have any number of them.
    if (shapeOf(tape, object) === undefined) return false;
    const fine = keyNodes(tape, object).every((key) => this.#isFine(decodedString(tape, key)));
    this.#known.learn(tape, object, fine);
    return fine;
  }
}
