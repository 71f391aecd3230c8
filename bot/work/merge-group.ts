import { apiOf } from '../github/api.js';
import { type OpenRepository, openRepository, tipOf } from '../github/repository.js';
import type { JobContext, JudgeJob } from '../jobs.js';
import { examine } from '../judge/examine.js';
import { openTarget } from '../judge/open-target.js';
import type { Outcome } from '../judge/outcome.js';
import { aloneOn, concludeCheck, isFrom, ourCheck, queueCheck, tellWaiting } from '../tell/check.js';
import { checkText } from '../tell/texts.js';
import type { JudgeWorld } from '../world.js';
import { reasonToTell } from './failed.js';
import { openCheckOn } from './judge-pull.js';
import { dueAt, secondsUntil, settle } from './settle.js';
import { configOf, digestOf, type KnownConfig, runOf } from './standing.js';

type GroupJob = Extract<JudgeJob, { kind: 'merge-group' }>;

/** The queue waits for every check, so that a workflow's run is looked for often; no webhook says which base its commit has. */
const LOOK_AGAIN_SECONDS = 30;

/** Concludes the check of a commit in the merge queue; it has no pull request of its own, and so no comment. */
export async function judgeMergeGroup(
  job: GroupJob,
  { context, world }: { readonly context: JobContext; readonly world: JudgeWorld },
): Promise<void> {
  const repository = await openRepository(apiOf(context), job.repository);
  if (repository === null) return;
  const config = await configOf(repository, context);
  if (config.kind === 'none') return;
  const desk = { repository, headSha: job.head, context };
  const commit = { headSha: job.head, headRepository: repository.id };
  const basis = await digestOf(context, async () => [
    job.base,
    config.sha,
    await runOf({ repository, config }, commit),
  ]);
  const check = await aloneOn(desk, async () => (await ourCheck(desk)) ?? (await queueCheck(desk)));
  if (check !== null && isFrom(check, basis)) return;
  const outcome = await outcomeFor(job, { repository, config, context, world });
  const settled = settle(outcome, { config, check, context });
  if (settled === null) {
    const open = await openCheckOn(desk);
    if (open !== null && outcome.kind === 'awaited') await tellWaiting(desk, { check: open, what: outcome.what });
    const left = secondsUntil(dueAt({ config, check: open, context }), context);
    return context.add(job, { delaySeconds: Math.min(left, LOOK_AGAIN_SECONDS) });
  }
  await aloneOn(desk, async () =>
    concludeCheck(desk, { check: await ourCheck(desk), text: checkText(settled), basis }),
  );
}

interface Parts {
  readonly repository: OpenRepository;
  readonly config: KnownConfig;
  readonly context: JobContext;
  readonly world: JudgeWorld;
}

/** The base that binds is the branch that the queue merges into, or the commit before in the queue where that is gone. */
async function outcomeFor(job: GroupJob, { repository, config, context, world }: Parts): Promise<Outcome> {
  if (config.kind === 'broken') return { kind: 'refused', reason: config.reason };
  try {
    const branch = job.baseRef.replace(/^refs\/heads\//, '');
    const baseSha = (await tipOf(repository, branch)) ?? job.base;
    const facts = { config: config.config, headSha: job.head, headRepository: repository.id, baseSha };
    return await examine(await openTarget(repository, facts), { ...world, claim: context.claim });
  } catch (error) {
    return { kind: 'refused', reason: reasonToTell(error, context) };
  }
}
