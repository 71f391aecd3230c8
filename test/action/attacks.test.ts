import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeZlib } from '../../action/io/zlib.js';
import { readZip } from '../../action/zip.js';
import { below, fixture, PROFILE, PROJECT } from './project.js';
import { commentsOn, obeyed, perform, performPull, propose, pullStep, stage, start } from './stage.js';

const LIE = { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) };
const LOOSER = { 'fixtures/found.expect.yaml': 'status: succeeded\n' };
const refused = { code: 2, outputs: { conclusion: 'refused' } };

/** The agent of the project with these words at the beginning of its work. */
const agentThat = (does: string): string =>
  (PROJECT['agents/finder.mjs'] ?? '')
    .replace('import {', "import fs from 'node:fs';\nimport {")
    .replace('async run(ctx, input) {', `async run(ctx, input) {\n${does}\n`);

test('refuses a link in the place of the working directory, which would move the job to where nothing binds', async () => {
  const on = await stage({ files: below('project') });
  const files = Object.keys(below('project')).map((name): [string, null] => [name, null]);
  const pull = propose(on, { ...Object.fromEntries(files), ...below('x$(id)'), project: { symlink: 'x$(id)' } });
  const done = await performPull(on, pull, { inputs: { 'working-directory': 'project' } });
  expect(done).toMatchObject({ code: 2 });
  expect(done.log).toContain('[config-outside]');
  expect(JSON.stringify(done.outputs)).not.toContain('$(id)');
  const honest = propose(on, { 'README.md': 'x\n' }, { branch: 'honest' });
  for (const folder of ['./project/', 'project/../project'])
    expect(await performPull(on, honest, { inputs: { 'working-directory': folder } })).toMatchObject({ code: 0 });
});

test.each([
  ['the profile', { 'profiles/default.yaml': null, 'config/default.yaml': PROFILE, profiles: { symlink: 'config' } }],
  [
    'the fixtures',
    {
      'fixtures/found.json': null,
      'fixtures/found.expect.yaml': null,
      'cases/found.json': PROJECT['fixtures/found.json'] ?? '',
      fixtures: { symlink: 'cases' },
    },
  ],
])('refuses a base that has %s behind a linked folder, rather than take them for missing', async (_, files) => {
  const on = await stage();
  on.repository.commit({ files });
  for (const fetched of [true, false]) {
    const pull = propose(on, { 'README.md': `${fetched}\n` }, { branch: `fetched-${fetched}` });
    const without = (workspace: string): void => removeObject(workspace, pull.baseSha);
    const done = await performPull(on, pull, fetched ? {} : { prepare: without });
    expect(done).toMatchObject(refused);
    expect(done.log).toContain('[base-link]');
  }
});

test('reads files of the base by the API when a partial clone has the commit without them', async () => {
  const on = await stage();
  const pull = propose(on, LOOSER);
  const prepare = (workspace: string): void => removeObject(workspace, `${pull.baseSha}:fixtures/found.expect.yaml`);
  const done = await performPull(on, pull, { prepare });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule: 'expectation-loosened' }));
  expect(
    await performPull(on, pull, { prepare, permissions: { checks: 'write' }, inputs: { token: '' } }),
  ).toMatchObject(refused);
});

test('reads the base as it was pushed, whatever stands in refs/replace', async () => {
  const on = await stage();
  const pull = propose(on, LOOSER);
  const prepare = (workspace: string): void => {
    writeFileSync(join(workspace, 'loose'), LOOSER['fixtures/found.expect.yaml']);
    const loose = git(workspace, 'hash-object', '-w', 'loose');
    git(workspace, 'replace', git(workspace, 'rev-parse', `${pull.baseSha}:fixtures/found.expect.yaml`), loose);
  };
  expect(await performPull(on, pull, { prepare })).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
});

test('protects a folder of fixtures whose name means something to git', async () => {
  const on = await stage();
  on.repository.commit({ files: { ':(top)x/strict.json': fixture({ fetch: ['rec:2'] }) } });
  const pull = propose(on, { ':(top)x/strict.json': null });
  const done = await performPull(on, pull, { inputs: { fixtures: 'fixtures\n:(top)x' } });
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule: 'fixture-removed' }));
});

test('refuses a profile that is a link out of the repository', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, { 'profiles/default.yaml': { symlink: '/etc/hostname' } }));
  expect(done).toMatchObject(refused);
  expect(done.log).toContain('[config-outside]');
});

