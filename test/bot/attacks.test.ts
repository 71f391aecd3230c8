import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { fixture, PROJECT } from '../action/project.js';
import { CONFIG, checkOn, checksOn, happen, judged, judgeStage, ownComments, propose, stored } from './judge-stage.js';
import { artifactOf, asTree, makeRuns, namesOf, zipOf } from './make-runs.js';
import { until } from './support.js';

const { runs: GOOD, report: REPORT } = makeRuns(PROJECT);
const [RUN = ''] = namesOf(GOOD);
const CHANGE = { 'agents/finder.mjs': 'export default 1;\n' };

test('leaves the check of a merge group waiting when its workflow ends, and does not cancel it', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\n' });
  const { repository } = on;
  const group = repository.mergeGroup([propose(on, CHANGE)]);
  await happen(on, { event: 'merge_group', action: 'checks_requested', repository, group });
  await until(() => checksOn(on, group.sha).at(-1)?.output.title === 'waiting for evidence', 'a check that waits');
  const run = repository.actions.start({ headSha: group.sha });
  repository.actions.complete(run, 'success');
  const before = on.bot.lines.length;
  await happen(on, { event: 'workflow_run', action: 'completed', repository, run });
  await until(
    () => on.bot.lines.slice(before).some((line) => line.includes('job done') && line.includes('"job":"resolve"')),
    'a look at the commit',
  );
  expect(checksOn(on, group.sha).map(({ conclusion }) => conclusion)).toEqual([null]);
});

test('judges the artifact of the newest attempt when a workflow was run again', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\n' });
  const pull = propose(on, CHANGE);
  const { actions } = on.repository;
  const run = actions.start({ headSha: pull.headSha });
  actions.store({ run, name: 'grounding-a-1', bytes: artifactOf(makeRuns(PROJECT).runs, null) });
  actions.complete(run, 'failure');
  actions.rerun(run);
  actions.store({ run, name: 'grounding-a-1', bytes: artifactOf(GOOD, REPORT) });
  actions.complete(run, 'success');
  expect(await judged(on, pull)).toMatchObject({ conclusion: 'success', output: { title: '1 run in order' } });
});

test('takes no artifact that holds a file of a run with and without a folder above', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\n' });
  const bytes = GOOD.get(`${RUN}/envelope.json`) ?? Buffer.alloc(0);
  const zip = zipOf([
    { name: `${RUN}/envelope.json`, bytes },
    { name: `runs/${RUN}/envelope.json`, bytes },
  ]);
  const pull = propose(on, CHANGE);
  stored(on, pull, zip);
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('action_required');
  expect(check.output.summary).toContain('twice');
});

test('takes no run of more artifacts than are looked into', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\n' });
  const pull = propose(on, CHANGE);
  const { actions } = on.repository;
  const run = actions.start({ headSha: pull.headSha });
  for (let at = 0; at <= 256; at += 1)
    actions.store({ run, name: `grounding-${at}`, bytes: at === 0 ? artifactOf(GOOD, REPORT) : Buffer.alloc(9) });
  actions.complete(run, 'success');
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('action_required');
  expect(check.output.summary).toContain('more than 256');
});

