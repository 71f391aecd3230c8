import type { JobsOf } from './jobs.js';
import type { DeliveryOutcome } from './ports.js';
import type { Queue } from './queue.js';

/** A webhook whose signature was found right. */
export interface Delivery {
  /** The same when GitHub sends it again. */
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

/**
 * Puts what a delivery asks for in the queue. It is noted only when all its jobs are kept, so that a crash in between loses
 * nothing: the delivery that comes again adds jobs that say the same.
 */
export async function takeDelivery(
  { id, name, payload }: Delivery,
  { queue, jobsOf }: { readonly queue: Pick<Queue, 'add' | 'isNoted' | 'note'>; readonly jobsOf: JobsOf },
): Promise<Exclude<DeliveryOutcome, 'failed'>> {
  const jobs = jobsOf(name, payload);
  if (jobs.length === 0) return 'nothing';
  const note = `delivery:${id}`;
  if (await queue.isNoted(note)) return 'repeated';
  await queue.add(jobs.map((job) => ({ job, delaySeconds: 0 })));
  await queue.note(note);
  return 'queued';
}
