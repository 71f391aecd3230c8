import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture, PROJECT, pinFor } from './project.js';
import { record } from './record.js';
import { type Done, performPull, propose, READ_ONLY, type Stage, stage } from './stage.js';

/** What one run makes anew: ids, commits, times, and the addresses of the test's server. */
function settled(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<commit>')
    .replaceAll(/run=\d+/g, 'run=<run>')
    .replaceAll(/For commit [0-9a-f]{12}/g, 'For commit <commit>')
    .replaceAll(/(\[run |runs\/|artifacts\/)\d+/g, '$1<number>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(/\b\d+\.\d\d s\b/g, '<time>')
    .replaceAll(/^( {2}\d+ .* :(?:crit, |active, |done, )?s\d+), \d+, \d+$/gm, '$1, <start>, <end>')
    .replaceAll(/axisFormat .*|tickInterval .*/g, '<axis>');
}

const golden = (name: string) => join(import.meta.dirname, 'golden', name);

async function matches(name: string, { on, done }: { readonly on: Stage; readonly done: Done }): Promise<void> {
  const [check] = on.repository.checks.runs.slice(-1);
  const comment = on.repository.discussion.comments.at(-1);
  await expect(settled(done.summary)).toMatchFileSnapshot(golden(`${name}-summary.md`));
  if (check !== undefined)
    await expect(settled(`# ${check.output.title}\n\n${check.output.summary}`)).toMatchFileSnapshot(
      golden(`${name}-check.md`),
    );
  if (comment !== undefined) await expect(settled(comment.body)).toMatchFileSnapshot(golden(`${name}-comment.md`));
}

test('tells of a pull request in order as it always has', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/two.json': fixture({ fetch: ['rec:2', 'rec:3'] }) });
  await matches('green', { on, done: await performPull(on, pull, { inputs: { comment: 'always' } }) });
});

test('tells of everything that a pull request can do wrong as it always has', async () => {
  const on = await stage({ files: { ...PROJECT, 'fixtures/second.json': fixture({ fetch: ['rec:3'] }) } });
  const records = '{"id":"rec:1","title":"Another title"}\n';
  const pull = propose(on, {
    'records.jsonl': records,
    'sources.yaml': pinFor(records),
    'fixtures/found.expect.yaml': 'status: succeeded\n',
    'fixtures/second.json': null,
    'fixtures/lie.json': fixture({ fetch: ['rec:2'], cite: ['rec:9'], say: '**@mona** <b>#1</b>\n```' }),
    'fixtures/none.json': fixture({ abstain: true }),
    'fixtures/none.expect.yaml': 'status: succeeded\n',
    'fixtures/odd.json': '{"agent_id": "test.nobody", "input": {"schema_class": "Wish"}}',
    'fixtures/unreadable.json': '{"agent_id": 1}',
  });
  const done = await performPull(on, pull, { inputs: { jobs: '1' } });
  expect(done.code).toBe(1);
  await matches('red', { on, done });
});

test('tells of a job without rights, and of one without a verdict, as it always has', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) });
  await matches('read-only', {
    on,
    done: await performPull(on, pull, { permissions: READ_ONLY, inputs: { sarif: 'true' } }),
  });
  const refused = propose(on, { 'sources.yaml': 'sources: {}\n' }, { branch: 'refused' });
  await matches('refused', { on, done: await performPull(on, refused) });
});

test('tells of a replay as it always has', async () => {
  const files = { ...PROJECT, 'fixtures/lie.json': fixture({ fetch: ['rec:2'], cite: ['rec:9'] }) };
  const on = await stage();
  const pull = propose(on, { 'fixtures/lie.json': files['fixtures/lie.json'], ...(await record(files)) });
  await matches('replayed', {
    on,
    done: await performPull(on, pull, { inputs: { replay: 'recordings', runs: 'new' } }),
  });
});
