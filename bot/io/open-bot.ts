import type { BotLog, BotParts } from '../jobs.js';
import type { BotClock } from '../ports.js';
import type { Queue } from '../queue.js';
import type { Settings } from '../settings.js';
import { createWork } from '../work.js';
import { createDoor, type Door } from './door.js';
import { connectGitHub, createProbot } from './github.js';
import { createMemoryQueue } from './memory-queue.js';
import { createMetrics } from './metrics.js';
import { openRedisQueue } from './redis-queue.js';

/** A bot that can be asked, and that works once it is started. */
export interface OpenBot {
  readonly door: Door;
  /** Begins to work and to sweep. */
  start(): void;
  /** Takes nothing more, lets what is in hand end, and closes everything. */
  stop(): Promise<void>;
}

/** How `openBot` is called. */
export interface BotOptions {
  readonly settings: Settings;
  readonly parts: BotParts;
  readonly log: BotLog;
  /** The system's unless given. */
  readonly clock?: BotClock;
}

const systemClock: BotClock = { now: () => Date.now(), iso: () => new Date().toISOString() };

/** Puts the bot together; throws a GateError when a setting turns out not to hold. */
export async function openBot({ settings, parts, log, clock = systemClock }: BotOptions): Promise<OpenBot> {
  const { jobsAtOnce, takeoverSeconds, redisUrl, webhookPath, graceSeconds } = settings;
  // A key that is none is told before anything is connected to.
  const app = createProbot(settings);
  const queue =
    redisUrl === null
      ? createMemoryQueue({ jobsAtOnce })
      : await openRedisQueue({ url: redisUrl, jobsAtOnce, takeoverSeconds, log });
  const metrics = createMetrics(queue);
  const github = await connectGitHub(app, metrics);
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const door = await createDoor({
    probot: app.probot,
    webhookPath,
    queue,
    jobsOf: parts.jobsOf,
    metrics,
    log,
    isStopping,
  });
  const work = createWork({ github, queue, workJob: parts.workJob, clock, metrics, log });
  let timer: NodeJS.Timeout | undefined;
  return {
    door,
    start() {
      queue.start(work);
      void callRoll(queue, log);
      timer = startSweeps({ queue, log, minutes: settings.sweepMinutes });
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await queue.stop({ graceSeconds });
      const { waiting, delayed } = await queue.counts().catch(() => ({ waiting: 0, delayed: 0 }));
      if (redisUrl === null && waiting + delayed > 0)
        log.warn('jobs were left; the sweep at the next start finds what they were about', { jobs: waiting + delayed });
    },
  };
}

/** One roll-call in each period, whichever instance comes first. */
function startSweeps({ queue, log, minutes }: { queue: Queue; log: BotLog; minutes: number }): NodeJS.Timeout {
  const period = minutes * 60_000;
  return setInterval(async () => {
    const note = `sweep:${Math.floor(Date.now() / period)}`;
    if (await queue.isNoted(note).catch(() => false)) return;
    if (await callRoll(queue, log)) await queue.note(note).catch(() => {});
  }, period);
}

async function callRoll(queue: Queue, log: BotLog): Promise<boolean> {
  try {
    await queue.add([{ job: { kind: 'roll-call' }, delaySeconds: 0 }]);
    return true;
  } catch {
    log.warn('the sweep could not be queued');
    return false;
  }
}
