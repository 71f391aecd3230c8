import { apiOf } from '../github/api.js';
import { pullsOfHead } from '../github/pulls.js';
import { openRepository } from '../github/repository.js';
import type { JobContext, JudgeJob } from '../jobs.js';
import { aloneOn, cancelCheck, ourCheck, queueCheck } from '../tell/check.js';
import { configOf, refOf } from './standing.js';

/** Why a head is looked up: somebody pressed the button, a pull request left it, or its workflow has ended. */
export const WHY = { rerequested: 'rerequested', moved: 'moved' } as const;

/**
 * Finds the open pull requests of a commit, by the commit alone: what a payload or an artifact says of numbers is not trusted, and GitHub
 * names none for forks. One that a pull request has left is not waited for.
 */
export async function resolveHead(
  job: Extract<JudgeJob, { kind: 'resolve' }>,
  { context }: { readonly context: JobContext },
): Promise<void> {
  const repository = await openRepository(apiOf(context), job.repository);
  if (repository === null) return;
  if ((await configOf(repository, context)).kind === 'none') return;
  const pulls = await pullsOfHead(repository, job.head);
  const desk = { repository, headSha: job.head, context };
  if (pulls.length === 0) {
    // A commit of the merge queue is nobody's head either, and its check is waited for.
    if (job.why === WHY.moved) await aloneOn(desk, () => cancelCheck(desk));
    return;
  }
  if (job.why === WHY.rerequested)
    await aloneOn(desk, async () => {
      if ((await ourCheck(desk))?.isConcluded !== false) await queueCheck(desk);
    });
  const { installation, why } = job;
  for (const { number } of pulls)
    await context.add({ kind: 'judge', installation, repository: refOf(repository), pull: number, why });
}
