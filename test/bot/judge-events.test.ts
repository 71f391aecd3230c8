import { expect, test } from 'vitest';
import { DRIFT_LABEL, DRIFT_MARKER } from '../../core/index.js';
import { fixture, PROJECT } from '../action/project.js';
import type { Pull } from '../github/state/records.js';
import {
  CONFIG,
  checkOn,
  checksOn,
  happen,
  JUDGE,
  type JudgeStage,
  judged,
  judgeStage,
  ownComments,
  propose,
  stored,
} from './judge-stage.js';
import { artifactOf, asTree, makeRuns, namesOf, type RunFiles } from './make-runs.js';
import { PERMISSIONS, startBot, until } from './support.js';

const { runs: GOOD, report: REPORT } = makeRuns(PROJECT);
const [RUN = ''] = namesOf(GOOD);
const UNSEEN = { 'agents/finder.mjs': 'export default 1;\n' };

/** Runs of the good one's making under so many other ids. */
function manyRuns(count: number): RunFiles {
  const files = new Map<string, Buffer>();
  const lines: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const id = `${RUN.slice(0, -6)}${at.toString(16).padStart(6, '0')}`;
    for (const [path, bytes] of GOOD) {
      const text = bytes.toString('utf8').replaceAll(RUN, id);
      if (path === 'invocations.jsonl') lines.push(text);
      else files.set(path.replace(RUN, id), Buffer.from(text));
    }
  }
  return files.set('invocations.jsonl', Buffer.from(lines.join('')));
}

/** Says something on a pull request as a person would, and waits until the bot has reacted. */
async function say(
  on: JudgeStage,
  { pull, body, as }: { readonly pull: Pull; readonly body: string; readonly as: string },
) {
  const { repository, server } = on;
  const comment = repository.discussion.comment({ issue: pull.number, user: server.state.account(as), body });
  await happen(on, { event: 'issue_comment', action: 'created', repository, comment });
  return comment;
}

const answers = (on: JudgeStage, pull: Pull) => ownComments(on, pull).filter(({ body }) => body.includes('answer='));

test('concludes cancelled the check of a head that moved while it was judged, and comments on the newest alone', async () => {
  const on = await judgeStage({ config: 'comment: always\n' });
  const { repository, server } = on;
  const pull = propose(on, asTree(GOOD));
  const old = pull.headSha;
  let release = (): void => undefined;
  const heal = server.fail('repos/compare-commits-with-basehead', {
    until: new Promise<void>((resolve) => {
      release = resolve;
    }),
  });
  await happen(on, { event: 'pull_request', action: 'opened', repository, pull });
  await until(() => checksOn(on, old).length > 0, 'a check that waits');
  repository.commit({ branch: 'change', files: { 'README.md': 'newer\n' } });
  heal();
  release();
  await happen(on, { event: 'pull_request', action: 'synchronize', repository, pull, before: old });
  await until(() => checksOn(on, pull.headSha).at(-1)?.status === 'completed', 'a verdict on the newest head');
  await until(() => checkOn(on, old).status === 'completed', 'an end of the old check');
  expect(checkOn(on, old).conclusion).toBe('cancelled');
  expect(checkOn(on, pull.headSha).conclusion).toBe('success');
  expect(ownComments(on, pull).map(({ body }) => body.includes(pull.headSha.slice(0, 12)))).toEqual([true]);
});

test('ends the waiting check of a head that a push left behind', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\n' });
  const { repository } = on;
  const pull = propose(on, UNSEEN);
  const old = pull.headSha;
  await happen(on, { event: 'pull_request', action: 'opened', repository, pull });
  await until(() => checksOn(on, old).at(-1)?.output.title === 'waiting for evidence', 'a check that waits');
  repository.commit({ branch: 'change', files: { 'README.md': 'newer\n' } });
  await happen(on, { event: 'pull_request', action: 'synchronize', repository, pull, before: old });
  await until(() => checkOn(on, old).conclusion === 'cancelled', 'an end of the old check');
});

