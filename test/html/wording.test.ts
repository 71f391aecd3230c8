import { expect, test } from 'vitest';
import { counted, durationText, sizeText, tickText, timeText } from '../../core/html/wording.js';

test.each([
  [0n, '0', '0'],
  [999n, '999 ns', '999 ns'],
  [1_500n, '1.50 µs', '1.5 µs'],
  [20_000_000n, '20.0 ms', '20 ms'],
  [-2_500_000n, '−2.50 ms', '−2.5 ms'],
  [100_000_000n, '100 ms', '100 ms'],
  [86_400_000_000_000n, '86400 s', '86400 s'],
])('writes %i nanoseconds', (ns, duration, tick) => {
  expect([durationText(ns), tickText(ns)]).toEqual([duration, tick]);
});

test('writes counts, sizes and times as a reader compares them', () => {
  expect([counted(1, 'run'), counted(0, 'run'), counted(12_345, 'run')]).toEqual(['1 run', '0 runs', '12,345 runs']);
  expect([sizeText(1), sizeText(999), sizeText(1500), sizeText(2_500_000)]).toEqual([
    '1 byte',
    '999 bytes',
    '1.5 kB',
    '2.5 MB',
  ]);
  expect(timeText(Date.UTC(2026, 10, 30, 19, 52, 24))).toBe('2026-11-30 19:52:24 UTC');
});
