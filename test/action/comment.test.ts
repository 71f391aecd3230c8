import { expect, test } from 'vitest';
import { readMarker } from '../../core/report/index.js';
import { fixture } from './project.js';
import { commentsOn, performPull, propose, pullStep, type Stage, stage, start } from './stage.js';

const LIE = { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) };
const quick = { inputs: { upload: 'none' } };

test('turns its old red comment green, in the same comment', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  await performPull(on, pull, quick);
  const [red] = commentsOn(on, pull);
  expect(red?.body).toContain('failed');
  on.repository.commit({ branch: 'change', files: { 'fixtures/lie.json': fixture({ fetch: ['rec:2'] }) } });
  await performPull(on, pull, quick);
  const comments = commentsOn(on, pull);
  expect(comments).toHaveLength(1);
  expect(comments[0]).toMatchObject({ id: red?.id, body: expect.stringContaining('passed') });
  expect(readMarker(comments[0]?.body ?? '')).toMatchObject({
    checkName: 'grounding',
    headSha: pull.headSha,
    attempt: 1,
  });
});

test('says that there is no verdict where an older comment says something else', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  await performPull(on, pull, quick);
  on.repository.commit({ branch: 'change', files: { 'sources.yaml': 'sources: 1\n' } });
  expect(await performPull(on, pull, quick)).toMatchObject({ code: 2 });
  expect(commentsOn(on, pull)).toMatchObject([{ body: expect.stringContaining('no verdict') }]);
});

test("edits no comment of another's, whatever marker it bears", async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const forged = on.repository.discussion.comment({
    issue: pull.number,
    user: on.server.state.account('mallory'),
    body: '<!-- grounding-gate:v1 check=grounding sha=aa run=1 attempt=1 -->\nmine',
  });
  await performPull(on, pull, quick);
  expect(forged.body).toContain('mine');
  expect(on.repository.discussion.commentsOf(pull.number)).toHaveLength(2);
});

test('keeps a comment for each check name', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  for (const name of ['one', 'two --> <!--', 'one']) await performPull(on, pull, { inputs: { 'check-name': name } });
  expect(commentsOn(on, pull)).toHaveLength(2);
});

test('does not overwrite what a newer run has said, and says so', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const older = on.repository.actions.start({ headSha: pull.headSha });
  const newer = on.repository.actions.start({ headSha: pull.headSha });
  await performPull(on, pull, { run: newer });
  const said = commentsOn(on, pull)[0]?.body;
  const done = await performPull(on, pull, { run: older });
  expect(commentsOn(on, pull)).toMatchObject([{ body: said }]);
  expect(done.summary).toContain('has commented already');
  on.repository.actions.rerun(newer);
  await performPull(on, pull, { run: newer });
  expect(readMarker(commentsOn(on, pull)[0]?.body ?? '')).toMatchObject({ runId: String(newer.id), attempt: 2 });
});

test('leaves one comment, the newer, when two runs race', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const runs = [1, 2].map(() => on.repository.actions.start({ headSha: pull.headSha }));
  await Promise.all(runs.map((run) => start(on, pullStep(on, { pull, run, ...quick })).done));
  expect(markers(on, pull.number)).toEqual([String(runs[1]?.id)]);
});

test("puts its words back when an older run's request, under way meanwhile, lands on them", async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  await performPull(on, pull, quick);
  const older = on.repository.actions.start({ headSha: pull.headSha });
  const newer = on.repository.actions.start({ headSha: pull.headSha });
  const [held, written] = [latch(), latch()];
  on.server.fail(opening(held, 'issues/update-comment'), { times: 1, until: written.opened });
  const first = start(on, pullStep(on, { pull, run: older, ...quick }));
  await held.opened;
  on.server.fail(opening(written, 'code-scanning/upload-sarif'), { delay: 1_500 });
  await performPull(on, pull, { run: newer, inputs: { upload: 'none', sarif: 'true' } });
  await first.done;
  expect(markers(on, pull.number)).toEqual([String(newer.id)]);
});

test('collapses what two runs made at the same time', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const user = on.server.state.account('github-actions[bot]');
  for (const run of [5, 6, 6])
    on.repository.discussion.comment({
      issue: pull.number,
      user,
      app: 15368,
      body: `<!-- grounding-gate:v1 check=grounding sha=aa run=${run} attempt=1 -->\nold`,
    });
  const done = await performPull(on, pull, quick);
  expect(markers(on, pull.number)).toEqual([String(done.run.id)]);
});

test('makes and edits nothing when GitHub does not say whose the token is', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail(/^POST \/graphql$/, { status: 401 });
  const done = await performPull(on, pull, quick);
  expect(commentsOn(on, pull)).toEqual([]);
  expect(done.code).toBe(1);
  expect(done.summary).toContain('comment:');
});

test.each([
  ['never', LIE, 0],
  ['on-failure', { 'README.md': 'x\n' }, 0],
  ['always', { 'README.md': 'x\n' }, 1],
] as const)('with comment: %s, posts %#', async (comment, files, count) => {
  const on = await stage();
  const pull = propose(on, files);
  await performPull(on, pull, { inputs: { comment } });
  expect(commentsOn(on, pull)).toHaveLength(count);
});

test('comments on a draft and not on a closed pull request, and judges both', async () => {
  const on = await stage();
  const draft = propose(on, LIE, { draft: true });
  expect(await performPull(on, draft, { action: 'opened' })).toMatchObject({ code: 1 });
  expect(commentsOn(on, draft)).toHaveLength(1);
  const closed = propose(on, LIE, { branch: 'other' });
  on.repository.pulls.close(closed);
  expect(await performPull(on, closed, { action: 'closed' })).toMatchObject({ code: 1 });
  expect(commentsOn(on, closed)).toEqual([]);
});

test('finds its comment behind hundreds of others', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const user = on.server.state.account('mona');
  for (let at = 0; at < 250; at += 1)
    on.repository.discussion.comment({ issue: pull.number, user, body: `words ${at}` });
  await performPull(on, pull, quick);
  await performPull(on, pull, quick);
  expect(commentsOn(on, pull)).toHaveLength(1);
});

function markers({ repository }: Stage, issue: number): readonly (string | undefined)[] {
  return repository.discussion.commentsOf(issue).map(({ body }) => readMarker(body)?.runId);
}

interface Latch {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function latch(): Latch {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Matches an operation, and opens a latch when it comes. */
function opening(one: Latch, wanted: string): (request: { readonly operation: string | undefined }) => boolean {
  return ({ operation }) => {
    if (operation === wanted) one.open();
    return operation === wanted;
  };
}
