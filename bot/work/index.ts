import type { JobContext, JudgeJob, WorkJob } from '../jobs.js';
import type { JudgeWorld } from '../world.js';
import { obey } from './command.js';
import { judgePull } from './judge-pull.js';
import { judgeMergeGroup } from './merge-group.js';
import { resolveHead } from './resolve.js';
import { reverifyNightly } from './reverify.js';

export { jobsOf } from './jobs-of.js';

/** Does the judge's jobs with what the process gives. */
export function createWorkJob(world: JudgeWorld): WorkJob {
  return (job, context) => workJob(job, { context, world });
}

function workJob(job: JudgeJob, parts: { readonly context: JobContext; readonly world: JudgeWorld }): Promise<void> {
  switch (job.kind) {
    case 'judge':
    case 'deadline':
      return judgePull(job, parts);
    case 'resolve':
      return resolveHead(job, parts);
    case 'merge-group':
      return judgeMergeGroup(job, parts);
    case 'command':
      return obey(job, parts);
    case 'reverify':
      return reverifyNightly(job, parts);
  }
}
