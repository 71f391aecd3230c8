import { expect, test } from 'vitest';
import { inLanes } from '../../core/index.js';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

test('returns results in the order of the items, with no more under way at once than there are lanes', async () => {
  let [now, most] = [0, 0];
  const results = await inLanes([5, 1, 4, 2, 3, 0], {
    lanes: 3,
    work: async (turns) => {
      most = Math.max(most, ++now);
      for (let i = 0; i < turns; i++) await turn();
      now -= 1;
      return turns * 10;
    },
  });
  expect(results).toEqual([50, 10, 40, 20, 30, 0]);
  expect(most).toBe(3);
});

test('begins nothing more after the first failure', async () => {
  const begun: number[] = [];
  const ended = inLanes([...Array(100).keys()], {
    lanes: 4,
    work: async (item) => {
      begun.push(item);
      await turn();
      if (item === 1) throw new Error('wait an hour');
      await turn();
    },
  });
  await expect(ended).rejects.toThrow('an hour');
  for (let i = 0; i < 20; i++) await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
});
