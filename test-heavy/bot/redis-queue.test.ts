import { afterAll, beforeAll } from 'vitest';
import { createLog } from '../../bot/io/log.js';
import { openRedisQueue } from '../../bot/io/redis-queue.js';
import { describeQueue } from '../../test/bot/queue-contract.js';
import { afterTest } from '../../test/bot/support.js';
import { type RedisServer, startRedis } from '../support/redis.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const log = createLog({ level: 'error', write: () => {} });

describeQueue(async ({ jobsAtOnce }) => {
  await redis.flush();
  const queue = await openRedisQueue({ url: redis.url, jobsAtOnce, takeoverSeconds: 2, log });
  afterTest(() => queue.stop({ graceSeconds: 0 }));
  return queue;
});
