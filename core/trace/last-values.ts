import type { JsonNode } from '../json/index.js';
import { END, NEXT, START, STRIDE } from '../json/tape.js';
import type { KeyEntry } from './dialects/index-table.js';
import type { Recognition } from './recognition.js';

const LETTER_N = 0x6e;
/** Longer values are seldom said twice, and are not worth a copy. */
const LONGEST = 512;

/** What the keys of a span's attributes tell, as far as it is asked here. */
interface TellingKeys {
  readonly entries: readonly KeyEntry[];
  readonly positions: readonly number[];
}

/** One span's attributes, of which the table knows some; undefined when it knows none. */
interface Told {
  readonly attributes: JsonNode | undefined;
  readonly plan: TellingKeys;
}

/**
 * Remembers one span's name and telling values, for spans whose attributes have the same keys: the next one mostly
 * says the same, which a comparison of bytes shows without making a string.
 */
export class LastValues {
  #name: string | undefined;
  /** The bytes of each telling value; of one that only has to be there, nothing, and `n` for a null. */
  #values: readonly Uint8Array[] = [];
  #found: Recognition | undefined;

  /** What was learnt, when the name and every telling value are those of the span before. */
  recall(name: string, { attributes, plan }: Told): Recognition | undefined {
    if (this.#found === undefined || name !== this.#name) return undefined;
    if (plan.entries.length === 0) return this.#found;
    return attributes !== undefined && this.#sameValues(attributes, plan) ? this.#found : undefined;
  }

  /** Keeps a copy, so that no file is held in memory by what was said in it. */
  learn(name: string, { attributes, plan, found }: Told & { readonly found: Recognition }): void {
    const values = plan.entries.length === 0 ? [] : valuesOf(attributes, plan);
    this.#found = values === undefined || name.length > LONGEST ? undefined : found;
    this.#name = this.#found === undefined ? undefined : name;
    this.#values = values ?? [];
  }

  #sameValues({ document: { bytes, words }, index }: JsonNode, { entries, positions }: TellingKeys): boolean {
    let at = index + STRIDE;
    let member = 0;
    for (let i = 0; i < positions.length; i++) {
      for (const position = positions[i] as number; member < position; member++)
        at = words[at + STRIDE + NEXT] as number;
      const value = this.#values[i] as Uint8Array;
      const from = words[at + STRIDE + START] as number;
      if (entries[i]?.valued !== true) {
        if ((bytes[from] === LETTER_N) !== value.length > 0) return false;
        continue;
      }
      if ((words[at + STRIDE + END] as number) - from !== value.length) return false;
      for (let p = 0; p < value.length; p++) if (bytes[from + p] !== value[p]) return false;
    }
    return true;
  }
}

const NOTHING = new Uint8Array(0);
const NULL = Uint8Array.of(LETTER_N);

/** What is to be remembered of each telling value; undefined when that would be too much. */
function valuesOf(attributes: JsonNode | undefined, { entries, positions }: TellingKeys): Uint8Array[] | undefined {
  const values: Uint8Array[] = [];
  let total = 0;
  for (const [i, node] of (attributes?.pick(positions) ?? []).entries()) {
    const valued = entries[i]?.valued === true;
    const value = valued ? node.raw() : node.isNull ? NULL : NOTHING;
    total += value.length;
    if (total > LONGEST) return undefined;
    values.push(valued ? Uint8Array.from(value) : value);
  }
  return values.length === entries.length ? values : undefined;
}
