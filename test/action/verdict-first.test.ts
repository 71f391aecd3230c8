import { expect, test } from 'vitest';
import { fixture, PROJECT, pinFor } from './project.js';
import { commentsOn, performPull, propose, READ_ONLY, stage } from './stage.js';

const MISCITES = { 'fixtures/lie.json': fixture({ fetch: ['rec:1'], cite: ['rec:9'] }) };

test('passes a pull request whose runs are in order, with a green check on its head and no comment', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/two.json': fixture({ fetch: ['rec:2'] }) });
  const done = await performPull(on, pull);
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed', runs: '2', violations: '0' } });
  const [check, ...others] = on.repository.checks.of(pull.headSha);
  expect(others).toEqual([]);
  expect(check).toMatchObject({ name: 'grounding', status: 'completed', conclusion: 'success', annotations: [] });
  expect(on.repository.checks.of(on.repository.pulls.testMerge(pull))).toEqual([]);
  expect(commentsOn(on, pull)).toEqual([]);
  expect(done.summary).toContain('passed');
});

test('fails on a citation that was never fetched, in every sink', async () => {
  const on = await stage();
  const pull = propose(on, MISCITES);
  const done = await performPull(on, pull, { inputs: { sarif: 'true', junit: 'true' } });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed', unexpected: '1', 'as-expected': '1' } });
  const [check] = on.repository.checks.of(pull.headSha);
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' });
  expect(check?.annotations).toContainEqual(expect.objectContaining({ path: 'fixtures/lie.json', start_line: 1 }));
  expect(check?.annotations.some(({ title }) => title?.startsWith('G2'))).toBe(true);
  expect(commentsOn(on, pull)).toHaveLength(1);
  expect(commentsOn(on, pull)[0]?.body).toContain('G2');
  expect(done.summary).toContain('G2');
  expect(done.log).toContain('G2');
  expect(on.repository.sarifs).toMatchObject([{ commitSha: pull.headSha, ref: `refs/pull/${pull.number}/head` }]);
  const [artifact] = on.repository.actions.artifacts;
  expect(artifact).toMatchObject({ name: 'grounding-grounding-1', run: done.run.id });
  expect(done.outputs['artifact-id']).toBe(String(artifact?.id));
});

test("keeps the verdict when the token may only read, and names each sink's missing permission once", async () => {
  const on = await stage();
  const pull = propose(on, MISCITES);
  const done = await performPull(on, pull, { permissions: READ_ONLY, inputs: { sarif: 'true' } });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  for (const permission of ['checks: write', 'pull-requests: write', 'security-events: write']) {
    expect(done.summary.split(permission)).toHaveLength(2);
    expect(done.log.split('::warning::').filter((line) => line.includes(permission))).toHaveLength(1);
  }
  // Without a check the log takes the annotations.
  expect(done.log).toMatch(/^::error file=fixtures\/lie\.json,line=1/m);
  expect(on.repository.checks.runs).toEqual([]);
});

test('keeps the verdict without a token', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, MISCITES), { inputs: { token: '' } });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.summary).toContain('the input token is empty');
});

test('fails, and never passes, when nothing could be judged', async () => {
  const on = await stage();
  const gone = propose(on, { 'agents.yaml': 'agents:\n  - module: agents/nobody.mjs\n' });
  const done = await performPull(on, gone);
  expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
  expect(done.log).toContain('[agent-module]');
  expect(on.repository.checks.of(gone.headSha)).toMatchObject([{ conclusion: 'failure' }]);
  expect(done.summary).toContain('agent-module');
});

test('fails when the configuration of the pull request is refused', async () => {
  const on = await stage();
  const pull = propose(on, { 'sources.yaml': pinFor('other records\n') });
  const done = await performPull(on, pull);
  expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
  expect(done.log).toContain('[source-pin-mismatch]');
});

test('fails on an outcome that its fixture does not expect, unless fail-on leaves it out', async () => {
  const on = await stage();
  const pull = propose(on, {
    'fixtures/none.json': fixture({ abstain: true }),
    'fixtures/none.expect.yaml': 'status: succeeded\n',
  });
  expect(await performPull(on, pull)).toMatchObject({ code: 1, outputs: { conclusion: 'failed', unexpected: '1' } });
  const lenient = await performPull(on, pull, { inputs: { 'fail-on': 'tampered' } });
  expect(lenient).toMatchObject({ code: 0, outputs: { conclusion: 'passed', warnings: '1' } });
});

test('fails on broken rules whatever fail-on says', async () => {
  const on = await stage();
  const pull = propose(on, MISCITES);
  expect(await performPull(on, pull, { inputs: { 'fail-on': 'none' } })).toMatchObject({ code: 1 });
});

test('fails on unresolved evidence when it is asked to', async () => {
  const on = await stage({ files: { ...PROJECT, 'sources.yaml': 'sources: []\n' } });
  const files = {
    'fixtures/found.expect.yaml': 'status: succeeded\n',
    'fixtures/found.json': fixture({ fetch: ['rec:1'] }),
  };
  on.repository.commit({ files });
  const pull = propose(on, { 'README.md': 'new\n' });
  expect(await performPull(on, pull)).toMatchObject({ code: 0, outputs: { unresolved: '1', warnings: '1' } });
  expect(await performPull(on, pull, { inputs: { 'fail-on': 'unresolved' } })).toMatchObject({ code: 1 });
  expect(await performPull(on, pull, { inputs: { unresolved: 'fail' } })).toMatchObject({ code: 1 });
});

test('refuses inputs that cannot be, and names all of them', async () => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'new\n' });
  const done = await performPull(on, pull, {
    inputs: { mode: 'check', 'fail-on-new': 'yes', jobs: '0', 'fail-on': 'all' },
  });
  expect(done.code).toBe(2);
  for (const name of ['mode', 'fail-on-new', 'jobs', 'fail-on']) expect(done.log).toContain(`input ${name} is`);
  expect(on.server.requests).toEqual([]);
});
