import { expect, test } from 'vitest';
import { renderRunText } from '../../core/report/run-text.js';
import { MIXED, PASSED, reportOf, row, WITHHELD } from './make-report.js';

const plain = { columns: null, colour: false } as const;

test.each([
  ['a pipe', 'mixed-pipe.txt', null, false],
  ['a terminal of 200 columns', 'mixed-200.txt', 200, false],
  ['a terminal of 140 columns', 'mixed-140.txt', 140, false],
  ['a terminal of 80 columns', 'mixed-80.txt', 80, false],
  ['a terminal of 80 columns with colour', 'mixed-80-colour.txt', 80, true],
])('returns the golden text for %s', async (_what, golden, columns, colour) => {
  await expect(renderRunText(MIXED, { columns, colour })).toMatchFileSnapshot(`golden/${golden}`);
});

test.each([80, 140, 200])('returns no table line wider than a terminal of %i columns', (columns) => {
  const [table = ''] = renderRunText(MIXED, { columns, colour: false }).split('\n\n');
  expect(table.split('\n').filter((line) => line.length > columns)).toEqual([]);
});

test('returns one line a row, with every character that steers a terminal escaped', () => {
  const text = renderRunText(MIXED, plain);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]|^::/m);
});

test('returns rows in the order of the report', () => {
  const names = ['z.json', 'a.json', 'm.json'];
  const text = renderRunText(reportOf(names.map((name) => row(name))), plain);
  expect([...text.matchAll(/^ok +(\S+)/gm)].map((match) => match[1])).toEqual(names);
});

test('returns no details for a withheld run that its fixture expects', () => {
  expect(renderRunText(reportOf([row('a.json', WITHHELD)]), plain)).not.toContain('never fetched');
});

test('returns the unresolved items under warn, and leaves them to the counts under allow', () => {
  const rows = [
    row('a.json', {
      ...PASSED,
      sources: { ...PASSED.sources, unresolved: [{ sourceId: 'src:x', snapshotRef: null }] },
    }),
  ];
  expect(renderRunText(reportOf(rows), plain)).toContain('src:x (live)');
  expect(renderRunText(reportOf(rows, { unresolvedPolicy: 'allow' }), plain)).not.toContain('src:x');
});
