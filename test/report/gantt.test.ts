import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ganttOf, type TimedSpan } from '../../core/report/gantt.js';

const span = (spanId: string, parentId: string | null, more: Partial<TimedSpan> = {}): TimedSpan => ({
  name: `n${spanId}`,
  role: 'other',
  spanId,
  parentId,
  start: 0n,
  end: 1_000_000n,
  failed: false,
  facts: {},
  ...more,
});

const bars = (chart: string | null): readonly string[] => (chart ?? '').split('\n').slice(5);

test('returns children below their parents, whatever the order of the file', () => {
  const chart = ganttOf([span('c', 'b'), span('b', 'a'), span('d', 'a'), span('a', null)]);
  expect(bars(chart).map((bar) => bar.trim().split(' :')[0])).toEqual(['1 na', '2 · nb', '3 · · nc', '4 · nd']);
});

test('returns every span once when parents go in a circle or ids repeat', () => {
  expect(bars(ganttOf([span('a', 'b'), span('b', 'a')]))).toHaveLength(2);
  expect(bars(ganttOf([span('a', null), span('a', null), span('b', 'a')]))).toHaveLength(3);
  expect(bars(ganttOf([span('a', 'a')]))).toHaveLength(1);
});

test('returns failed and faulty spans as critical', () => {
  const chart = ganttOf([span('a', null), span('b', 'a', { failed: true }), span('c', 'a')], new Set(['c']));
  expect(bars(chart).map((bar) => bar.includes(':crit,'))).toEqual([false, true, true]);
});

test('returns null when no span can be drawn', () => {
  expect(ganttOf([])).toBeNull();
  expect(ganttOf([span('a', null, { start: null })])).toBeNull();
  expect(ganttOf([span('a', null, { start: 5n, end: 1n })])).toBeNull();
  expect(ganttOf([span('a', null), span('b', 'a', { end: 10n ** 20n })])).toBeNull();
});

test('returns seconds for a run of more than a minute', () => {
  expect(ganttOf([span('a', null, { end: 90_000_000_000n })])).toContain('title seconds');
});

test('returns forty bars of a long trace, and says so, in little time', () => {
  const spans = Array.from({ length: 100_000 }, (_, at) => span(`s${at}`, at === 0 ? null : 's0'));
  const started = performance.now();
  const chart = ganttOf(spans);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(bars(chart)).toHaveLength(40);
  expect(chart).toContain('40 of 100000 spans');
});

test('returns nothing but bars whatever names and sources are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, sourceId) => {
      for (const bar of bars(ganttOf([span('a', null, { name, facts: { sourceId } })])))
        expect(bar).toMatch(/^ {2}1 [\p{L}\p{N} ._/…-]+ :s1, 0, 1000$/u);
    }),
  );
});