test.each([
  ['a submodule', 'runs/01940000-0000-7000-8000-000000000000', { submodule: 'a'.repeat(40) }],
  ['a link', 'runs/01940000-0000-7000-8000-000000000000', { symlink: '../agents' }],
  ['a link for the whole folder', 'runs', { symlink: 'agents' }],
])('never passes %s in the place of stored runs', async (_, path, content) => {
  const on = await stage();
  const modules = `[submodule "x"]\n\tpath = ${path}\n\turl = https://example.invalid/x\n\tignore = all\n`;
  const done = await performPull(on, propose(on, { [path]: content, '.gitmodules': modules }), {
    inputs: { mode: 'verify' },
  });
  expect(done.code).not.toBe(0);
});

test('takes out what an agent writes into the files and the log of the runner, and says so', async () => {
  const on = await stage();
  const does = `
    const environment = fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8').split('\\0');
    const path = (name) => environment.find((line) => line.startsWith(name + '=')).slice(name.length + 1);
    fs.appendFileSync(path('GITHUB_OUTPUT'), 'conclusion=passed\\nevil=yes\\n');
    fs.appendFileSync(path('GITHUB_STEP_SUMMARY'), '# all is well\\n');
    fs.rmSync(path('GITHUB_ENV'));`;
  const pull = propose(on, { ...LIE, 'agents/finder.mjs': agentThat(does) });
  const { environment, ...more } = {
    environment: { GITHUB_ENV: `${process.env['TMPDIR'] ?? '/tmp'}/gg-env-${process.pid}` },
  };
  writeFileSync(environment.GITHUB_ENV, 'KEPT=1\n');
  try {
    const done = await performPull(on, pull, { environment, ...more });
    expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
    expect(done.outputs).not.toHaveProperty('evil');
    expect(done.summary).not.toContain('all is well');
    for (const name of ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_ENV'])
      expect(done.summary).toContain(`wrote to ${name}`);
  } finally {
    rmSync(environment.GITHUB_ENV, { force: true });
  }
});

test('lets the runner obey nothing while agents run', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, LIE));
  const [stop = '', ...rest] = done.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
  expect(stop).toMatch(/^::stop-commands::\S+$/);
  expect(rest.indexOf(`::${stop.slice('::stop-commands::'.length)}::`)).toBeGreaterThanOrEqual(0);
  expect(obeyed(done.log)).toMatch(/^::error::grounding: /m);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'concludes a check that %s comes upon while it is being opened',
  async (signal) => {
    const on = await stage();
    const pull = propose(on, LIE);
    on.server.fail('checks/create', { delay: 1_500, times: 1 });
    const { child, done } = start(on, pullStep(on, { pull }));
    const asked = (): boolean => on.server.requests.some(({ operation }) => operation === 'checks/create');
    await expect.poll(asked, { timeout: 20_000 }).toBe(true);
    child.kill(signal);
    expect(await done).toMatchObject({ code: 2, outputs: { conclusion: 'cancelled' } });
    expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
  },
);

test('leaves no check open that a try has made whose answer was lost', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail('checks/create', { status: 502, times: 1, afterwards: true });
  await performPull(on, pull);
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([
    { status: 'completed', conclusion: 'failure' },
    { status: 'completed', conclusion: 'failure' },
  ]);
});

test('does not wait for a rate limit that is used up for the hour', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' };
  on.server.fail(/./, { status: 403, headers, body: { message: 'API rate limit exceeded' } });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(done.milliseconds).toBeLessThan(30_000);
});

