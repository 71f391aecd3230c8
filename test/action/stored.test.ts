import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { nodeZlib } from '../../action/io/zlib.js';
import { writeZip } from '../../action/zip.js';
import { fixture, PROJECT } from './project.js';
import { commentsOn, perform, performPull, propose, READ_ONLY, type Stage, shallowly, stage } from './stage.js';

/** Two stored runs, as a repository that commits them has them. */
let stored: Readonly<Record<string, string>> = {};
let ids: readonly string[] = [];

beforeAll(async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, { 'fixtures/two.json': fixture({ fetch: ['rec:2'] }) }));
  const runs = join(done.workspace, 'runs');
  const files = readdirSync(runs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  stored = Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(done.workspace.length + 1), readFileSync(path, 'utf8')];
    }),
  );
  ids = (done.report?.results ?? []).map((row) => row.invocation_id).sort();
});

const VERIFY = { inputs: { mode: 'verify' } };
const invented = (run: string) => {
  const file = `runs/${run}/envelope.json`;
  const hash = /"content_hash": ?"([0-9a-f]{64})"/.exec(stored[file] ?? '')?.[1] ?? '';
  return { [file]: (stored[file] ?? '').replaceAll(hash, `${'0'.repeat(63)}1`) };
};

test('verifies the stored runs that a pull request adds, and those alone', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, stored), VERIFY);
  expect(done).toMatchObject({ code: 0, outputs: { runs: '2', conclusion: 'passed' } });
  on.repository.commit({ files: stored });
  const quiet = propose(on, { 'README.md': 'x\n' }, { branch: 'quiet' });
  expect(await performPull(on, quiet, VERIFY)).toMatchObject({ code: 0, outputs: { runs: '0' } });
  expect(on.repository.checks.of(quiet.headSha)).toMatchObject([{ conclusion: 'neutral' }]);
});

test('fails a pull request that alters a stored run, on the very line of its envelope', async () => {
  const on = await stage({ files: { ...PROJECT, ...stored } });
  const [run = ''] = ids;
  const files = invented(run);
  const pull = propose(on, files);
  const done = await performPull(on, pull, VERIFY);
  expect(done).toMatchObject({ code: 1, outputs: { runs: '1', conclusion: 'failed' } });
  const [check] = on.repository.checks.of(pull.headSha);
  const path = `runs/${run}/envelope.json`;
  const lines = (files[path] ?? '').split('\n');
  const placed = check?.annotations.filter((one) => one.path === path && one.title?.startsWith('G2')) ?? [];
  expect(placed.length).toBeGreaterThan(0);
  // The reference that was altered begins on this line or holds the id on the next.
  const from = (placed[0]?.start_line ?? 0) - 1;
  expect(lines.slice(from, from + 3).join('\n')).toContain('rec:');
  expect(done.report?.findings.map(({ rule }) => rule)).toContain('tampered');
});

test('fails a pull request that alters only the index, or takes a stored run away', async () => {
  const on = await stage({ files: { ...PROJECT, ...stored } });
  const [run = '', other = ''] = ids;
  const index = stored['runs/invocations.jsonl'] ?? '';
  const lines = index.split('\n');
  const altered = propose(on, { 'runs/invocations.jsonl': index.replace('Found.', 'Lost.') }, { branch: 'index' });
  expect(await performPull(on, altered, VERIFY)).toMatchObject({ code: 1, outputs: { runs: '1' } });
  const kept = lines.filter(
    (line) => !line.includes(`"invocation_id":"${run}"`) && !line.includes(`"invocation_id": "${run}"`),
  );
  const files = Object.fromEntries(
    Object.keys(stored)
      .filter((name) => name.startsWith(`runs/${run}/`))
      .map((name) => [name, null]),
  );
  const gone = propose(on, { ...files, 'runs/invocations.jsonl': kept.join('\n') }, { branch: 'gone' });
  const done = await performPull(on, gone, VERIFY);
  expect(done.code).toBe(1);
  expect(JSON.stringify(done.report?.findings)).toContain('removes the stored run');
  expect(other).not.toBe('');
});

test('warns when the source check says something else than when a run was stored, and fails when it is asked to', async () => {
  const [run = ''] = ids;
  const files = {
    [`runs/${run}/sources.txt`]: 'sources: 0 verified, 1 unresolved (no independent copy: rec:1 (records-1))\n',
  };
  const on = await stage({ files: { ...PROJECT, ...stored, ...files } });
  const pull = propose(on, { 'README.md': 'x\n' });
  const lenient = await performPull(on, pull, { inputs: { mode: 'reverify' } });
  expect(lenient).toMatchObject({ code: 0, outputs: { conclusion: 'passed', warnings: '1' } });
  expect(await performPull(on, pull, { inputs: { mode: 'reverify', 'fail-on': 'drift' } })).toMatchObject({ code: 1 });
});

test("judges stored runs by the base's pins as well as by the pull request's", async () => {
  const on = await stage({ files: { ...PROJECT, ...stored } });
  const { pinFor } = await import('./project.js');
  const records = '{"id":"rec:2","title":"Title of rec:2"}\n';
  const pull = propose(on, { 'records.jsonl': records, 'sources.yaml': pinFor(records) });
  const done = await performPull(on, pull, { inputs: { mode: 'reverify' } });
  expect(done).toMatchObject({ code: 1, outputs: { runs: '2' } });
  expect(JSON.stringify(done.report?.findings)).toContain('under the sources of this change');
});