test('asks for action when evidence is overdue, and honours the re-run button', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\ndeadline_minutes: 5\n' });
  const { repository } = on;
  const pull = propose(on, UNSEEN);
  await happen(on, { event: 'pull_request', action: 'opened', repository, pull });
  await until(() => checksOn(on, pull.headSha).at(-1)?.output.title === 'waiting for evidence', 'a check that waits');
  checkOn(on, pull.headSha).startedAt = '2020-01-01T00:00:00Z';
  const overdue = await judged(on, pull, 'ready_for_review');
  expect(overdue).toMatchObject({ conclusion: 'action_required', output: { title: 'evidence is missing' } });
  stored(on, pull, artifactOf(GOOD, REPORT));
  const before = checksOn(on, pull.headSha).length;
  await happen(on, { event: 'check_run', action: 'rerequested', repository, check: overdue });
  await until(
    () => checksOn(on, pull.headSha).length > before && checkOn(on, pull.headSha).status === 'completed',
    'a new check',
  );
  expect(checkOn(on, pull.headSha).conclusion).toBe('success');
});

test('gives a check that was re-run a new check run, though it says the same', async () => {
  const on = await judgeStage();
  const pull = propose(on, asTree(GOOD));
  const first = await judged(on, pull);
  const suite = on.repository.checks.suites.find(({ id }) => id === first.suite);
  if (suite === undefined) throw new Error('a check without a suite');
  await happen(on, { event: 'check_suite', action: 'rerequested', repository: on.repository, suite });
  await until(
    () => checksOn(on, pull.headSha).filter(({ status }) => status === 'completed').length === 2,
    'a second check',
  );
  expect(checkOn(on, pull.headSha).conclusion).toBe('success');
});

test('concludes the check of a commit in the merge queue, and writes no comment', async () => {
  const on = await judgeStage({ config: 'comment: always\n' });
  const { repository } = on;
  const pull = propose(on, asTree(GOOD));
  const group = repository.mergeGroup([pull]);
  await happen(on, { event: 'merge_group', action: 'checks_requested', repository, group });
  await until(() => checksOn(on, group.sha).at(-1)?.status === 'completed', 'a verdict');
  expect(checkOn(on, group.sha).conclusion).toBe('success');
  const other = propose(on, UNSEEN, { branch: 'other' });
  const bad = repository.mergeGroup([other]);
  await happen(on, { event: 'merge_group', action: 'checks_requested', repository, group: bad });
  await until(() => checksOn(on, bad.sha).at(-1)?.status === 'completed', 'a verdict');
  expect(checkOn(on, bad.sha).conclusion).toBe('action_required');
});

test('obeys people who may write, refuses others with a reason, and does not hear apps', async () => {
  const on = await judgeStage();
  const { repository } = on;
  const pull = propose(on, asTree(GOOD));
  await judged(on, pull);
  repository.collaborator('mona', 'write');
  const asked = await say(on, { pull, body: '/grounding recheck\nplease', as: 'mona' });
  await until(() => asked.reactions.length > 0, 'a reaction');
  expect(asked.reactions.map(({ content }) => content)).toEqual(['+1']);
  await until(
    () => checksOn(on, pull.headSha).filter(({ status }) => status === 'completed').length === 2,
    'a second check',
  );
  const refused = await say(on, { pull, body: '/grounding recheck', as: 'mallory' });
  await until(() => answers(on, pull).length > 0, 'a reason');
  expect(refused.reactions.map(({ content }) => content)).toEqual(['-1']);
  const help = await say(on, { pull, body: '/grounding help', as: 'mona' });
  const explained = await say(on, { pull, body: '/grounding explain G2', as: 'mona' });
  const unknown = await say(on, { pull, body: '/grounding approve', as: 'mona' });
  await until(() => answers(on, pull).length === 4, 'four answers');
  expect([help, explained, unknown].map(({ reactions }) => reactions[0]?.content)).toEqual(['+1', '+1', 'confused']);
  expect(answers(on, pull).some(({ body }) => body.includes('## G2'))).toBe(true);
  const deaf = [
    await say(on, { pull, body: '> /grounding help', as: 'mona' }),
    await say(on, { pull, body: 'so:\n/grounding help', as: 'mona' }),
    await say(on, { pull, body: '/groundinghelp', as: 'mona' }),
  ];
  await happen(on, { event: 'pull_request', action: 'ready_for_review', repository, pull });
  await until(() => on.bot.lines.some((line) => line.includes('nothing is new')), 'a later job');
  expect(deaf.map(({ reactions }) => reactions.length)).toEqual([0, 0, 0]);
  expect(answers(on, pull)).toHaveLength(4);
});

