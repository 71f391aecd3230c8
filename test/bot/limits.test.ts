import { expect, test } from 'vitest';
import { PROJECT } from '../action/project.js';
import { checkOn, happen, judged, judgeStage, propose } from './judge-stage.js';
import { asTree, makeRuns } from './make-runs.js';
import { until } from './support.js';

const { runs: GOOD } = makeRuns(PROJECT);

test('passes nothing where GitHub cuts the list of a folder short, and says that it did', async () => {
  const on = await judgeStage({ config: 'comment: always\n' });
  const pull = propose(on, asTree(GOOD));
  on.server.state.mostTreeEntries = 2;
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output?.summary).toContain('cut the list');
});

test('judges a tree whose whole list is cut short, folder by folder', async () => {
  const on = await judgeStage();
  const pull = propose(on, asTree(GOOD));
  on.server.state.mostTreeEntries = 12;
  expect((await judged(on, pull)).conclusion).toBe('success');
});

test('tells no verdict by a base branch that was renamed meanwhile, and judges by the one of the new name', async () => {
  const on = await judgeStage();
  const { repository, server } = on;
  const pull = propose(on, asTree(GOOD));
  let release = (): void => undefined;
  let held = false;
  // Asked once the tip of the old base is known.
  const isComparison = ({ operation }: { operation: string | undefined }): boolean => {
    held ||= operation === 'repos/compare-commits-with-basehead';
    return operation === 'repos/compare-commits-with-basehead';
  };
  const heal = server.fail(isComparison, {
    until: new Promise<void>((resolve) => {
      release = resolve;
    }),
  });
  await happen(on, { event: 'pull_request', action: 'opened', repository, pull });
  await until(() => held, 'a comparison that waits');
  repository.renameBranch('main', 'trunk');
  // The run is made under the profile that the old branch had.
  const profile = `${PROJECT['profiles/default.yaml']}description: another one\n`;
  repository.commit({ branch: 'trunk', files: { 'profiles/default.yaml': profile } });
  heal();
  release();
  await until(() => checkOn(on, pull.headSha).status === 'completed', 'a verdict');
  expect(checkOn(on, pull.headSha).conclusion).toBe('failure');
});
