import { apiOf } from '../github/api.js';
import { pullsOfHead, readPull } from '../github/pulls.js';
import { openRepository, tipOf } from '../github/repository.js';
import type { JobContext, JudgeJob } from '../jobs.js';
import { examine } from '../judge/examine.js';
import { openTarget } from '../judge/open-target.js';
import { type Outcome, rankOf } from '../judge/outcome.js';
import {
  aloneOn,
  type CheckDesk,
  cancelCheck,
  concludeCheck,
  isFrom,
  type OurCheck,
  ourCheck,
  queueCheck,
  tellWaiting,
} from '../tell/check.js';
import { speaksOf, tellComment } from '../tell/comment.js';
import { checkText, type Settled } from '../tell/texts.js';
import type { JudgeWorld } from '../world.js';
import { reasonToTell } from './failed.js';
import { dueAt, secondsUntil, settle } from './settle.js';
import { basisOf, configOf, type PullStanding, refOf, siblingsOf } from './standing.js';

/** A job about one pull request. */
export type PullJob = Extract<JudgeJob, { kind: 'judge' | 'deadline' }>;

/**
 * Judges a pull request at its newest head: its comment, then the check of the commit, which is the worst of all pull requests that have
 * this head. A concluded check says that the comment is written, so that the next sweep mends what was broken off in between.
 */
export async function judgePull(
  job: PullJob,
  { context, world }: { readonly context: JobContext; readonly world: JudgeWorld },
): Promise<void> {
  const standing = await standingOf(job, { context, world });
  if (standing === null) return;
  const { repository, pull, siblings } = standing;
  const desk: CheckDesk = { repository, headSha: pull.headSha, context };
  const basis = await basisOf(standing);
  const check = await aloneOn(desk, () => checkToBegin(desk, basis));
  const isKnown = check !== null && isFrom(check, basis);
  // Another pull request of this head may have concluded the check, and knows nothing of the comment here.
  if (
    isKnown &&
    siblings.length === 1 &&
    (await speaksOf({ repository, pull: pull.number, headSha: pull.headSha, context }))
  )
    return context.log.debug('nothing is new since the last verdict');
  await tell(standing, { desk, check, basis, outcome: await outcomeFor(standing) });
}

/** A verdict from other things than these, as another base, must not let a commit pass while it is judged again. */
async function checkToBegin(desk: CheckDesk, basis: string): Promise<OurCheck | null> {
  const last = await ourCheck(desk);
  const isStale = last?.conclusion === 'success' && !isFrom(last, basis);
  return last === null || isStale ? queueCheck(desk) : last;
}

/** Null when there is nothing to judge by, or nobody to judge for. */
async function standingOf(
  job: PullJob,
  { context, world }: { readonly context: JobContext; readonly world: JudgeWorld },
): Promise<PullStanding | null> {
  const { log } = context;
  const repository = await openRepository(apiOf(context), job.repository);
  if (repository === null) return none(() => log.info('the repository is out of sight'));
  const pull = await readPull(repository, job.pull);
  if (pull?.isOpen !== true) return none(() => log.debug('the pull request is not open'));
  if (job.kind === 'deadline' && job.head !== pull.headSha) return null;
  const config = await configOf(repository, context);
  if (config.kind === 'none') return none(() => log.debug('the repository is not configured'));
  const siblings = await siblingsOf(repository, pull);
  return { installation: job.installation, repository, pull, siblings, config, context, world };
}

function none(say: () => void): null {
  say();
  return null;
}

async function outcomeFor({ repository, pull, config, context, world }: PullStanding): Promise<Outcome> {
  if (config.kind === 'broken') return { kind: 'refused', reason: config.reason };
  const { headSha, headRepository, baseRef } = pull;
  try {
    const baseSha = await tipOf(repository, baseRef);
    if (baseSha === null) return { kind: 'refused', reason: 'the base branch of the pull request is gone' };
    const facts = { config: config.config, headSha, headRepository, baseSha };
    return await examine(await openTarget(repository, facts), { ...world, claim: context.claim });
  } catch (error) {
    return { kind: 'refused', reason: reasonToTell(error, context) };
  }
}

interface Telling {
  readonly desk: CheckDesk;
  readonly outcome: Outcome;
  readonly check: OurCheck | null;
  readonly basis: string;
}

async function tell(standing: PullStanding, { desk, outcome, check, basis }: Telling): Promise<void> {
  const { repository, pull, config, context } = standing;
  const settled = settle(outcome, { config, check, context });
  const now = await readPull(repository, pull.number);
  if (now?.isOpen !== true) return;
  // Another base, also by its old one's renaming, is another judge.
  if (now.headSha !== pull.headSha || now.baseRef !== pull.baseRef) return moved(standing, desk);
  if (settled === null) return waitFor(standing, { desk, outcome });
  const mode = config.kind === 'read' ? config.config.comment : 'on-failure';
  await tellComment({ repository, pull: pull.number, headSha: pull.headSha, mode, context }, settled);
  const worst = await worstOf(standing, settled);
  if (worst.kind === 'awaited') return;
  await aloneOn(desk, async () => concludeCheck(desk, { check: await ourCheck(desk), text: checkText(worst), basis }));
}

/** Says what is waited for, and comes back when that is overdue. */
async function waitFor(
  standing: PullStanding,
  { desk, outcome }: { readonly desk: CheckDesk; readonly outcome: Outcome },
): Promise<void> {
  const { installation, repository, pull, config, context } = standing;
  if (outcome.kind !== 'awaited') return;
  const check = await openCheckOn(desk);
  if (check !== null) await tellWaiting(desk, { check, what: outcome.what });
  const delaySeconds = secondsUntil(dueAt({ config, check, context }), context);
  const about = { installation, repository: refOf(repository), pull: pull.number, head: pull.headSha };
  await context.add({ kind: 'deadline', ...about }, { delaySeconds });
}

/** The check run that waits; a new one where the last is concluded, so that an old verdict does not go on standing. */
export function openCheckOn(desk: CheckDesk): Promise<OurCheck | null> {
  return aloneOn(desk, async () => {
    const current = await ourCheck(desk);
    return current === null || current.isConcluded ? queueCheck(desk) : current;
  });
}

/** The head, or the base, is another one by now: nothing of this verdict is told, and nobody waits for the old commit. */
async function moved({ installation, repository, pull, context }: PullStanding, desk: CheckDesk): Promise<void> {
  await cancelUnlessHead(desk);
  const about = { installation, repository: refOf(repository), pull: pull.number };
  await context.add({ kind: 'judge', ...about, why: 'the head or the base has moved on' });
}

/** Ends the open check of a commit that is no open pull request's head any more. */
export async function cancelUnlessHead(desk: CheckDesk): Promise<void> {
  const others = await pullsOfHead(desk.repository, desk.headSha);
  if (others.length === 0) await aloneOn(desk, () => cancelCheck(desk));
}

/** Of several open pull requests with this head the check is the worst; each of them is judged against its own base. */
async function worstOf(standing: PullStanding, own: Settled): Promise<Outcome> {
  let worst: Outcome = own;
  for (const pull of standing.siblings) {
    if (pull.number === standing.pull.number) continue;
    const outcome = await outcomeFor({ ...standing, pull });
    if (rankOf(outcome) > rankOf(worst)) worst = outcome;
  }
  return worst;
}
