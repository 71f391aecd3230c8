import { expect, test } from 'vitest';
import { createMemoryQueue } from '../../bot/io/memory-queue.js';
import { describeQueue, judge, soon } from './queue-contract.js';
import { afterTest } from './support.js';

describeQueue(async (options) => {
  const queue = createMemoryQueue(options);
  afterTest(() => queue.stop({ graceSeconds: 0 }));
  return queue;
});

test('forgets the oldest notes first, and keeps 20,000', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  for (let i = 0; i <= 20_000; i++) await queue.note(String(i));
  expect([await queue.isNoted('0'), await queue.isNoted('1'), await queue.isNoted('20000')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('refuses work beyond what it can hold, and keeps what it has', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  await queue.add(Array.from({ length: 100_000 }, (_, pull) => soon(judge(pull))));
  await expect(queue.add([soon(judge(100_001))])).rejects.toThrow();
  expect(await queue.counts()).toEqual({ waiting: 100_000, delayed: 0, active: 0 });
});
