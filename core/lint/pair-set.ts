import { type Pair, pairKey } from './citation.js';

/** Up to this many pairs are compared one by one: a key for each, and a set of them, costs more than that. */
const SMALL = 8;

/** Pairs among which others are looked up, by id and hash. */
export class PairSet {
  readonly #pairs: readonly Pair[];
  readonly #keys: ReadonlySet<string> | null;

  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs;
    this.#keys = pairs.length > SMALL ? new Set(pairs.map(pairKey)) : null;
  }

  has(pair: Pair): boolean {
    if (this.#keys !== null) return this.#keys.has(pairKey(pair));
    for (const one of this.#pairs) if (isSamePair(one, pair)) return true;
    return false;
  }
}

/** The hashes of some pairs. */
export class HashSet {
  readonly #pairs: readonly Pair[];
  readonly #hashes: ReadonlySet<string> | null;

  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs;
    this.#hashes = pairs.length > SMALL ? new Set(pairs.map(({ contentHash }) => contentHash)) : null;
  }

  has(contentHash: string): boolean {
    if (this.#hashes !== null) return this.#hashes.has(contentHash);
    for (const one of this.#pairs) if (one.contentHash === contentHash) return true;
    return false;
  }
}

/** Whether two pairs name one id and one hash. */
export function isSamePair(one: Pair, other: Pair): boolean {
  return one.contentHash === other.contentHash && one.sourceId === other.sourceId;
}
