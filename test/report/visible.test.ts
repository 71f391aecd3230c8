import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, cutBytes, visible } from '../../core/report/visible.js';

test.each([
  ['a\nb', 'a\\u000ab'],
  ['\u202e', '\\u202e'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\ud800', '\\ud800'],
  ['\u00ad\u3164\u2066', '\\u00ad\\u3164\\u2066'],
  ['\uffff', '\\uffff'],
  ['##[group]', '##\\u005bgroup]'],
  ['# [x] é 漢 😀 ✔️', '# [x] é 漢 😀 ✔️'],
])('visible returns %j as %j', (text, expected) => {
  expect(visible(text)).toBe(expected);
});

const texts = fc.string({ unit: 'binary', maxLength: 80 });

test('visible returns text that is well formed and in which nothing is left to escape', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(visible(text).isWellFormed()).toBe(true);
      expect(visible(visible(text))).toBe(visible(text));
    }),
  );
});

test('cut and cutBytes return no more than was asked for, and no half character', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 60 }), (raw, maximum) => {
      const text = raw.toWellFormed();
      expect(cut(text, maximum).length).toBeLessThanOrEqual(maximum);
      expect(cut(text, maximum).isWellFormed()).toBe(true);
      const bytes = cutBytes(text, maximum);
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(maximum);
      expect(text.startsWith(bytes.replace(/…$/, ''))).toBe(true);
    }),
  );
});
