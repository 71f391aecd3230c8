import { expect, test } from 'vitest';
import { type Probe, RecordTable } from '../../core/sources/record-table.js';

const DIGEST = 'd'.repeat(32);

/** Every record number under a tag. */
function all(table: RecordTable, tag: { slot: number; check: number }): number[] {
  const found: number[] = [];
  const probe: Probe = { step: 0 };
  for (let number = table.find(tag, probe); number !== -1; number = table.find(tag, probe)) found.push(number);
  return found;
}

test('returns every record under a tag that collides, and no other', () => {
  const table = new RecordTable();
  const same = { slot: 7, check: 9 };
  for (let at = 0; at < 50; at += 1) {
    table.add(same, { offset: at, length: 1, digest: DIGEST });
    table.add({ slot: 7, check: at + 100 }, { offset: 1000 + at, length: 1, digest: DIGEST });
  }
  expect(all(table, same).map((number) => table.record(number).offset)).toEqual(
    Array.from({ length: 50 }, (_, at) => at),
  );
  expect(all(table, { slot: 7, check: 120 })).toHaveLength(1);
  expect(all(table, { slot: 7, check: 10 })).toEqual([]);
  expect(all(table, { slot: 8, check: 9 })).toEqual([]);
});

test('keeps offsets past 4 GB and every byte of a digest while it grows', () => {
  const table = new RecordTable();
  const digest = Array.from({ length: 32 }, (_, at) => String.fromCharCode(at * 8)).join('');
  for (let at = 0; at < 100_000; at += 1) {
    table.add({ slot: (at * 2654435761) >>> 0, check: at }, { offset: at * 1e6, length: at, digest });
  }
  expect(table.count).toBe(100_000);
  const [number = -1] = all(table, { slot: (99_999 * 2654435761) >>> 0, check: 99_999 });
  expect(table.record(number)).toEqual({ offset: 99_999e6, length: 99_999, digest });
});
