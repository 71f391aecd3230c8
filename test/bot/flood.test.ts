import { expect, test } from 'vitest';
import { flood } from './flood.js';
import { commentsOf, stage, startBot, until } from './support.js';

test('leaves one comment for the newest head of each of 50 pull requests after 1,000 deliveries at 100 a second', async () => {
  const scene = await stage({ pulls: 50 });
  const bot = await startBot(scene, { more: { LOG_LEVEL: 'warn' } });
  const { refused } = await flood({ scene, total: 1000, perSecond: 100, bot: () => bot });
  expect(refused).toBe(0);
  const newest = () => scene.pulls.map((pull) => commentsOf(scene, pull).map((body) => body.endsWith(pull.headSha)));
  await until(() => newest().flat().filter(Boolean).length === 50, 'a comment for each newest head');
  await until(
    async () => (await (await fetch(`${bot.url}/metrics`)).text()).includes('queue_jobs{state="waiting"} 0'),
    'rest',
  );
  expect(newest()).toEqual(scene.pulls.map(() => [true]));
}, 300_000);
