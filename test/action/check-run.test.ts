import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { below, fixture } from './project.js';
import { performPull, propose, stage } from './stage.js';

/** A fixture that ends otherwise than it expects, so many times: a finding each. */
const unexpected = (times: number) => ({
  'fixtures/none.json': fixture({ abstain: true }),
  'fixtures/none.expect.yaml': `status: succeeded\nrepeat: ${times}\n`,
});

test.each([49, 50, 51, 101])('shows %i annotations, 50 a request, worst first', async (count) => {
  const on = await stage();
  const pull = propose(on, unexpected(count));
  const done = await performPull(on, pull, { inputs: { comment: 'never', upload: 'none' } });
  expect(done).toMatchObject({ code: 1, outputs: { violations: String(count) } });
  const [check] = on.repository.checks.of(pull.headSha);
  expect(check?.annotations).toHaveLength(count);
  const updates = on.server.requests.filter(({ operation }) => operation === 'checks/update');
  expect(updates).toHaveLength(Math.ceil(count / 50));
  expect(updates[0]?.body).toMatchObject({ status: 'completed', conclusion: 'failure' });
});

test('shows a thousand annotations of 5,000 violations and says so, within every limit', async () => {
  const on = await stage();
  const cite = Array.from({ length: 2_500 }, (_, at) => `rec:${at + 100}`);
  const pull = propose(on, { 'fixtures/lies.json': fixture({ cite }) });
  const done = await performPull(on, pull, { inputs: { comment: 'always' } });
  expect(done.code).toBe(1);
  const findings = done.report?.findings.length ?? 0;
  expect(findings).toBeGreaterThanOrEqual(5_000);
  const [check] = on.repository.checks.of(pull.headSha);
  expect(check).toMatchObject({ conclusion: 'failure' });
  expect(check?.annotations).toHaveLength(1_000);
  expect(check?.output.summary).toContain(`1000 of ${findings} annotations`);
  expect(Buffer.byteLength(check?.output.summary ?? '')).toBeLessThanOrEqual(65_535);
  expect(Buffer.byteLength(done.summary)).toBeLessThanOrEqual(1_048_576);
  expect(on.repository.discussion.comments[0]?.body.length).toBeLessThanOrEqual(65_536);
  // Every finding is in the log and in the report, whatever the other sinks take.
  expect(done.log.split('\n').filter((line) => line.startsWith('error: G2:'))).toHaveLength(2_500);
}, 120_000);

test('shows no annotation where inputs ask for none, in the check or in the log', async () => {
  const on = await stage();
  const pull = propose(on, unexpected(1));
  const done = await performPull(on, pull, { inputs: { annotations: 'False' } });
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ annotations: [] }]);
  expect(done.log).not.toContain('::error file=');
});

test('concludes the check although GitHub refuses a later batch of annotations, and says after how many', async () => {
  const on = await stage();
  const pull = propose(on, unexpected(101));
  on.server.fail('checks/update', { status: 422, after: 1 });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ status: 'completed', conclusion: 'failure' }]);
  expect(done.summary).toContain('after 50 of 101 annotations');
  expect(done.log).toContain('::error file=fixtures/none.json');
});

test('places annotations at the root of the repository for a project below it', async () => {
  const on = await stage({ files: below('projects/one') });
  const pull = propose(on, below('projects/one', unexpected(1)));
  const done = await performPull(on, pull, { inputs: { 'working-directory': 'projects/one' } });
  expect(done.code).toBe(1);
  const [check] = on.repository.checks.of(pull.headSha);
  expect(check?.annotations).toMatchObject([{ path: 'projects/one/fixtures/none.json', start_line: 1 }]);
});

test('gives no line where the head has another file than the one that was judged', async () => {
  const on = await stage();
  const pull = propose(on, unexpected(1));
  on.server.fail('checks/create', { status: 403 });
  const done = await performPull(on, pull, {
    prepare: (folder) => writeFileSync(`${folder}/fixtures/none.json`, fixture({ abstain: true, more: 1 })),
  });
  expect(done.log).toMatch(/^::error file=fixtures\/none\.json,title=/m);
});
