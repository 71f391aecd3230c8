import { expect, test } from 'vitest';
import { fixture, PROJECT, pinFor } from '../action/project.js';
import { CONFIG, checkOn, checksOn, happen, judged, judgeStage, ownComments, propose } from './judge-stage.js';
import { asTree, makeRuns, namesOf, type RunFiles } from './make-runs.js';
import { until } from './support.js';

const { runs: GOOD } = makeRuns(PROJECT);
const [RUN = ''] = namesOf(GOOD);

/** Runs whose only envelope was changed, and its line of the index with it. */
function edited(runs: RunFiles, change: (envelope: Record<string, never>) => void): Record<string, string> {
  const [run = ''] = namesOf(runs);
  const tree = asTree(runs);
  const path = `runs/${run}/envelope.json`;
  const envelope = JSON.parse(tree[path] ?? '');
  change(envelope);
  return {
    ...tree,
    [path]: JSON.stringify(envelope, null, 1),
    'runs/invocations.jsonl': `${JSON.stringify(envelope)}\n`,
  };
}

/** The good run, citing what was never fetched. */
const BAD = edited(GOOD, (envelope) => {
  Object.assign(envelope['payload'] ?? {}, { grounded_on: [{ source_id: 'rec:9', content_hash: 'ab'.repeat(32) }] });
});

test('passes a run that holds, without a comment', async () => {
  const on = await judgeStage();
  const pull = propose(on, asTree(GOOD));
  const check = await judged(on, pull);
  expect(check).toMatchObject({
    name: 'grounding/verified',
    conclusion: 'success',
    output: { title: '1 run in order' },
  });
  expect(ownComments(on, pull)).toHaveLength(0);
});

test('fails a run that cites what it never fetched, with one comment and an annotation in its file', async () => {
  const on = await judgeStage();
  const pull = propose(on, BAD);
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.annotations.map(({ path }) => path)).toContain(`runs/${RUN}/envelope.json`);
  expect(check.annotations.some(({ start_line }) => start_line > 1)).toBe(true);
  const [comment, ...others] = ownComments(on, pull);
  expect(others).toHaveLength(0);
  expect(comment?.body).toMatch(/^<!-- grounding-gate:v1 check=grounding%2Fverified /);
  expect(comment?.body).toContain('G2');
});

test('follows bad, good, and a force back to bad with one comment and a check for each head', async () => {
  const on = await judgeStage();
  const { repository } = on;
  const pull = propose(on, BAD);
  const bad = pull.headSha;
  expect((await judged(on, pull)).conclusion).toBe('failure');
  const [first] = ownComments(on, pull);
  const before = first?.body;
  repository.commit({ branch: 'change', files: asTree(GOOD) });
  expect((await judged(on, pull, 'synchronize')).conclusion).toBe('success');
  await until(() => ownComments(on, pull)[0]?.body !== before, 'a comment that is brought up to date');
  expect(ownComments(on, pull).map(({ id }) => id)).toEqual([first?.id]);
  repository.setRef('refs/heads/change', bad);
  await happen(on, { event: 'pull_request', action: 'synchronize', repository, pull });
  await until(() => ownComments(on, pull)[0]?.body === before, 'the comment of the bad head');
  expect(checkOn(on, bad).conclusion).toBe('failure');
  expect(ownComments(on, pull)).toHaveLength(1);
});

test('writes nothing again when nothing is new', async () => {
  const on = await judgeStage({ config: 'comment: always\n' });
  const pull = propose(on, asTree(GOOD));
  await judged(on, pull);
  const writes = () =>
    on.server.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith('/repos/')).length;
  const [before, lines] = [writes(), on.bot.lines.length];
  await happen(on, { event: 'pull_request', action: 'ready_for_review', repository: on.repository, pull });
  await until(() => on.bot.lines.slice(lines).some((line) => line.includes('nothing is new')), 'a second look');
  expect(writes()).toBe(before);
});

