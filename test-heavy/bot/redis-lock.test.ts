import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../bot/io/log.js';
import { type Locks, tryLock } from '../../bot/io/redis-lock.js';
import { openRedisQueue } from '../../bot/io/redis-queue.js';
import { afterTest, until } from '../../test/bot/support.js';
import { type RedisServer, startRedis } from '../support/redis.js';

let server: RedisServer;
let redis: Redis;
let locks: Locks;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  locks = { redis, prefix: 'test', seconds: 4 };
});
beforeEach(() => server.flush());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('gives a lock to one at a time, renews it beyond its life, and gives it to the next when it is released', async () => {
  const lock = await tryLock('a', locks);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect(await tryLock('a', locks)).toBeNull();
  expect(lock?.lost.aborted).toBe(false);
  await lock?.release();
  const next = await tryLock('a', locks);
  expect(next).not.toBeNull();
  await next?.release();
});

test('says that a lock is lost when somebody else holds it, and leaves that one alone', async () => {
  const lock = await tryLock('a', locks);
  await redis.set('test:lock:a', 'another');
  await until(() => lock?.lost.aborted === true, 'the loss');
  await lock?.release();
  expect(await redis.get('test:lock:a')).toBe('another');
});

test('breaks off what is exclusive when its lock is lost, to be begun again', async () => {
  const log = createLog({ level: 'error', write: () => {} });
  const queue = await openRedisQueue({ url: server.url, jobsAtOnce: 1, takeoverSeconds: 1, log });
  afterTest(() => queue.stop({ graceSeconds: 0 }));
  const work = queue.exclusive('b', () => new Promise<never>(() => {}), new AbortController().signal);
  const ended = expect(work).rejects.toMatchObject({ name: 'TryAgain' });
  await until(async () => (await redis.keys('*lock:key:b')).length === 1, 'the lock');
  const [key = ''] = await redis.keys('*lock:key:b');
  await redis.set(key, 'another');
  await ended;
});
