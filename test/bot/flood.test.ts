import { expect, test } from 'vitest';
import { PROJECT } from '../action/project.js';
import { flood } from './flood.js';
import { floodStage } from './flood-stage.js';
import { JUDGE } from './judge-stage.js';
import { asTree, makeRuns } from './make-runs.js';
import { afterTest, commentsOf, startBot, until, untilIdle } from './support.js';

test('leaves one comment for the newest head of each of 50 pull requests after 1,000 deliveries at 100 a second', async () => {
  const scene = await floodStage({ pulls: 50, runs: asTree(makeRuns(PROJECT).runs) });
  afterTest(() => scene.server.close());
  const bot = await startBot(scene, { parts: JUDGE, more: { LOG_LEVEL: 'warn' } });
  const { refused } = await flood({ scene, total: 1000, perSecond: 100, bot: () => bot });
  expect(refused).toBe(0);
  const newest = () =>
    scene.pulls.map((pull) => commentsOf(scene, pull).map((body) => body.includes(`sha=${pull.headSha}`)));
  await until(() => newest().flat().filter(Boolean).length === 50, 'a comment for each newest head', 240);
  await untilIdle(bot, 240);
  expect(newest()).toEqual(scene.pulls.map(() => [true]));
  // The check of each newest head is concluded; an older head's is, or was cancelled.
  const open = scene.repository.checks.runs.filter(({ status }) => status !== 'completed');
  expect(open).toEqual([]);
  const verdicts = scene.pulls.map(({ headSha }) =>
    scene.repository.checks.runs.filter((run) => run.headSha === headSha),
  );
  expect(verdicts.map((runs) => runs.map(({ conclusion }) => conclusion))).toEqual(scene.pulls.map(() => ['success']));
}, 600_000);