test('leaves a comment alone that carries its marker and is not its own', async () => {
  const on = await judgeStage();
  const pull = propose(on, BAD);
  const body = `<!-- grounding-gate:v1 check=grounding%2Fverified sha=${pull.headSha} run=99999999 attempt=9 -->\nall is well`;
  const forged = on.repository.discussion.comment({
    issue: pull.number,
    user: on.server.state.account('mallory'),
    body,
  });
  await judged(on, pull);
  expect(on.repository.discussion.comments.find(({ id }) => id === forged.id)?.body).toBe(body);
  expect(ownComments(on, pull)).toHaveLength(1);
});

test('judges by the pins of the base when a change pins a poisoned source, and says so', async () => {
  const poisoned = '{"id":"rec:9","title":"Title of rec:9"}\n';
  const files = {
    ...PROJECT,
    'records.jsonl': poisoned,
    'sources.yaml': pinFor(poisoned),
    'fixtures/found.json': fixture({ fetch: ['rec:9'] }),
  };
  const { runs } = makeRuns(files);
  const on = await judgeStage();
  const pull = propose(on, { ...asTree(runs), 'records.jsonl': poisoned, 'sources.yaml': pinFor(poisoned) });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('S1');
  expect(check.output.summary).toContain('sources.yaml or a pinned copy');
});

test('judges by the pins of the change as well', async () => {
  const other = '{"id":"rec:2","title":"Title of rec:2"}\n';
  const on = await judgeStage();
  const pull = propose(on, { ...asTree(GOOD), 'records.jsonl': other, 'sources.yaml': pinFor(other) });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('under the sources of this change');
});

test('fails a run that was made under another profile than the base has', async () => {
  const loose = 'profile_id: tests\nversion: 2\nagents:\n  test.finder: find\n';
  const { runs } = makeRuns({ ...PROJECT, 'profiles/default.yaml': loose });
  const on = await judgeStage();
  const pull = propose(on, { ...asTree(runs), 'profiles/default.yaml': loose });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('other-policy');
  expect(check.output.summary).toContain('this change alters');
});

test.each([
  [
    'a fixture that goes',
    'fixture-removed',
    {
      'fixtures/found.json': null,
      'fixtures/found.expect.yaml': null,
      'fixtures/other.json': fixture({ fetch: ['rec:2'] }),
    },
  ],
  ['an expectation that is loosened', 'expectation-loosened', { 'fixtures/found.expect.yaml': 'status: succeeded\n' }],
])('fails a change with %s', async (_, rule, files) => {
  const on = await judgeStage();
  const check = await judged(on, propose(on, { ...asTree(GOOD), ...files }));
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain(rule);
});

test('fails a change that takes isolation back in agents.yaml, on the line, and none that leaves it as it was', async () => {
  const held = 'agents:\n  - module: agents/finder.mjs\n    isolate: if-possible\n';
  const on = await judgeStage({ files: { ...PROJECT, 'agents.yaml': held } });
  const loose = await judged(on, propose(on, { ...asTree(GOOD), 'agents.yaml': held.replace('if-possible', 'false') }));
  expect(loose.conclusion).toBe('failure');
  expect(loose.output.summary).toContain('registration-loosened');
  expect(loose.annotations).toContainEqual(
    expect.objectContaining({ path: 'agents.yaml', start_line: 3, annotation_level: 'failure' }),
  );
  const same = await judged(on, propose(on, asTree(GOOD), { branch: 'same' }));
  expect(same.conclusion).toBe('success');
});

test('asks for evidence where a change brings none, and says how', async () => {
  const on = await judgeStage();
  const check = await judged(on, propose(on, { 'agents/finder.mjs': 'export default 1;\n' }));
  expect(check).toMatchObject({ conclusion: 'action_required', output: { title: 'evidence is missing' } });
});

