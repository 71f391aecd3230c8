import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine } from '../../core/model/errors.js';
import { CONTENT_HASH, isContentHash } from '../../core/model/patterns.js';

it('escapes a text in the same way whether or not it holds more than ASCII', () => {
  const unit = fc.constantFrom('#', '[', 'a', '~', ' ', '\n', '\u007f', '\u202e', '\u001b');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      // A letter that is not escaped keeps the text from being taken for plain.
      expect(`é${oneLine(text)}`).toBe(oneLine(`é${text}`));
    }),
    { numRuns: 2000 },
  );
  expect(oneLine('##[error]')).toBe('##\\u005berror]');
});

it('takes for a hash of content what the pattern does', () => {
  const digit = fc.constantFrom('0', '9', 'a', 'f', 'g', 'A', '/', ':', '`', '\n', 'é');
  fc.assert(
    fc.property(fc.nat(66), fc.nat(66), digit, (length, at, other) => {
      const hash = 'a'.repeat(length);
      const text = hash.slice(0, at) + other + hash.slice(at + 1);
      expect(isContentHash(text)).toBe(CONTENT_HASH.test(text));
      expect(isContentHash(hash)).toBe(CONTENT_HASH.test(hash));
    }),
    { numRuns: 2000 },
  );
});
