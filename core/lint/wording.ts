import type { Pair } from './citation.js';

/** A message stays readable, whatever the length of what it names. */
const LONGEST_ID = 200;
const HASH_DIGITS = 12;

/** An untrusted id in quotes, cut when it is very long; renderers escape it for their own format. */
export function quoted(id: string): string {
  if (id.length <= LONGEST_ID) return `"${id}"`;
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  const cut = id.slice(0, LONGEST_ID).replace(/[\ud800-\udbff]$/, '');
  return `"${cut}…"`;
}

/** The first 12 digits of a hash (contract 5). */
export function shortHash(hash: string): string {
  return hash.slice(0, HASH_DIGITS);
}

/** How a message names an id with its hash. */
export function cited(pair: Pair): string {
  return `${quoted(pair.sourceId)} (${shortHash(pair.contentHash)})`;
}
