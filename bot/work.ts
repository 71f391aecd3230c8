import { describeFailure } from './describe-failure.js';
import { failureOf, statusOf } from './failure.js';
import type { BotLog, Facts, Job, JobContext, JudgeJob, WorkJob } from './jobs.js';
import type { BotClock, GitHubApp, JobOutcome, Metrics } from './ports.js';
import type { Ending, Queue, Turn, Work } from './queue.js';
import { sweep } from './sweep.js';

/** What jobs are worked with. */
export interface WorkWorld {
  readonly github: GitHubApp;
  readonly queue: Queue;
  readonly workJob: WorkJob;
  readonly clock: BotClock;
  readonly metrics: Metrics;
  readonly log: BotLog;
}

const DONE: Ending = { kind: 'done' };

/** What the queue calls for each turn of a job: does it, and decides what follows from a failure. */
export function createWork(world: WorkWorld): Work {
  return async (job, turn) => {
    const held = 'installation' in job ? await world.queue.pausedFor(job.installation).catch(() => 0) : 0;
    const begun = world.clock.now();
    const tell = (outcome: JobOutcome): void =>
      world.metrics.job({ kind: job.kind, outcome, seconds: (world.clock.now() - begun) / 1000 });
    if (held > 0) {
      tell('held');
      return { kind: 'again', afterSeconds: held, counted: false };
    }
    try {
      await doJob(job, turn, world);
      tell('done');
      world.log.debug('job done', factsOf(job));
      return DONE;
    } catch (error) {
      const { outcome, ending } = await afterFailure(error, { job, turn, world });
      tell(outcome);
      return ending;
    }
  };
}

async function doJob(job: Job, { signal, retries }: Turn, world: WorkWorld): Promise<void> {
  const { github, queue, clock, log } = world;
  if (job.kind === 'roll-call' || job.kind === 'installation' || job.kind === 'repository')
    return sweep(job, { ...world, signal });
  const context: JobContext = {
    octokit: await github.installation(job.installation, signal),
    log: withFacts(log, factsOf(job)),
    signal,
    retries,
    app: () => github.identity(),
    add: (added, { delaySeconds = 0 } = {}) => queue.add([{ job: added, delaySeconds }]),
    exclusive: (key, work) => queue.exclusive(key, work, signal),
    claim: (ids, by) => queue.claim(ids, by),
    now: () => clock.now(),
  };
  return world.workJob(job, context);
}

async function afterFailure(
  error: unknown,
  { job, turn, world }: { readonly job: Job; readonly turn: Turn; readonly world: WorkWorld },
): Promise<{ readonly outcome: JobOutcome; readonly ending: Ending }> {
  const { log, queue, github, clock } = world;
  const facts = { ...factsOf(job), retries: turn.retries, ...describeFailure(error) };
  if (turn.signal.aborted) {
    log.info('job handed back', factsOf(job));
    return { outcome: 'handed-back', ending: { kind: 'again', afterSeconds: 0, counted: false } };
  }
  const failure = failureOf(error, { retries: turn.retries, now: clock.now() });
  // A token may be older than what the installation may do now.
  if ('installation' in job && [401, 403].includes(statusOf(error) ?? 0)) github.forget(job.installation);
  switch (failure.kind) {
    case 'again': {
      const { afterSeconds, pausesAll } = failure;
      if (pausesAll && 'installation' in job) await queue.pause(job.installation, afterSeconds).catch(() => {});
      log.warn(pausesAll ? 'GitHub asks to wait' : 'job will be tried again', { ...facts, afterSeconds });
      return { outcome: 'again', ending: { kind: 'again', afterSeconds, counted: true } };
    }
    case 'given-up':
      log.error('job given up; the next sweep begins it anew', facts);
      return { outcome: 'given-up', ending: DONE };
    case 'refused':
      log.error('GitHub refuses what the job needs', facts);
      return { outcome: 'refused', ending: DONE };
    case 'broken':
      log.error('job broken off by an error', facts);
      return { outcome: 'broken', ending: DONE };
  }
}

/** What a log line says about a job: its kind, and the numbers that it names. */
function factsOf(job: Job): Facts {
  if (job.kind === 'roll-call') return { job: job.kind };
  if (job.kind === 'installation') return { job: job.kind, installation: job.installation };
  const { kind, installation, repository } = job;
  return { job: kind, installation, repository: repository.id, ...targetOf(job) };
}

function targetOf(job: JudgeJob | Extract<Job, { kind: 'repository' }>): Facts {
  if ('pull' in job) return { pull: job.pull };
  return 'head' in job ? { head: job.head } : {};
}

function withFacts(log: BotLog, facts: Facts): BotLog {
  return {
    debug: (event, more) => log.debug(event, { ...facts, ...more }),
    info: (event, more) => log.info(event, { ...facts, ...more }),
    warn: (event, more) => log.warn(event, { ...facts, ...more }),
    error: (event, more) => log.error(event, { ...facts, ...more }),
  };
}
