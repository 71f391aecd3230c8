import { Queue as BullQueue, DelayedError, type Job as Entry, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { gateError } from '../../core/index.js';
import { type BotLog, type Job, keyOf, laneOf, TryAgain } from '../jobs.js';
import type { Added, Counts, Queue, Work } from '../queue.js';
import { type Lock, type Locks, tryLock, waitForLock } from './redis-lock.js';

/** How the queue on Redis is set up. */
export interface RedisQueueOptions {
  readonly url: string;
  readonly jobsAtOnce: number;
  readonly takeoverSeconds: number;
  readonly log: BotLog;
}

const PREFIX = 'grounding-bot';
const NAME = 'jobs';
const NOTE_SECONDS = 3 * 24 * 3600;
/** As long as a workflow's artifact is kept by default. */
const CLAIM_SECONDS = 90 * 24 * 3600;
const CLAIMS_AT_ONCE = 1000;
/** For each id, who showed it first. */
const CLAIM =
  "local first = {} for i, key in ipairs(KEYS) do redis.call('set', key, ARGV[1], 'EX', ARGV[2], 'NX') first[i] = redis.call('get', key) end return first";
/** A job that was in hand when its instance died so many times is taken to be what killed it; the next sweep begins it anew. */
const MOST_DEATHS = 5;
const LANE_BUSY_MS = 250;
const CONNECT_SECONDS = 5;
const MINIMUM_VERSION = 6.2;

/** Another turn after so many milliseconds, counted as a try. */
class Again extends Error {
  readonly afterMs: number;

  constructor(afterMs: number) {
    super('again');
    this.afterMs = afterMs;
  }
}

/** The queue of several instances on one Redis server; throws GateError `bot-redis` when that cannot be relied on. */
export async function openRedisQueue(options: RedisQueueOptions): Promise<Queue> {
  const redis = await connect(options.url);
  try {
    await refuseUnfit(redis, options.log);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return new RedisQueue(redis, options);
}

/** For commands that a caller waits for: they fail at once while there is no connection, and the next call finds a new one. */
async function connect(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: CONNECT_SECONDS * 1000,
    commandTimeout: CONNECT_SECONDS * 1000,
    retryStrategy: (times) => Math.min(times * 100, 2000),
  });
  // ioredis repeats itself at each try; readyz says what counts.
  redis.on('error', () => {});
  try {
    await redis.connect();
    return redis;
  } catch (cause) {
    redis.disconnect();
    throw gateError('bot-redis', {
      blame: 'configuration',
      message: 'the Redis server that REDIS_URL names does not answer',
      remedy: 'start it, or unset REDIS_URL to run a single instance with its queue in memory',
      cause,
    });
  }
}

async function refuseUnfit(redis: Redis, log: BotLog): Promise<void> {
  const info = await redis.info();
  const version = Number(/^redis_version:(\d+\.\d+)/m.exec(info)?.[1] ?? Number.NaN);
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
  const refuse = (message: string, remedy: string): never => {
    throw gateError('bot-redis', { blame: 'configuration', message, remedy });
  };
  if (version < MINIMUM_VERSION) refuse(`the Redis server is version ${version}`, `use ${MINIMUM_VERSION} or later`);
  if (policy !== 'noeviction' && policy !== 'unknown')
    refuse(`the Redis server throws keys away when it is full (${policy})`, 'set its maxmemory-policy to noeviction');
  if (!/^aof_enabled:1/m.test(info))
    log.warn('the Redis server keeps no append-only file; what waits there may be lost when it stops');
}

class RedisQueue implements Queue {
  readonly #redis: Redis;
  readonly #options: RedisQueueOptions;
  readonly #locks: Locks;
  readonly #bull: BullQueue<Job>;
  readonly #stopping = new AbortController();
  readonly #turns = new Map<string, AbortController>();
  #worker: Worker<Job> | null = null;

  constructor(redis: Redis, options: RedisQueueOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#locks = { redis, prefix: PREFIX, seconds: options.takeoverSeconds };
    this.#bull = new BullQueue<Job>(NAME, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
    this.#bull.on('error', () => {});
  }

