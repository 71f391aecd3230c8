import { describe, expect, test } from 'vitest';
import { bucketsOf, edgeText } from '../../core/html/buckets.js';

const NOON = Date.UTC(2026, 8, 30, 12);
const DAY = 86_400_000;

describe('bucketsOf', () => {
  test.each([
    ['a minute', [NOON, NOON + 60_000], '12:00:00'],
    ['a day', [NOON, NOON + DAY], '12:00'],
    ['a month', [NOON, NOON + 30 * DAY], '2026-09-30'],
    ['four years', [NOON, NOON + 1400 * DAY], '2026-09'],
    ['one instant', [NOON], '11:30'],
    ['three milliseconds', [NOON, NOON + 3], '12:00:00.0'],
  ])('cuts %s into stretches that hold every instant', (_, times, label) => {
    const buckets = bucketsOf(times);
    if (buckets === null) throw new Error('no stretches');
    const { edges } = buckets;
    expect(edges.length).toBeGreaterThan(1);
    expect(edges.length).toBeLessThan(100);
    expect([...edges].sort((a, b) => a - b)).toEqual(edges);
    for (const time of times) {
      const at = buckets.indexOf(time);
      expect(edges[at]).toBeLessThanOrEqual(time);
      expect(edges[at + 1]).toBeGreaterThanOrEqual(time);
    }
    expect(edgeText(edges[0] ?? 0, buckets)).toBe(label);
  });

  test('gives none for no instant, and bears the largest that an id can hold', () => {
    expect(bucketsOf([])).toBeNull();
    expect(bucketsOf([0, 2 ** 48 - 1])?.edges.length).toBeGreaterThan(1);
  });
});
