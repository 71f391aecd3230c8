import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellCode, code, fenced, htmlCode } from '../../core/report/markdown-text.js';
import { visible } from '../../core/report/visible.js';
import { htmlOf, pageOf } from './read-html.js';

/** What Markdown and HTML are made of, in any order. */
const PIECES = [
  '`',
  '``',
  '```',
  '~~~',
  '|',
  '\\',
  '\\|',
  '\n',
  '\n\n',
  '\r',
  ' ',
  '\t',
  '<',
  '>',
  '&',
  '&lt;',
  '"',
  "'",
  '[',
  ']',
  '(',
  ')',
  '!',
  '*',
  '_',
  '#',
  '@a',
  'x',
  '</code>',
  '</summary>',
  '</details>',
  '<!--',
  '-->',
  'http://a.b',
  'www.a.b',
  '$',
  ':',
  '-',
  '\u202e',
  '\ud800',
  '😀',
];

const texts = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const SHAPE = 'ul li code table thead tr th tbody tr td code details summary code pre code p';

const withoutAlign = (elements: readonly string[]): string =>
  elements.map((element) => element.split(' ')[0]).join(' ');

test('returns one page whatever the text is, with the text on it in four places', () => {
  fc.assert(
    fc.property(texts, (raw) => {
      const text = `x${raw}x`;
      const page = pageOf(
        htmlOf(
          `- ${code(text)}: end\n\n| a |\n|---|\n| ${cellCode(text)} |\n\n<details><summary>${htmlCode(text)}</summary>\n\n${fenced(text)}\n\n</details>\n\nend`,
        ),
      );
      expect(withoutAlign(page.elements)).toBe(SHAPE);
      const codes = page.texts.filter(({ inside }) => inside.includes('code')).map((piece) => piece.text);
      const shown = visible(text);
      const lines = text.split('\n').map(visible).join('\n');
      expect(codes).toEqual([shown, shown.replaceAll('\\|', '\\u005c|'), shown, `${lines.trimEnd()}\n`]);
    }),
    { numRuns: 500 },
  );
});

test.each(['', ' ', '   ', '`', '``', ' `', '` ', '\\', '|', '\\|'])(
  'returns a code span of its own for %j',
  (text) => {
    const page = pageOf(htmlOf(`a ${code(text)} b\n\n| h |\n|---|\n| ${cellCode(text)} |`));
    const codes = page.elements.filter((element) => element === 'code');
    expect(codes).toHaveLength(text === '' ? 0 : 2);
    expect(page.elements.filter((element) => element === 'td')).toHaveLength(1);
  },
);

test('cuts what is long, and a line for itself', () => {
  expect(code('x'.repeat(10_000)).length).toBeLessThan(500);
  expect(fenced(`${'x'.repeat(10_000)}\nshort`)).toMatch(/^```text\nx{999}…\nshort\n```$/);
});