test('keeps every text whole when a secret reads like a part of it', async () => {
  const on = await stage({
    files: { ...PROJECT, 'agents.yaml': `${PROJECT['agents.yaml']}    env: [TITLE, OTHER, THIRD]\n` },
  });
  const say = 'look\n```````\n@mona ![x](https://example.invalid/x)';
  const pull = propose(on, { 'fixtures/say.json': fixture({ say, cite: ['rec:9'] }) });
  const environment = { TITLE: '````````text', OTHER: '"level": "error"', THIRD: 'unexpected' };
  const done = await performPull(on, pull, {
    environment,
    inputs: { comment: 'always', sarif: 'true', junit: 'true' },
  });
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule: 'unexpected', level: 'error' }));
  const fences = (text: string): number => text.split('\n').filter((line) => /^`{3,}/.test(line)).length;
  for (const text of [done.summary, commentsOn(on, pull)[0]?.body ?? '']) {
    expect(text).toContain('**unexpected**');
    expect(fences(text) % 2).toBe(0);
  }
});

test('takes for a baseline the artifact of the same place in a matrix', async () => {
  const on = await stage();
  on.repository.commit({ files: LIE });
  const sha = on.repository.head();
  const run = on.repository.actions.start({ headSha: sha, event: 'push', headBranch: 'main' });
  const happening = {
    event: 'push',
    repository: on.repository,
    ref: 'refs/heads/main',
    before: sha,
    after: sha,
  } as const;
  const push = { happening, sha, ref: 'refs/heads/main', run };
  await perform(on, { ...push, inputs: { upload: 'shard-2' } });
  await perform(on, { ...push, inputs: { upload: 'shard-3', fixtures: 'fixtures/found.json' } });
  on.repository.actions.complete(run, 'failure');
  const pull = propose(on, { 'README.md': 'x\n' });
  const inputs = { upload: 'shard-2', 'fail-on-new': 'true' };
  expect(await performPull(on, pull, { inputs })).toMatchObject({ code: 0 });
});

test('says that there was nothing to judge where a pull request changes no stored run', async () => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'x\n' });
  const done = await performPull(on, pull, { inputs: { mode: 'verify' } });
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([
    { conclusion: 'neutral', output: { title: 'nothing to judge' } },
  ]);
  expect(done.summary).toContain('nothing to judge');
  expect(done.summary).not.toContain('passed');
});

test('refuses inputs that together would pass what they ask to fail, and says so in the summary', async () => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'x\n' });
  const done = await performPull(on, pull, { inputs: { unresolved: 'allow', 'fail-on': 'unresolved' } });
  expect(done).toMatchObject(refused);
  expect(done.summary).toContain('[input-value]');
});

function git(workspace: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', workspace, ...args])
    .toString()
    .trim();
}

/** Takes an object out of a clone, as one that was filtered or is shallow lacks it. */
function removeObject(workspace: string, name: string): void {
  const sha = git(workspace, 'rev-parse', name);
  rmSync(join(workspace, '.git', 'objects', sha.slice(0, 2), sha.slice(2)));
}

test('says so where the head is checked out and lacks what the base has gained since', async () => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'x\n' });
  on.repository.commit({ files: { 'fixtures/late.json': fixture({ fetch: ['rec:2'] }) } });
  const done = await performPull(on, pull, { checkout: pull.headSha });
  expect(done.code).toBe(1);
  expect(done.report?.notices.join()).toContain('lacks what the base has gained since');
  const merged = await performPull(on, pull);
  expect(merged.code).toBe(0);
  expect(merged.report?.notices).toEqual([]);
});

test.each([
  ['a tree', 'git/get-tree', 'run', LOOSER],
  ['a list of files', 'pulls/list-files', 'verify', { 'README.md': 'x\n' }],
])('takes a broken answer for no answer where it asks GitHub for %s', async (_, operation, mode, files) => {
  const on = await stage();
  const pull = propose(on, files);
  on.server.fail(operation, { status: 200, body: '{"tree": [' });
  const without = (workspace: string): void => removeObject(workspace, pull.baseSha);
  const done = await performPull(on, pull, { prepare: without, inputs: { mode } });
  expect(done).toMatchObject(refused);
  on.server.takeViolations();
});

test('sends nothing to code scanning of the default branch about what a fork has stored', async () => {
  const on = await stage();
  const made = await performPull(on, propose(on, { 'README.md': 'x\n' }), { inputs: { redact: 'false' } });
  const [artifact] = on.repository.actions.artifacts;
  const fork = on.repository.fork('mallory/agents');
  for (const open of [true, false]) {
    const pull = propose(on, { 'README.md': `${open}\n` }, { from: fork, branch: `of-fork-${open}` });
    const run = on.repository.actions.start({
      headSha: pull.headSha,
      from: fork,
      headBranch: `of-fork-${open}`,
      event: 'pull_request',
    });
    on.repository.actions.complete(run, 'success');
    on.repository.actions.store({ run, name: 'grounding-1', bytes: artifact?.bytes ?? Buffer.alloc(0) });
    if (!open) on.repository.pulls.close(pull);
    const happening = { event: 'workflow_run', action: 'completed', repository: on.repository, run } as const;
    const step = { happening, sha: on.repository.head(), ref: 'refs/heads/main', inputs: { sarif: 'true' } };
    const done = await perform(on, step);
    expect(done).toMatchObject({ code: 0, outputs: { runs: made.outputs['runs'] } });
    if (open)
      expect(on.repository.sarifs).toMatchObject([{ commitSha: pull.headSha, ref: `refs/pull/${pull.number}/head` }]);
    else expect(done.summary).toContain('SARIF: not sent');
  }
  expect(on.repository.sarifs).toHaveLength(1);
});

test('refuses to judge what a fork has stored by copies of which nobody knows whose they are', async () => {
  const on = await stage();
  const fork = on.repository.fork('mallory/agents');
  const pull = propose(on, { 'README.md': 'x\n' }, { from: fork });
  const run = on.repository.actions.start({ headSha: pull.headSha, from: fork, event: 'pull_request' });
  on.repository.actions.complete(run, 'success');
  const happening = { event: 'workflow_run', action: 'completed', repository: on.repository, run } as const;
  const done = await perform(on, { happening, sha: on.repository.head(), ref: 'refs/heads/main', checkout: 'none' });
  expect(done).toMatchObject(refused);
  expect(done.log).toContain('[checkout-differs]');
});

test('keeps a verdict whose artifact cannot be made', async () => {
  const on = await stage();
  const does = `for (let at = 0; at < 66_000; at += 1) fs.writeFileSync(folder + '/' + at, '');`;
  const folder = `const folder = '../runs/evil'; fs.mkdirSync(folder, { recursive: true }); fs.writeFileSync(folder + '/envelope.json', '{}');`;
  const pull = propose(on, { 'agents/finder.mjs': agentThat(`${folder}\n${does}`) });
  const done = await performPull(on, pull, { inputs: { redact: 'false' } });
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed' } });
  expect(done.summary).toContain('artifact: it failed');
}, 60_000);

test('concludes the check of a configuration that has more faults than a check has room for', async () => {
  const on = await stage();
  const entries = Array.from({ length: 3_000 }, (_, at) => `  - {path: "@mona-${at}", wrong: 1}\n`).join('');
  const pull = propose(on, { 'sources.yaml': `sources:\n${entries}` });
  const done = await performPull(on, pull);
  expect(done).toMatchObject(refused);
  const [check] = on.repository.checks.of(pull.headSha);
  expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' });
  expect(commentsOn(on, pull)[0]?.body).toContain('`grounding`: ❌ no verdict');
  expect(check?.output.summary).not.toContain('@mona-2999');
});

test('stores runs where an absolute path says, and names and uploads them from there', async () => {
  const on = await stage();
  const runs = mkdtempSync(join(tmpdir(), 'gg-runs-'));
  try {
    const done = await performPull(on, propose(on, { 'README.md': 'x\n' }), { inputs: { runs } });
    expect(done).toMatchObject({ code: 0, outputs: { 'runs-dir': runs } });
    expect(readdirSync(runs)).toContain(done.report?.results[0]?.invocation_id);
    const limits = { entries: 1_000, entryBytes: 1 << 20, totalBytes: 1 << 24, wanted: () => true };
    const files = readZip(on.repository.actions.artifacts[0]?.bytes ?? Buffer.alloc(0), { limits, zlib: nodeZlib });
    expect([...files.keys()].some((name) => name.startsWith('runs/'))).toBe(true);
  } finally {
    rmSync(runs, { recursive: true, force: true });
  }
});

test('never passes when no agent came to an answer, whatever fail-on leaves out and the baseline had', async () => {
  const crash =
    PROJECT['agents/finder.mjs']?.replace('async run(ctx, input) {', 'async run() { process.exit(3);') ?? '';
  const on = await stage({ files: { ...PROJECT, 'agents/finder.mjs': crash } });
  const sha = on.repository.head();
  const run = on.repository.actions.start({ headSha: sha, event: 'push', headBranch: 'main' });
  const happening = {
    event: 'push',
    repository: on.repository,
    ref: 'refs/heads/main',
    before: sha,
    after: sha,
  } as const;
  await perform(on, { happening, sha, ref: 'refs/heads/main', run });
  on.repository.actions.complete(run, 'failure');
  const pull = propose(on, { 'README.md': 'x\n' });
  for (const inputs of [{ 'fail-on': 'none' }, { 'fail-on-new': 'true' }])
    expect(await performPull(on, pull, { inputs })).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
});
