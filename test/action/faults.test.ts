import { expect, test } from 'vitest';
import { nodeZlib } from '../../action/io/zlib.js';
import { readZip } from '../../action/zip.js';
import { fixture, PROJECT } from './project.js';
import { obeyed, performPull, propose, pullStep, stage, start } from './stage.js';

const LIE = { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) };

test.each([500, 502])('tries again when GitHub answers %i, and keeps the verdict', async (status) => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail('checks/create', { status, times: 1 });
  on.server.fail('issues/create-comment', { status, times: 2 });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'failure' }]);
  expect(on.repository.discussion.comments).toHaveLength(1);
});

test.each([500, 403])('keeps the verdict when GitHub answers %i to everything', async (status) => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail(/./, { status });
  const done = await performPull(on, pull);
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.summary).toContain('could not be told');
  expect(done.log).toContain('::error file=fixtures/lie.json');
});

test('leaves one comment when the answer to the first try was lost', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail('issues/create-comment', { status: 502, times: 1, afterwards: true });
  await performPull(on, pull);
  expect(on.repository.discussion.comments).toHaveLength(1);
});

test.each([429, 403])('waits as long as GitHub asks when it answers %i to too many requests', async (status) => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail('checks/create', {
    status,
    times: 1,
    headers: { 'retry-after': '1' },
    body: { message: 'secondary rate limit' },
  });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'failure' }]);
});

test('never tries again what GitHub refuses for what it is', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail('issues/create-comment', { status: 422 });
  await performPull(on, pull);
  expect(on.server.requests.filter(({ operation }) => operation === 'issues/create-comment')).toHaveLength(1);
});

test('gives its verdict within a minute when GitHub never answers', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  on.server.fail(/./, { hang: true });
  const done = await performPull(on, pull);
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.milliseconds).toBeLessThan(60_000);
}, 90_000);

test('works on an enterprise server, and says that it has no artifact service', async () => {
  const on = await stage({ enterprise: true });
  const pull = propose(on, LIE);
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'failure' }]);
  expect(on.repository.discussion.comments).toHaveLength(1);
  expect(done.outputs['artifact-id']).toBe('');
  expect(done.summary).toContain('artifact:');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'concludes the check as cancelled on %s, within the grace, and ends the agents',
  async (signal) => {
    const on = await stage();
    const pull = propose(on, { 'fixtures/slow.json': fixture({ wait: 60_000, fetch: ['rec:1'] }) });
    const started = start(on, pullStep(on, { pull }));
    await expect.poll(() => on.repository.checks.of(pull.headSha).length, { timeout: 20_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const begun = performance.now();
    started.child.kill(signal);
    const done = await started.done;
    expect(performance.now() - begun).toBeLessThan(7_000);
    expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'cancelled' } });
    expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
  },
);

test('sets outputs and summary aside when the runner gives no files for them', async () => {
  const on = await stage();
  const environment = { GITHUB_OUTPUT: '/nowhere/output', GITHUB_STEP_SUMMARY: '/nowhere/summary' };
  const done = await performPull(on, propose(on, LIE), { environment });
  expect(done.code).toBe(1);
  expect(done.log).not.toContain('::set-output');
});

test('says nothing that an agent prints, and no secret of the job anywhere', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const agents = `${PROJECT['agents.yaml']}    env: [DEPLOY_KEY]\n`;
  const on = await stage({ files: { ...PROJECT, 'agents.yaml': agents } });
  const pull = propose(on, {
    'fixtures/print.json': fixture({ print: true, leak: 'DEPLOY_KEY', fetch: ['rec:1'] }),
    'fixtures/print.expect.yaml': 'status: abstained\n',
  });
  const done = await performPull(on, pull, {
    environment: { DEPLOY_KEY: secret },
    inputs: { redact: 'false', sarif: 'true', junit: 'true', comment: 'always' },
  });
  expect(done.report?.results).toHaveLength(2);
  const log = done.log.replaceAll(/^::add-mask::.*$/gm, '');
  const token = on.server.requests.length > 0 ? (/ghs_\w+/.exec(done.log)?.[0] ?? '') : '';
  const texts = [
    log,
    done.summary,
    JSON.stringify(done.report),
    JSON.stringify(on.repository.checks.runs),
    JSON.stringify(on.repository.discussion.comments),
    JSON.stringify(on.repository.sarifs),
    ...on.repository.actions.artifacts.map(({ bytes }) => unpacked(bytes)),
  ];
  expect(token).not.toBe('');
  for (const text of texts) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(token);
    expect(text).not.toContain('stolen');
  }
  expect(JSON.stringify(done.report)).toContain('***');
});

test('obeys no command that an agent writes into what is shown', async () => {
  const on = await stage();
  const say = '::error::mine\n::set-output name=conclusion::passed\n##[group]mine';
  const pull = propose(on, { 'fixtures/say.json': fixture({ say, cite: ['::add-mask::x'] }) });
  const done = await performPull(on, pull);
  expect(done.log).toMatch(/^::stop-commands::\S+$/m);
  expect(obeyed(done.log)).not.toMatch(/^::(?:set-output|add-mask::x|error::mine)/m);
  expect(done.log).not.toContain('##[group]');
  expect(done.outputs['conclusion']).toBe('failed');
});

/** All that an archive holds, as text. */
function unpacked(bytes: Buffer): string {
  const limits = { entries: 1000, entryBytes: 1 << 28, totalBytes: 1 << 28, wanted: () => true };
  return [...readZip(bytes, { limits, zlib: nodeZlib }).values()]
    .map((part) => Buffer.from(part).toString())
    .join('\n');
}