  async add(added: readonly Added[]): Promise<void> {
    await this.#bull.addBulk(
      added.map(({ job, delaySeconds }) => ({
        name: job.kind,
        data: job,
        opts: {
          delay: delaySeconds * 1000,
          // How often a job is tried is decided where it is worked.
          attempts: 1000,
          backoff: { type: 'custom' },
          removeOnComplete: true,
          removeOnFail: { count: 100 },
          // While one waits, another that says the same is dropped; while one is worked, the last is kept for afterwards.
          deduplication: {
            id: keyOf(job),
            keepLastIfActive: true,
            ...(delaySeconds === 0 ? { reschedule: true } : {}),
          },
        },
      })),
    );
  }

  async isNoted(id: string): Promise<boolean> {
    return (await this.#redis.exists(`${PREFIX}:note:${id}`)) === 1;
  }

  async note(id: string): Promise<void> {
    await this.#redis.set(`${PREFIX}:note:${id}`, '1', 'EX', NOTE_SECONDS);
  }

  async claim(ids: readonly string[], by: string): Promise<ReadonlySet<string>> {
    const others = new Set<string>();
    for (let from = 0; from < ids.length; from += CLAIMS_AT_ONCE) {
      const some = ids.slice(from, from + CLAIMS_AT_ONCE);
      const keys = some.map((id) => `${PREFIX}:claim:${id}`);
      const first = await this.#redis.eval(CLAIM, keys.length, ...keys, by, CLAIM_SECONDS);
      if (!Array.isArray(first) || first.length !== some.length) throw new Error('the Redis server answered oddly');
      some.forEach((id, i) => {
        if (first[i] !== by) others.add(id);
      });
    }
    return others;
  }

  async exclusive<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const lock = await waitForLock(`key:${key}`, this.#locks, signal);
    try {
      return await Promise.race([work(), lostOf(lock)]);
    } finally {
      await lock.release();
    }
  }

  async pause(installation: number, seconds: number): Promise<void> {
    await this.#redis.set(`${PREFIX}:pause:${installation}`, '1', 'PX', Math.max(1, Math.ceil(seconds * 1000)));
  }

  async pausedFor(installation: number): Promise<number> {
    return Math.max(0, await this.#redis.pttl(`${PREFIX}:pause:${installation}`)) / 1000;
  }

  async counts(): Promise<Counts> {
    const { wait = 0, delayed = 0, active = 0 } = await this.#bull.getJobCounts('wait', 'delayed', 'active');
    return { waiting: wait, delayed, active };
  }

  async isReady(): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    return this.#redis.ping().then(
      (answer) => answer === 'PONG',
      () => false,
    );
  }

  start(work: Work): void {
    const { url, jobsAtOnce, takeoverSeconds, log } = this.#options;
    // Its own connection: a worker waits on it for work.
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    connection.on('error', () => {});
    const worker = new Worker<Job>(NAME, (entry, token) => this.#turn(entry, { work, token: token ?? '' }), {
      connection,
      prefix: PREFIX,
      concurrency: jobsAtOnce,
      lockDuration: takeoverSeconds * 1000,
      stalledInterval: takeoverSeconds * 1000,
      maxStalledCount: MOST_DEATHS,
      skipVersionCheck: true,
      settings: { backoffStrategy: (_attempts, _type, error) => (error instanceof Again ? error.afterMs : 0) },
    });
    worker.on('error', (error) => log.warn('the queue on Redis has trouble', { error: error.name }));
    worker.on('stalled', (id) => log.warn('a job was taken over from an instance that fell silent', { entry: id }));
    worker.on('failed', (entry) => {
      if (entry !== undefined && entry.finishedOn !== undefined)
        log.error('a job was dropped after every instance that had it died', { job: entry.name });
    });
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.#turns.get(id)?.abort(new Error('the job is in other hands'));
    });
    worker.on('closed', () => connection.disconnect());
    this.#worker = worker;
  }

  async stop({ graceSeconds }: { readonly graceSeconds: number }): Promise<void> {
    const closed = this.#worker?.close() ?? Promise.resolve();
    const patience = setTimeout(() => this.#stopping.abort(new Error('the bot stops')), graceSeconds * 1000);
    await closed;
    clearTimeout(patience);
    this.#stopping.abort();
    await this.#bull.close();
    this.#redis.disconnect();
  }

  /** One turn of a job in its lane; a job whose lane is busy waits a moment. */
  async #turn(entry: Entry<Job>, { work, token }: { readonly work: Work; readonly token: string }): Promise<void> {
    const lock = await tryLock(`lane:${laneOf(entry.data)}`, this.#locks);
    if (lock === null) return this.#later(entry, { token, milliseconds: LANE_BUSY_MS * (0.5 + Math.random()) });
    try {
      const ending = await this.#work(entry, { work, lock });
      if (ending.kind === 'done') return;
      if (ending.counted) throw new Again(Math.ceil(ending.afterSeconds * 1000));
      await this.#later(entry, { token, milliseconds: ending.afterSeconds * 1000 });
    } finally {
      await lock.release();
    }
  }

  async #work(entry: Entry<Job>, { work, lock }: { readonly work: Work; readonly lock: Lock }) {
    const id = entry.id ?? '';
    const own = new AbortController();
    this.#turns.set(id, own);
    try {
      const signal = AbortSignal.any([own.signal, lock.lost, this.#stopping.signal]);
      return await work(entry.data, { retries: entry.attemptsMade, signal });
    } finally {
      this.#turns.delete(id);
    }
  }

  /** Back into the queue without counting a try; the error is how BullMQ wants to be told. */
  async #later(entry: Entry<Job>, { token, milliseconds }: { readonly token: string; readonly milliseconds: number }) {
    await entry.moveToDelayed(Date.now() + milliseconds, token);
    throw new DelayedError();
  }
}

/** Rejects when a lock is lost: what it guards has to be begun again. */
function lostOf({ lost }: Lock): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    const tell = (): void => reject(new TryAgain('a lock was lost', { afterSeconds: null }));
    lost.addEventListener('abort', tell, { once: true });
  });
  // When the work has ended, nobody waits for this any more.
  rejection.catch(() => {});
  return rejection;
}
