import { describe, expect, test } from 'vitest';
import { type Mark, shownLines } from '../../core/html/document-lines.js';
import { uncovered } from '../../core/html/marks.js';
import { parseJson } from '../../core/json/index.js';

const fault = { label: 'G2', href: '#fault-1' };
const at = (line: number, column = 1): Mark => ({ line, column, fault });
const lines = (text: string, marks: readonly Mark[] = [], hidden: Parameters<typeof shownLines>[1]['hidden'] = []) =>
  shownLines(Buffer.from(text), { marks, hidden });

describe('shownLines', () => {
  test.each([
    ['', ['']],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\r\n\nb', ['a', '', 'b']],
  ])('gives the lines of %j', (text, expected) => {
    expect(
      lines(text)
        .stretches.flat()
        .map((line) => line.text),
    ).toEqual(expected);
  });

  test('shows the beginning of a long document, and what is around its marks', () => {
    const { stretches, total, targets } = lines('x\n'.repeat(10_000), [at(9_000)]);
    expect(total).toBe(10_000);
    expect(stretches.map((one) => [one[0]?.number, one.length])).toEqual([
      [1, 1491],
      [8996, 9],
    ]);
    expect([...targets]).toEqual([9_000]);
  });

  test('keeps faults, when there are more places than room', () => {
    const places = Array.from({ length: 2000 }, (_, line): Mark => ({ line: line * 10 + 1, column: 1, fault: null }));
    expect(lines('x\n'.repeat(30_000), [...places, at(29_999)]).targets.has(29_999)).toBe(true);
  });

  test('cuts a line of megabytes around the place that is marked', () => {
    const text = `${'x'.repeat(1_000_000)}HERE${'y'.repeat(1_000_000)}`;
    const [line] = lines(text, [at(1, 1_000_001)]).stretches.flat();
    expect(line?.text).toMatch(/^… x+HEREy+ … \(the line goes on in the file\)$/);
    expect(line?.text.length).toBeLessThan(2100);
  });

  test('keeps the numbers of lines when stretches are hidden', () => {
    const text = '{\n"a": 1,\n"secret": [\n1,\n2],\n"b": 2}';
    const from = text.indexOf(',\n"secret"');
    const { stretches } = lines(text, [at(6)], [{ from, to: text.indexOf(',\n"b"') }]);
    const shown = stretches.flat();
    expect(shown.map((line) => line.text).join('\n')).not.toContain('secret');
    expect(shown[5]).toMatchObject({ number: 6, text: '"b": 2}', marks: [{ line: 6 }] });
  });
});

test('members of evidence that its hash does not cover are hidden, key and all', () => {
  const content = '{"fairsharing_id": "x", "smuggled": {"a": [1, 2]}, "name": "n", "later": 1}';
  const text = `{"evidence": [{"canonicalisation": "json-sorted-utf8-v1", "content": ${content}},
    {"canonicalisation": "dd-json-document-v1", "content": {"smuggled": "kept"}}, 5, {"content": 1}]}`;
  const hidden = uncovered(parseJson(Buffer.from(text), { file: 'x' }));
  const [line, second] = lines(text, [], hidden).stretches.flat();
  expect(line?.text).toContain('"fairsharing_id": "x" [not shown: no hash covers it], "name": "n" [not shown');
  expect(line?.text).not.toContain('later');
  expect(second?.text).toContain('"smuggled": "kept"');
});