test('answers a comment once, however often it is told of it', async () => {
  const on = await judgeStage({ config: null });
  const pull = propose(on, UNSEEN);
  on.repository.collaborator('mona', 'write');
  const comment = await say(on, { pull, body: '/grounding help', as: 'mona' });
  await until(() => answers(on, pull).length === 1, 'an answer');
  expect(answers(on, pull)[0]?.body).toContain(CONFIG);
  const jobs = () => on.bot.lines.filter((line) => line.includes('"job":"command"')).length;
  const before = jobs();
  await happen(on, { event: 'issue_comment', action: 'created', repository: on.repository, comment });
  await until(() => jobs() > before, 'a second job');
  expect(answers(on, pull)).toHaveLength(1);
  expect(comment.reactions).toHaveLength(1);
});

test('finds a repository that was renamed after its webhook, and leaves another one of its old name alone', async () => {
  const on = await judgeStage();
  const { repository, server } = on;
  const pull = propose(on, asTree(GOOD));
  repository.rename('octo/renamed');
  expect((await judged(on, pull)).conclusion).toBe('success');
  const stranger = server.repository('octo/stranger');
  stranger.commit({ files: { ...PROJECT, [CONFIG]: '{}\n' } });
  stranger.commit({ branch: 'change', files: UNSEEN });
  const other = stranger.pulls.open({ head: 'change' });
  stranger.rename('octo/agents');
  expect(other.number).toBe(pull.number);
  repository.commit({ branch: 'change', files: { 'README.md': 'more\n' } });
  expect((await judged(on, pull, 'synchronize')).conclusion).toBe('success');
});

test('does nothing and asks nothing in a loop where the app was suspended or uninstalled', async () => {
  const on = await judgeStage();
  const pull = propose(on, asTree(GOOD));
  const unseen = () => on.bot.lines.filter((line) => line.includes('out of sight')).length;
  on.installation.suspend();
  await happen(on, { event: 'pull_request', action: 'opened', repository: on.repository, pull });
  await until(() => unseen() === 1, 'a refusal');
  on.installation.uninstall();
  await happen(on, { event: 'pull_request', action: 'reopened', repository: on.repository, pull });
  await until(() => unseen() === 2, 'another refusal');
  expect(on.server.requests.filter(({ status }) => status >= 400).map(({ status }) => status)).toEqual([403, 404]);
  expect(checksOn(on, pull.headSha)).toHaveLength(0);
});

test.each([
  ['checks', 'the comment', (on: JudgeStage, pull: Pull) => ownComments(on, pull).length === 1],
  ['pull_requests', 'the log', (on: JudgeStage) => on.bot.lines.some((line) => line.includes('403'))],
  [
    'contents',
    'the check',
    (on: JudgeStage, pull: Pull) => checksOn(on, pull.headSha).at(-1)?.conclusion === 'failure',
  ],
  ['actions', 'the check', (on: JudgeStage, pull: Pull) => checksOn(on, pull.headSha).at(-1)?.conclusion === 'failure'],
])('without the permission %s says so in %s', async (name, _, said) => {
  const permissions = Object.fromEntries(Object.entries(PERMISSIONS).filter(([one]) => one !== name));
  // Of a public repository everybody may read, whatever an app was granted.
  const on = await judgeStage({
    permissions,
    isPrivate: true,
    config: name === 'actions' ? 'workflow: grounding.yml\n' : 'comment: always\n',
  });
  const pull = propose(on, asTree(GOOD));
  await happen(on, { event: 'pull_request', action: 'opened', repository: on.repository, pull });
  await until(() => said(on, pull), 'a word about it');
});

