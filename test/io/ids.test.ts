import { expect, it } from 'vitest';
import { systemIds } from '../../core/io/ids.js';
import { UUID_V7 } from '../../core/model/patterns.js';

it('returns ids of version 7 that increase when ten thousand are drawn at once', () => {
  const ids = systemIds();
  const drawn = Array.from({ length: 10_000 }, () => ids.invocationId());
  expect(drawn.every((id) => UUID_V7.test(id))).toBe(true);
  expect(drawn).toEqual([...new Set(drawn)].sort());
});
