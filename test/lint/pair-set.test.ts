import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairKey } from '../../core/lint/citation.js';
import { HashSet, PairSet } from '../../core/lint/pair-set.js';

const pair = fc.record({
  sourceId: fc.constantFrom('a', 'b', 'c', 'd1', 'd'),
  contentHash: fc.constantFrom('1', '2', '3', '11', '1d'),
});

it('holds the pairs and hashes that it was made of, be they few or many', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 20 }), pair, (pairs, asked) => {
      const keys = new Set(pairs.map(pairKey));
      expect(new PairSet(pairs).has(asked)).toBe(keys.has(pairKey(asked)));
      expect(new HashSet(pairs).has(asked.contentHash)).toBe(
        pairs.some(({ contentHash }) => contentHash === asked.contentHash),
      );
    }),
  );
});
