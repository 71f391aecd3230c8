import { GateError, messageOf, oneLine } from '../../core/index.js';
import { statusOf } from '../failure.js';
import { type JobContext, TryAgain } from '../jobs.js';

/**
 * One line on what broke a judgement off, to be told on the commit, since silence must not look like a verdict that is still to come.
 * What the queue may try again, or has to report, is thrown on.
 */
export function reasonToTell(error: unknown, { signal, log }: Pick<JobContext, 'signal' | 'log'>): string {
  if (signal.aborted || error instanceof TryAgain || statusOf(error) !== null) throw error;
  if (error instanceof GateError) return error.describe();
  log.warn('something was not to be had, or failed, and is told on the commit');
  return oneLine(messageOf(error));
}