test('judges 5,000 runs of an artifact', async () => {
  const fixtures = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
      [`fixtures/${name}.json`, fixture({ fetch: ['rec:1'] })],
      [`fixtures/${name}.expect.yaml`, 'status: succeeded\nverified: 1\nrepeat: 1000\n'],
    ]),
  );
  const { 'fixtures/found.json': _, 'fixtures/found.expect.yaml': __, ...project } = PROJECT;
  const on = await judgeStage({
    config:
      'workflow: grounding.yml\nfixtures: [fixtures/a.json, fixtures/b.json, fixtures/c.json, fixtures/d.json, fixtures/e.json]\n',
    files: { ...project, ...fixtures },
  });
  const pull = propose(on, UNSEEN);
  const run = stored(on, pull, artifactOf(manyRuns(5_000), null));
  await happen(on, { event: 'workflow_run', action: 'completed', repository: on.repository, run });
  await until(() => checksOn(on, pull.headSha).at(-1)?.status === 'completed', 'a verdict');
  expect(checkOn(on, pull.headSha)).toMatchObject({ conclusion: 'success', output: { title: '5000 runs in order' } });
});

/** A bot that starts looks at the night's work, as every instance does once. */
async function night(on: JudgeStage): Promise<void> {
  const bot = await startBot(on, { parts: JUDGE });
  await until(() => bot.lines.some((line) => line.includes('"job":"reverify"')), 'the night');
  await bot.stop();
}

test('keeps one issue about stored runs that fail, and closes it when they are healed', async () => {
  const path = `runs/${RUN}/grounding.txt`;
  const bad = { ...asTree(GOOD), [path]: 'grounding: FAILED [retrieval]\n  - G1: made up\n' };
  const on = await judgeStage({ config: 'reverify: nightly\n', files: bad });
  const { repository } = on;
  const issues = () => repository.discussion.issues.filter(({ isPull }) => !isPull);
  await until(() => issues().length === 1, 'an issue');
  expect(issues()[0]).toMatchObject({ state: 'open', labels: [DRIFT_LABEL] });
  expect(issues()[0]?.body).toContain(RUN);
  await night(on);
  expect(issues()).toHaveLength(1);
  repository.commit({ files: asTree(GOOD) });
  await night(on);
  expect(issues().map(({ state }) => state)).toEqual(['closed']);
});

test("leaves the workflow's issue about stored runs as it is, and takes no person's for one", async () => {
  const bad = { ...asTree(GOOD), [`runs/${RUN}/grounding.txt`]: 'grounding: FAILED [retrieval]\n  - G1: made up\n' };
  const on = await judgeStage({ config: null, files: bad });
  const { repository, server } = on;
  const open = (login: string, type: 'Bot' | 'User') =>
    repository.discussion.open({
      title: 'x',
      body: `${DRIFT_MARKER}\nmine`,
      labels: [DRIFT_LABEL],
      user: server.state.account(login, type),
    });
  open('mallory', 'User');
  // The first bot looks on its own, and two bots in one memory each would not know of one another.
  await until(() => on.bot.lines.some((line) => line.includes('"job":"reverify"')), 'its night');
  repository.commit({ files: { [CONFIG]: 'reverify: nightly\n' } });
  await night(on);
  const ours = () => repository.discussion.issues.filter(({ user }) => user.id === on.app.user.id);
  expect(ours()).toHaveLength(1);
  repository.discussion.issues.splice(0);
  const theirs = open('github-actions[bot]', 'Bot');
  await night(on);
  expect(ours()).toHaveLength(0);
  expect(theirs.body).toBe(`${DRIFT_MARKER}\nmine`);
});
