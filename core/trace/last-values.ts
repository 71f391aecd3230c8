import type { JsonNode } from '../json/index.js';
import { END, NEXT, START, STRIDE } from '../json/tape.js';
import type { KeyEntry } from './dialects/index-table.js';
import type { Recognition } from './recognition.js';

const LETTER_N = 0x6e;

/**
 * Remembers one span's name and telling values, for spans whose attributes have the same keys: the next one mostly
 * says the same, which a comparison of bytes shows without making a string. All spans must be of one buffer.
 */
export class LastValues {
  #name: string | undefined;
  #attributes: JsonNode | undefined;
  #found: Recognition | undefined;

  /** What was learnt, when the name and every telling value are those of the span before. */
  recall(
    name: string,
    of: {
      readonly attributes: JsonNode | undefined;
      readonly plan: { readonly entries: readonly KeyEntry[]; readonly positions: readonly number[] };
    },
  ): Recognition | undefined {
    if (this.#found === undefined || name !== this.#name) return undefined;
    const before = this.#attributes;
    const { attributes, plan } = of;
    if (plan.entries.length === 0) return this.#found;
    if (before === undefined || attributes === undefined) return undefined;
    return sameValues([before, attributes], plan) ? this.#found : undefined;
  }

  learn(name: string, of: { readonly attributes: JsonNode | undefined; readonly found: Recognition }): void {
    this.#name = name;
    this.#attributes = of.attributes;
    this.#found = of.found;
  }
}

/** Whether two objects with the same keys have the same telling values; of one that only has to be there, whether both have it. */
function sameValues(
  [one, other]: readonly [JsonNode, JsonNode],
  { entries, positions }: { readonly entries: readonly KeyEntry[]; readonly positions: readonly number[] },
): boolean {
  const { bytes, words: left } = one.document;
  const { words: right } = other.document;
  let a = one.index + STRIDE;
  let b = other.index + STRIDE;
  let member = 0;
  for (let i = 0; i < positions.length; i++) {
    for (const position = positions[i] as number; member < position; member++) {
      a = left[a + STRIDE + NEXT] as number;
      b = right[b + STRIDE + NEXT] as number;
    }
    const from = left[a + STRIDE + START] as number;
    const to = right[b + STRIDE + START] as number;
    if (entries[i]?.valued !== true) {
      if ((bytes[from] === LETTER_N) !== (bytes[to] === LETTER_N)) return false;
      continue;
    }
    const length = (left[a + STRIDE + END] as number) - from;
    if ((right[b + STRIDE + END] as number) - to !== length) return false;
    for (let at = 0; at < length; at++) if (bytes[from + at] !== bytes[to + at]) return false;
  }
  return true;
}
