import { GateError, oneLine } from '../../core/index.js';
import { statusOf } from '../failure.js';
import { type JobContext, TryAgain } from '../jobs.js';
import type { Outcome } from '../judge/outcome.js';

/**
 * What becomes of a judgement that threw: what the queue may try again, or has to report, goes on; anything else is told on the commit,
 * since silence must not look like a verdict that is still to come.
 */
export function outcomeOf(error: unknown, { signal, log }: Pick<JobContext, 'signal' | 'log'>): Outcome {
  if (signal.aborted || error instanceof TryAgain || statusOf(error) !== null) throw error;
  if (error instanceof GateError) return { kind: 'refused', reason: error.describe() };
  log.error('a commit could not be judged');
  return { kind: 'refused', reason: oneLine(error instanceof Error ? error.message : String(error)) };
}
