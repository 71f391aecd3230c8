import { describe, expect, test } from 'vitest';
import { compareReports } from '../../core/report/compare.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { PASSED, reportOf, row, WITHHELD } from './make-report.js';

const FAILING = { ...WITHHELD, differences: ['run 1: it broke rules'] };
const OTHER_RUN = {
  ...FAILING,
  invocationId: '0193b0f0-0000-7000-8000-0000000000ff',
  differences: ['run 2: it broke rules'],
};

const bytesOf = (rows: Parameters<typeof reportOf>[0]): Buffer =>
  Buffer.from(renderReportJson(reportOfRun(reportOf(rows))));

const changes = (before: Parameters<typeof reportOf>[0], now: Parameters<typeof reportOf>[0]) => {
  const compared = compareReports(bytesOf(before), reportOfRun(reportOf(now)));
  if (compared.kind !== 'compared') throw new Error(compared.reason);
  const rules = (list: readonly { readonly rule: string }[]): string => list.map(({ rule }) => rule).join(' ');
  return { new: rules(compared.new), fixed: rules(compared.fixed), unchanged: rules(compared.unchanged) };
};

describe('compareReports', () => {
  test('returns everything as unchanged when only ids, hashes and repeats differ', () => {
    expect(changes([row('a.json', FAILING)], [row('a.json', OTHER_RUN, { index: 2, of: 2 })])).toEqual({
      new: '',
      fixed: '',
      unchanged: 'G2 G3 S1 unexpected',
    });
  });

  test('returns what is new and what is fixed', () => {
    expect(changes([row('a.json', FAILING)], [row('b.json', FAILING)])).toEqual({
      new: 'G2 G3 S1 unexpected',
      fixed: 'G2 G3 S1 unexpected',
      unchanged: '',
    });
    expect(changes([row('a.json', FAILING)], [row('a.json', PASSED)])).toEqual({
      new: '',
      fixed: 'G2 G3 S1 unexpected',
      unchanged: '',
    });
  });

  test('returns nothing about violations that a fixture expects', () => {
    expect(changes([row('a.json', WITHHELD)], [row('b.json', WITHHELD)])).toEqual({
      new: '',
      fixed: '',
      unchanged: '',
    });
  });

  test('returns a violation as new when its source is another one', () => {
    const violations = [{ rule: 'G2' as const, message: 'm', sourceId: 'src:other' }];
    const other = { ...FAILING, grounding: { ...FAILING.grounding, violations } };
    expect(changes([row('a.json', FAILING)], [row('a.json', other)])).toMatchObject({ new: 'G2', fixed: 'G2 G3' });
  });

  const CURRENT = reportOfRun(reportOf([row('a.json', FAILING)]));
  const valid = JSON.parse(bytesOf([row('a.json', FAILING)]).toString());
  const hostile: readonly (readonly [what: string, bytes: Buffer | null])[] = [
    ['nothing', null],
    ['an empty file', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{')],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(valid)}`)],
    ['duplicate keys', Buffer.from('{"findings":[],"findings":[]}')],
    ['a list', Buffer.from('[]')],
    ['another version', Buffer.from(JSON.stringify({ ...valid, report_version: 2 }))],
    ['a member that nobody knows', Buffer.from(JSON.stringify({ ...valid, more: 1 }))],
    [
      'a fingerprint that is none',
      Buffer.from(JSON.stringify({ ...valid, findings: [{ ...valid.findings[0], fingerprint: 'x' }] })),
    ],
    ['a prototype', Buffer.from('{"__proto__":{"findings":[]}}')],
    ['a hundred thousand levels', Buffer.from('['.repeat(100_000))],
  ];

  test.each(hostile)('returns no baseline, with the reason, when the earlier report is %s', (_what, bytes) => {
    const compared = compareReports(bytes, CURRENT);
    expect(compared.kind).toBe('no-baseline');
    expect(compared).toMatchObject({ reason: expect.stringMatching(/./) });
  });

  test('reads what it wrote', () => {
    expect(compareReports(Buffer.from(JSON.stringify(valid)), CURRENT).kind).toBe('compared');
  });

  test('returns in a second for a report of twenty thousand findings', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({
      ...valid.findings[0],
      fingerprint: at.toString(16).padStart(64, '0'),
    }));
    const started = performance.now();
    const compared = compareReports(Buffer.from(JSON.stringify({ ...valid, findings: many })), CURRENT);
    expect(compared.kind === 'compared' && compared.fixed.length).toBe(20_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