test('reverifies all stored runs on a schedule, and fails when there are none', async () => {
  const on = await stage({ files: { ...PROJECT, ...stored } });
  const happening = { event: 'schedule', payload: { schedule: '0 3 * * *', repository: { private: true } } } as const;
  const step = { happening, sha: on.repository.head(), ref: 'refs/heads/main', inputs: { mode: 'reverify' } };
  expect(await perform(on, step)).toMatchObject({ code: 0, outputs: { runs: '2', conclusion: 'passed' } });
  const empty = await stage();
  const none = await perform(empty, { ...step, sha: empty.repository.head() });
  expect(none).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
});

test('makes runs on a schedule for the repository, and on a pull request for who asked', async () => {
  const on = await stage({ private: true });
  const happening = { event: 'schedule', payload: { schedule: '0 3 * * *', repository: { private: true } } } as const;
  const done = await perform(on, { happening, sha: on.repository.head(), ref: 'refs/heads/main' });
  const index = readFileSync(join(done.workspace, 'runs/invocations.jsonl'), 'utf8');
  expect(JSON.parse(index.split('\n')[0] ?? '').acting_for).toMatchObject({
    name: 'octo/agents',
    principal_kind: 'accountable_role',
  });
  const asked = await performPull(on, propose(on, { 'README.md': 'x\n' }), { actor: 'dependabot[bot]' });
  const named = readFileSync(join(asked.workspace, 'runs/invocations.jsonl'), 'utf8');
  expect(JSON.parse(named.split('\n')[0] ?? '').acting_for).toMatchObject({
    name: 'dependabot[bot]',
    principal_kind: 'person',
  });
});

test('judges every stored run when a pull request of 3,100 files is too long for the API', async () => {
  const on = await stage({ files: { ...PROJECT, ...stored } });
  const many = Object.fromEntries(Array.from({ length: 3_100 }, (_, at) => [`docs/${at}.txt`, `${at}\n`]));
  const [run = ''] = ids;
  const pull = propose(on, { ...many, ...invented(run) });
  const done = await performPull(on, pull, { ...VERIFY, prepare: shallowly(pull.baseSha) });
  expect(done).toMatchObject({ code: 1, outputs: { runs: '2' } });
  // With the history at hand git says which ones changed.
  expect(await performPull(on, pull, VERIFY)).toMatchObject({ code: 1, outputs: { runs: '1' } });
}, 120_000);

test("judges what a fork's run has stored again, and tells the fork's pull request", async () => {
  const { on, pull, step } = await forkRan();
  const run = step.happening.run;
  on.repository.actions.store({ run, name: 'grounding-1', bytes: zipped({ 'report.json': '{}', ...stored }) });
  const done = await perform(on, { ...step, inputs: { comment: 'always' } });
  expect(done).toMatchObject({ code: 0, outputs: { runs: '2', conclusion: 'passed' } });
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'success' }]);
  expect(commentsOn(on, pull)).toHaveLength(1);
});

test("refuses to judge a fork's runs by anything but the default branch", async () => {
  const { on, pull, step } = await forkRan();
  on.repository.actions.store({
    run: step.happening.run,
    name: 'grounding-1',
    bytes: zipped({ 'report.json': '{}', ...stored }),
  });
  const done = await perform(on, { ...step, checkout: pull.headSha });
  expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
  expect(done.log).toContain('[checkout-differs]');
});

test("fails what a fork's run has forged", async () => {
  const { on, pull, step } = await forkRan();
  const [run = ''] = ids;
  const bytes = zipped({ 'report.json': '{}', ...stored, ...invented(run) });
  on.repository.actions.store({ run: step.happening.run, name: 'grounding-1', bytes });
  expect(await perform(on, step)).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'failure' }]);
});

test.each([
  ['no artifact', null],
  ['a redacted one', { 'report.json': '{}', 'REDACTED.txt': 'x' }],
  ['one without runs', { 'report.json': '{}' }],
  ['one whose names lead out', { 'report.json': '{}', '../evil': 'x' }],
])('reaches no verdict on %s of a fork', async (_, files) => {
  const { on, pull, step } = await forkRan();
  if (files !== null)
    on.repository.actions.store({ run: step.happening.run, name: 'grounding-1', bytes: zipped(files) });
  const done = await perform(on, step);
  expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
  expect(done.log).toContain('[artifact-refused]');
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ conclusion: 'failure' }]);
});

/** A fork's pull request whose workflow has run, and the step of the workflow that follows it. */
async function forkRan() {
  const on: Stage = await stage();
  const fork = on.repository.fork('mallory/agents');
  const pull = propose(on, { 'README.md': 'x\n' }, { from: fork });
  const run = on.repository.actions.start({
    headSha: pull.headSha,
    from: fork,
    headBranch: 'change',
    event: 'pull_request',
  });
  on.repository.actions.complete(run, 'success');
  const happening = { event: 'workflow_run', action: 'completed', repository: on.repository, run } as const;
  const step = { happening, sha: on.repository.head(), ref: 'refs/heads/main' };
  expect(READ_ONLY['checks']).toBe('read');
  return { on, pull, step };
}

function zipped(files: Readonly<Record<string, string>>): Uint8Array {
  return writeZip(
    Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    nodeZlib,
  );
}
