import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** A key that one instance holds; it frees itself when the instance no longer renews it. */
export interface Lock {
  /** Aborts when the key may be someone else's. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Where locks are kept and for how long one outlives its holder. */
export interface Locks {
  readonly redis: Redis;
  readonly prefix: string;
  readonly seconds: number;
}

const RENEW =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end";
const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
/** Renewals within the life of a lock: one that fails leaves time for another. */
const RENEWALS = 3;
const SHORTEST_WAIT_MS = 40;
const LONGEST_WAIT_MS = 500;

/** Takes a lock, or null when someone holds it. */
export async function tryLock(name: string, { redis, prefix, seconds }: Locks): Promise<Lock | null> {
  const [key, token, life] = [`${prefix}:lock:${name}`, randomUUID(), seconds * 1000];
  if ((await redis.set(key, token, 'PX', life, 'NX')) !== 'OK') return null;
  const lost = new AbortController();
  let renewed = Date.now();
  const timer = setInterval(async () => {
    const held = await redis.eval(RENEW, 1, key, token, life).catch(() => null);
    if (held === 1) renewed = Date.now();
    // No answer is no proof, until the key has lived its life.
    else if (held === 0 || Date.now() - renewed >= life) lost.abort(new Error('a lock was lost'));
  }, life / RENEWALS);
  return {
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await redis.eval(RELEASE, 1, key, token).catch(() => null);
    },
  };
}

/** Takes a lock as soon as it is free; rejects when `signal` aborts. */
export async function waitForLock(name: string, locks: Locks, signal: AbortSignal): Promise<Lock> {
  for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    const lock = await tryLock(name, locks);
    if (lock !== null) return lock;
    // Not all who wait shall ask at the same moments.
    await sleep(wait * (0.5 + Math.random()), undefined, { signal });
  }
}