test('has nothing to judge where no file of its paths differs, and always looks at what the gate rests on', async () => {
  const on = await judgeStage({ config: 'paths: ["agents/**"]\n' });
  const docs = await judged(on, propose(on, { 'README.md': 'more\n' }));
  expect(docs).toMatchObject({ conclusion: 'success', output: { title: 'nothing to judge' } });
  const pins = await judged(on, propose(on, { 'sources.yaml': pinFor('') }, { branch: 'pins' }));
  expect(pins.conclusion).not.toBe('success');
});

test('says line and reason of a configuration that is broken, on the default branch and in a change', async () => {
  const on = await judgeStage({ config: 'comment: always\nunresolved: perhaps\n' });
  const check = await judged(on, propose(on, asTree(GOOD)));
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain(`${CONFIG}:2:`);
  const fine = await judgeStage();
  const broken = await judged(fine, propose(fine, { ...asTree(GOOD), [CONFIG]: 'comment: always\n\nruns: some\n' }));
  expect(broken.conclusion).toBe('failure');
  expect(broken.output.summary).toContain(':3:');
});

test('takes the configuration of the default branch, and tells a change that alters it so', async () => {
  const on = await judgeStage({ config: 'unresolved: fail\n' });
  const pull = propose(on, { ...asTree(GOOD), [CONFIG]: 'unresolved: allow\n' });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('success');
  expect(check.output.summary).toContain(CONFIG);
});

test('gives no check to a repository without a configuration', async () => {
  const on = await judgeStage({ config: null });
  const pull = propose(on, BAD);
  const lines = on.bot.lines.length;
  await happen(on, { event: 'pull_request', action: 'opened', repository: on.repository, pull });
  await until(() => on.bot.lines.slice(lines).some((line) => line.includes('not configured')), 'a look at it');
  expect(checksOn(on, pull.headSha)).toHaveLength(0);
});

test('judges a pull request of a fork, whose check and comment stand in the parent', async () => {
  const on = await judgeStage();
  const fork = on.repository.fork('mona/agents');
  const pull = propose(on, BAD, { from: fork });
  expect((await judged(on, pull)).conclusion).toBe('failure');
  expect(ownComments(on, pull)).toHaveLength(1);
});

test('shows the worst of several pull requests of one head, and each its own comment', async () => {
  const on = await judgeStage({ config: 'comment: always\n' });
  const { repository } = on;
  // Another base whose pins know less: the same head is in order on the one and not on the other.
  const other = '{"id":"rec:2","title":"Title of rec:2"}\n';
  repository.commit({ branch: 'strict', files: { 'records.jsonl': other, 'sources.yaml': pinFor(other) } });
  const pull = propose(on, asTree(GOOD));
  expect((await judged(on, pull)).conclusion).toBe('success');
  const second = repository.pulls.open({ head: 'change', base: 'strict' });
  expect(second.headSha).toBe(pull.headSha);
  const check = await judged(on, second);
  expect(check.conclusion).toBe('failure');
  await happen(on, { event: 'pull_request', action: 'ready_for_review', repository, pull });
  await until(() => on.bot.lines.filter((line) => line.includes('"job":"judge"')).length >= 3, 'another look');
  expect(checkOn(on, pull.headSha).conclusion).toBe('failure');
  expect(ownComments(on, pull)[0]?.body).toContain('✅');
  expect(ownComments(on, second)[0]?.body).toContain('❌');
});

test('fails a change that removes a stored run, and one that edits it', async () => {
  const on = await judgeStage({ files: asTree(GOOD) });
  const gone = Object.fromEntries([...GOOD.keys()].map((path) => [`runs/${path}`, null]));
  const removed = await judged(on, propose(on, gone));
  expect(removed.output.summary).toContain('this change removes the stored run');
  const envelope = asTree(GOOD)[`runs/${RUN}/envelope.json`] ?? '';
  const edit = { [`runs/${RUN}/envelope.json`]: envelope.replace('Found.', 'Lost.') };
  const tampered = await judged(on, propose(on, edit, { branch: 'edit' }));
  expect(tampered.conclusion).toBe('failure');
  expect(tampered.output.summary).toContain('tampered');
});
