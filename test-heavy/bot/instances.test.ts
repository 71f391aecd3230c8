import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT } from '../../test/action/project.js';
import { flood } from '../../test/bot/flood.js';
import { floodStage } from '../../test/bot/flood-stage.js';
import { asTree, makeRuns } from '../../test/bot/make-runs.js';
import { afterTest, commentsOf, metricsOf, type Stage, tell, until } from '../../test/bot/support.js';
import { type Instance, startInstance } from '../support/instances.js';
import { type RedisServer, startRedis } from '../support/redis.js';

const { runs } = makeRuns(PROJECT);
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function stage({ pulls = 1 } = {}): Promise<Stage> {
  const scene = await floodStage({ pulls, runs: asTree(runs) });
  afterTest(() => scene.server.close());
  return scene;
}

/** A bot on the shared queue; each has a key of its own for its lane of the pull requests. */
async function instance(scene: Stage, more: Readonly<Record<string, string>> = {}): Promise<Instance> {
  const environment = {
    ...scene.environment,
    REDIS_URL: redis.url,
    TAKEOVER_SECONDS: '2',
    LOG_LEVEL: 'debug',
    ...more,
  };
  const one = await startInstance(environment);
  afterTest(() => one.kill());
  return one;
}

const first = ({ pulls: [pull] }: Stage) => {
  if (pull === undefined) throw new Error('no pull request');
  return pull;
};

/** From here on only the queue can save a job: the sweep finds nothing. */
const withoutSweep = ({ server }: Stage) =>
  server.fail('apps/list-installations', { status: 404, body: { message: 'Not Found', documentation_url: 'x' } });

const opened = (scene: Stage) =>
  ({ event: 'pull_request', action: 'opened', repository: scene.repository, pull: first(scene) }) as const;

const newest = (scene: Stage) =>
  scene.pulls.map((pull) => commentsOf(scene, pull).map((body) => body.includes(`sha=${pull.headSha}`)));

test('takes over the job of an instance that is killed in the middle of it', async () => {
  await redis.flush();
  const scene = await stage();
  withoutSweep(scene);
  // The one that has the job stands still between the comment and the verdict.
  scene.server.fail('checks/update', { hang: true, times: 1 });
  const doomed = await instance(scene);
  await tell(scene, { bot: doomed, happening: opened(scene) });
  await until(() => commentsOf(scene, first(scene)).length === 1, 'the comment of the first instance');
  const other = await instance(scene);
  await doomed.kill();
  await until(() => other.lines.some((line) => line.includes('taken over')), 'the take-over');
  const concluded = () => scene.repository.checks.runs.filter(({ conclusion }) => conclusion === 'success').length;
  await until(() => concluded() === 1, 'the verdict of the other instance');
  expect(newest(scene)).toEqual([[true]]);
  expect(scene.repository.checks.runs).toHaveLength(1);
});

test('hands the job of an instance that is asked to end to another, at once', async () => {
  await redis.flush();
  const scene = await stage();
  withoutSweep(scene);
  const heal = scene.server.fail('checks/create', { hang: true });
  const leaving = await instance(scene, { GRACE_SECONDS: '1', TAKEOVER_SECONDS: '600' });
  await tell(scene, { bot: leaving, happening: opened(scene) });
  await until(() => scene.server.requests.some(({ operation }) => operation === 'pulls/get'), 'the job');
  expect(await leaving.terminate()).toBe(0);
  heal();
  await instance(scene, { TAKEOVER_SECONDS: '600' });
  await until(() => commentsOf(scene, first(scene)).length === 1, 'the comment');
});

test('works all that waits in the queue when every instance was killed', async () => {
  await redis.flush();
  const scene = await stage({ pulls: 10 });
  withoutSweep(scene);
  const heal = scene.server.fail('pulls/get', { hang: true });
  const doomed = await instance(scene, { JOBS_AT_ONCE: '1' });
  for (const pull of scene.pulls) {
    const { statusCode } = await tell(scene, { bot: doomed, happening: { ...opened(scene), pull } });
    expect(statusCode).toBe(200);
  }
  await doomed.kill();
  heal();
  await instance(scene);
  await until(() => newest(scene).flat().length === 10, 'every comment');
  expect(newest(scene)).toEqual(scene.pulls.map(() => [true]));
});

test('leaves one comment for the newest head of 50 pull requests after 1,000 deliveries to two instances, one of them killed', async () => {
  await redis.flush();
  const scene = await stage({ pulls: 50 });
  withoutSweep(scene);
  const [doomed, other] = await Promise.all([instance(scene), instance(scene)]);
  let killed: Promise<void> | null = null;
  const { refused } = await flood({
    scene,
    total: 1000,
    perSecond: 100,
    bot: () => other,
    before: (sent) => {
      if (sent === 500) killed = doomed.kill();
    },
  });
  await killed;
  expect(refused).toBe(0);
  await until(() => newest(scene).flat().filter(Boolean).length === 50, 'a comment for each newest head', 240);
  const rest = async () => (await metricsOf(other, 'grounding_bot_queue_jobs')).every((line) => line.endsWith(' 0'));
  await until(rest, 'rest', 240);
  expect(newest(scene)).toEqual(scene.pulls.map(() => [true]));
}, 600_000);

test('knows on one instance what another has taken', async () => {
  await redis.flush();
  const scene = await stage();
  const [one, two] = await Promise.all([instance(scene), instance(scene)]);
  const guid = '22222222-2222-4222-8222-222222222222';
  await tell(scene, { bot: one, happening: opened(scene), guid });
  await tell(scene, { bot: two, happening: opened(scene), guid });
  await until(() => two.lines.some((line) => line.includes('"outcome":"repeated"')), 'the repeated delivery');
});

test('says that it is not ready, and refuses deliveries, while Redis is away; and works again when it is back', async () => {
  const own = await startRedis();
  const scene = await stage();
  const bot = await instance(scene, { REDIS_URL: own.url });
  const ready = async () => (await fetch(`${bot.url}/readyz`)).status;
  expect(await ready()).toBe(200);
  await until(() => commentsOf(scene, first(scene)).length === 1, 'the sweep');
  await own.pause();
  expect(await ready()).toBe(503);
  expect((await tell(scene, { bot, happening: opened(scene) })).statusCode).toBe(500);
  await own.resume();
  await until(async () => (await ready()) === 200, 'Redis to be back');
  expect((await tell(scene, { bot, happening: opened(scene) })).statusCode).toBe(200);
  await own.stop();
});

test.each([
  ['a server that is not there', { REDIS_URL: 'redis://127.0.0.1:1' }, 'bot-redis'],
  ['no secret', { WEBHOOK_SECRET: '' }, 'bot-settings'],
  ['a key that is none', { PRIVATE_KEY: 'x' }, 'bot-settings'],
  ['a file of a key that is not there', { PRIVATE_KEY: '', PRIVATE_KEY_PATH: '/nowhere/key.pem' }, 'bot-settings'],
  ['an address that is not its own', { HOST: '192.0.2.1' }, 'address-unavailable'],
])('does not start with %s', async (_name, more, code) => {
  const scene = await stage();
  await expect(instance(scene, more)).rejects.toThrow(new RegExp(`ended with 2: grounding bot: .*\\[${code}\\]`));
});

test('does not start on a Redis server that throws keys away when it is full', async () => {
  const own = await startRedis(['--maxmemory', '10mb', '--maxmemory-policy', 'allkeys-lru']);
  const scene = await stage();
  await expect(instance(scene, { REDIS_URL: own.url })).rejects.toThrow(/noeviction.*\[bot-redis\]/);
  await own.stop();
});
