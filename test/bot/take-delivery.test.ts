import { expect, test } from 'vitest';
import { createMemoryQueue } from '../../bot/io/memory-queue.js';
import type { Queue } from '../../bot/queue.js';
import { takeDelivery } from '../../bot/take-delivery.js';
import { judge } from './queue-contract.js';

const jobsOf = () => [judge(1)];
const delivery = { id: 'd', name: 'pull_request', payload: {} };

test('returns queued once, and repeated when the delivery comes again', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  expect(await takeDelivery(delivery, { queue, jobsOf })).toBe('queued');
  expect(await takeDelivery(delivery, { queue, jobsOf })).toBe('repeated');
  expect(await queue.counts()).toMatchObject({ waiting: 1 });
});

test('returns nothing, and keeps no note, when a delivery asks for no work', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  expect(await takeDelivery(delivery, { queue, jobsOf: () => [] })).toBe('nothing');
  expect(await takeDelivery(delivery, { queue, jobsOf })).toBe('queued');
});

test('takes the delivery again when the queue failed between its jobs and the note', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  const dying: Pick<Queue, 'add' | 'isNoted' | 'note'> = {
    add: (added) => queue.add(added),
    isNoted: (id) => queue.isNoted(id),
    note: () => Promise.reject(new Error('gone')),
  };
  await expect(takeDelivery(delivery, { queue: dying, jobsOf })).rejects.toThrow('gone');
  expect(await takeDelivery(delivery, { queue, jobsOf })).toBe('queued');
  expect(await queue.counts()).toMatchObject({ waiting: 1 });
});

test('keeps no note when the jobs were not taken', async () => {
  const queue = createMemoryQueue({ jobsAtOnce: 1 });
  const full = { ...dyingAdd(), isNoted: (id: string) => queue.isNoted(id), note: (id: string) => queue.note(id) };
  await expect(takeDelivery(delivery, { queue: full, jobsOf })).rejects.toThrow('full');
  expect(await queue.isNoted('delivery:d')).toBe(false);
});

const dyingAdd = () => ({ add: () => Promise.reject(new Error('full')) });
