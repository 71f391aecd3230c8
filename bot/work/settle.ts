import type { JobContext } from '../jobs.js';
import type { Outcome } from '../judge/outcome.js';
import type { OurCheck } from '../tell/check.js';
import type { Settled } from '../tell/texts.js';
import type { KnownConfig } from './standing.js';

/** What waiting is measured by. */
export interface Waiting {
  readonly config: KnownConfig;
  readonly check: OurCheck | null;
  readonly context: Pick<JobContext, 'now'>;
}

/** What is concluded now; null while evidence may still come. The clock of the wait is GitHub's: when the open check began. */
export function settle(outcome: Outcome, { config, check, context }: Waiting): Settled | null {
  if (outcome.kind !== 'awaited') return outcome;
  const due = dueAt({ config, check, context });
  if (check === null || check.isConcluded || context.now() < due) return null;
  const minutes = config.kind === 'read' ? config.config.deadlineMinutes : 0;
  const remedy =
    'see that the workflow runs for this commit and stores its runs, then use the re-run button of this check';
  return { kind: 'missing', what: `${outcome.what}, for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`, remedy };
}

/** When evidence is overdue, in milliseconds since 1970. */
export function dueAt({ config, check, context }: Waiting): number {
  const minutes = config.kind === 'read' ? config.config.deadlineMinutes : 0;
  return (check?.startedAt ?? context.now()) + minutes * 60_000;
}

/** Seconds until then, a moment later: GitHub writes whole seconds. */
export function secondsUntil(due: number, { now }: Pick<JobContext, 'now'>): number {
  return Math.max(1, Math.ceil((due - now()) / 1000) + 1);
}
