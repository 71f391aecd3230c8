import type { Citation } from './citation.js';
import { isSamePair, PairSet } from './pair-set.js';
import type { Facts } from './rule.js';

/** The citations that are neither the input nor a recorded delegation, by id and hash: what D1 and D2 have in common. */
export function notDelegable(citations: readonly Citation[], facts: Facts): readonly Citation[] {
  const delegated = new PairSet(facts.delegated);
  const { input } = facts;
  return citations.filter((citation) => {
    const isInput = input !== undefined && isSamePair(input, citation);
    return !isInput && !delegated.has(citation);
  });
}