test('lets no verdict of another base stand while a commit is judged again', async () => {
  const on = await judgeStage();
  const { repository } = on;
  repository.commit({ branch: 'loose', files: { 'NOTES.md': 'anything\n' } });
  const first = propose(on, asTree(GOOD), { base: 'loose' });
  expect((await judged(on, first)).conclusion).toBe('success');
  repository.pulls.close(first);
  const second = repository.pulls.open({ head: 'change' });
  expect(second.headSha).toBe(first.headSha);
  on.server.fail(/GET .*\/compare\//, { status: 502 });
  await happen(on, { event: 'pull_request', action: 'opened', repository, pull: second });
  await until(() => on.bot.lines.some((line) => line.includes('job will be tried again')), 'a judgement that fails');
  expect(checkOn(on, second.headSha)).toMatchObject({ status: 'queued', conclusion: null });
});

test.each([
  ['an expectation beside a fixture that is named as a file', { 'fixtures/found.expect.yaml': 'status: failed\n' }],
  ['a pinned copy', { 'records.jsonl': '{"id":"rec:7"}\n' }],
])('always judges a change of %s', async (_, files) => {
  const on = await judgeStage({ config: 'paths: ["agents/**"]\nfixtures: [fixtures/found.json]\n' });
  const check = await judged(on, propose(on, files));
  expect(check.conclusion).not.toBe('success');
});

test('fails a change that writes over a stored run, its line of the index with it', async () => {
  const on = await judgeStage({ files: asTree(GOOD) });
  const tree = asTree(GOOD);
  const path = `runs/${RUN}/envelope.json`;
  const envelope = JSON.parse(tree[path] ?? '');
  envelope.outcome.statement = 'Something else.';
  const pull = propose(on, {
    [path]: JSON.stringify(envelope),
    'runs/invocations.jsonl': `${JSON.stringify(envelope)}\n`,
  });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('writes over it');
});

test('concludes its check where a change proposes a configuration of which the reason is longer than a check takes', async () => {
  const on = await judgeStage();
  const key = '`'.repeat(70_000);
  const check = await judged(on, propose(on, { ...asTree(GOOD), [CONFIG]: `"${key}": 1\n` }));
  expect(check).toMatchObject({ conclusion: 'failure', output: { title: 'no verdict' } });
});

test('fetches no file of a change that is larger than is read of one', async () => {
  const on = await judgeStage();
  const large = Buffer.alloc(65 * 1024 * 1024, 'a').toString('latin1');
  const check = await judged(on, propose(on, { ...asTree(GOOD), 'fixtures/large.json': large }));
  expect(check).toMatchObject({ conclusion: 'failure', output: { title: 'no verdict' } });
  expect(check.output.summary).toContain('bytes');
});

test('takes no run for evidence whose result was withheld, unless a fixture wants just that', async () => {
  const wanting = {
    'fixtures/caught.json': fixture({ cite: ['rec:9'] }),
    'fixtures/caught.expect.yaml': 'problem: grounding-violation\n',
  };
  const { runs } = makeRuns({ ...PROJECT, ...wanting, 'fixtures/found.json': fixture({ cite: ['rec:9'] }) });
  const on = await judgeStage();
  const check = await judged(on, propose(on, asTree(runs)));
  expect(check).toMatchObject({ conclusion: 'action_required', output: { title: 'evidence is missing' } });
  const bites = await judgeStage({ files: wanting });
  expect((await judged(bites, propose(bites, asTree(runs)))).conclusion).toBe('success');
});

const HOSTILE = [
  '@octo/owners #1 fixes #2 GH-3 octo/agents#4 https://evil.example',
  '![x](https://evil.example/x.png) [y](javascript:alert) <img src=x onerror=alert()> </details></summary>',
  '``` \n```\n<!-- grounding-gate:v1 check=x -->\n\u202e\u200b|a|b|\r\n# head :tada:',
];

test('writes what evidence says so that nobody is called and nothing is linked, drawn or run', async () => {
  const on = await judgeStage();
  const tree = asTree(GOOD);
  const path = `runs/${RUN}/envelope.json`;
  const envelope = JSON.parse(tree[path] ?? '');
  envelope.payload.grounded_on = HOSTILE.map((source_id) => ({ source_id, content_hash: 'ab'.repeat(32) }));
  envelope.evidence = HOSTILE.map((source_id) => ({ ...envelope.evidence[0], source_id, snapshot_ref: source_id }));
  envelope.outcome.statement = HOSTILE.join(' ');
  envelope.agent_id = HOSTILE[0];
  const text = JSON.stringify(envelope);
  const pull = propose(on, { ...tree, [path]: text, 'runs/invocations.jsonl': `${text}\n` });
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  for (const markdown of [ownComments(on, pull)[0]?.body ?? '', check.output.summary ?? '']) {
    expect(markdown).toContain('owners');
    const told = toldBy(markdown);
    expect(told).not.toMatch(/@octo|#[1-9]|GH-3|evil|javascript|onerror|:tada:|<!--/);
  }
});

/** What GitHub would read as more than plain code: the page without its code spans and blocks, with all its addresses. */
function toldBy(markdown: string): string {
  const html = micromark(markdown.replace(/^<!-- grounding-gate[^\n]*/, ''), {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  return html.replace(/<code[^>]*>[\s\S]*?<\/code>/g, '');
}
