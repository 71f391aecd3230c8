import { type Citation, pairKey } from './citation.js';
import type { Facts } from './rule.js';

/** The citations that are neither the input nor a recorded delegation, by id and hash: what D1 and D2 have in common. */
export function notDelegable(citations: readonly Citation[], facts: Facts): readonly Citation[] {
  const allowed = new Set(facts.delegated.map(pairKey));
  if (facts.input !== undefined) allowed.add(pairKey(facts.input));
  return citations.filter((citation) => !allowed.has(pairKey(citation)));
}
