import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { payloadOf } from '../github/webhooks.js';
import { commentsOf, SECRET, stage, startBot, tell, until } from './support.js';

test('judges a pull request when its webhook comes, and answers before that', async () => {
  const scene = await stage();
  const { repository } = scene;
  const [pull] = scene.pulls;
  if (pull === undefined) throw new Error('no pull request');
  const bot = await startBot(scene);
  await until(() => commentsOf(scene, pull).length === 1, 'the comment of the sweep at the start').catch((e) => { console.log(bot.lines, scene.server.requests.map((r)=>r.method+r.path+r.status), scene.server.unexpected); throw e; });
  repository.commit({ branch: 'change-0', files: { more: '2\n' } });
  const delivery = await tell(scene, { bot, happening: { event: 'pull_request', action: 'synchronize', repository, pull } });
  expect(delivery.statusCode).toBe(200);
  await until(() => commentsOf(scene, pull)[0]?.endsWith(pull.headSha) === true, 'the comment for the new head');
  expect(commentsOf(scene, pull)).toHaveLength(1);
});
