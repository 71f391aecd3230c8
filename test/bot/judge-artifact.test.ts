import { expect, test } from 'vitest';
import { fixture, PROJECT } from '../action/project.js';
import type { Pull } from '../github/state/records.js';
import {
  checkOn,
  checksOn,
  happen,
  type JudgeStage,
  judged,
  judgeStage,
  ownComments,
  propose,
  stored,
} from './judge-stage.js';
import { artifactOf, asTree, makeRuns, namesOf, zipOf } from './make-runs.js';
import { until } from './support.js';

const { runs: GOOD, report: REPORT } = makeRuns(PROJECT);
const [RUN = ''] = namesOf(GOOD);
const CONFIG = 'workflow: grounding.yml\n';
const CHANGE = { 'agents/finder.mjs': 'export default 1;\n' };
const GOOD_ZIP = artifactOf(GOOD, REPORT);

/** Tells the bot that the workflow ended, and waits for the verdict. */
async function ended(on: JudgeStage, pull: Pull, zip: Buffer | null, more: Parameters<typeof stored>[3] = {}) {
  const run = stored(on, pull, zip, more);
  const done = () => checksOn(on, pull.headSha).filter(({ status }) => status === 'completed').length;
  const before = done();
  await happen(on, { event: 'workflow_run', action: 'completed', repository: on.repository, run });
  await until(() => done() > before, 'a verdict');
  return checkOn(on, pull.headSha);
}

test('waits for the workflow, then judges what it stored', async () => {
  const on = await judgeStage({ config: CONFIG });
  const pull = propose(on, CHANGE);
  await happen(on, { event: 'pull_request', action: 'opened', repository: on.repository, pull });
  await until(() => checksOn(on, pull.headSha).at(-1)?.output.title === 'waiting for evidence', 'a check that waits');
  expect(checkOn(on, pull.headSha).status).toBe('queued');
  const check = await ended(on, pull, GOOD_ZIP);
  expect(check).toMatchObject({ conclusion: 'success', output: { title: '1 run in order' } });
  expect(checksOn(on, pull.headSha)).toHaveLength(1);
});

test('judges a fork by its own workflow run, whose payload names no pull request', async () => {
  const on = await judgeStage({ config: CONFIG });
  const fork = on.repository.fork('mona/agents');
  const pull = propose(on, CHANGE, { from: fork });
  const check = await ended(on, pull, GOOD_ZIP, { from: fork });
  expect(check.conclusion).toBe('success');
});

test('takes no run of another repository for a commit that both know', async () => {
  const on = await judgeStage({ config: 'workflow: grounding.yml\ndeadline_minutes: 1\n' });
  const fork = on.repository.fork('mona/agents');
  const pull = propose(on, CHANGE);
  const run = stored(on, pull, GOOD_ZIP, { from: fork });
  await happen(on, { event: 'workflow_run', action: 'completed', repository: on.repository, run });
  await until(() => checksOn(on, pull.headSha).at(-1)?.output.title === 'waiting for evidence', 'a check that waits');
  expect(checkOn(on, pull.headSha).conclusion).toBeNull();
});

test('judges runs that a change commits besides, and wants them for no fixture', async () => {
  const on = await judgeStage({ config: CONFIG });
  const { runs } = makeRuns(PROJECT);
  const check = await ended(on, propose(on, { ...CHANGE, ...asTree(runs) }), GOOD_ZIP);
  expect(check).toMatchObject({ conclusion: 'success', output: { title: '2 runs in order' } });
});

test('takes an artifact without runs for none', async () => {
  const on = await judgeStage({ config: CONFIG });
  const check = await ended(on, propose(on, CHANGE), artifactOf(new Map(), REPORT));
  expect(check.conclusion).toBe('action_required');
});

test('wants a run for each fixture, and no more', async () => {
  const on = await judgeStage({ config: CONFIG, files: { 'fixtures/other.json': fixture({ fetch: ['rec:2'] }) } });
  const missing = await ended(on, propose(on, CHANGE), GOOD_ZIP);
  expect(missing.conclusion).toBe('failure');
  expect(missing.output.summary).toContain('the evidence holds 0 of 1 run of this fixture');
});

test('fails where a run stands in two artifacts, and where there are more than a fixture asks for', async () => {
  const on = await judgeStage({ config: CONFIG });
  const pull = propose(on, CHANGE);
  const run = on.repository.actions.start({ headSha: pull.headSha });
  for (const name of ['grounding-a-1', 'grounding-b-1']) on.repository.actions.store({ run, name, bytes: GOOD_ZIP });
  on.repository.actions.complete(run, 'success');
  const check = await judged(on, pull);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('two artifacts hold a run of this id');
  expect(check.output.summary).toContain('more runs of this fixture than it asks for');
});

test('fails a run that the base holds already, and one that was made at another time', async () => {
  const tree = Object.fromEntries([...GOOD].map(([path, bytes]) => [`runs/${path}`, bytes.toString('utf8')]));
  const on = await judgeStage({ config: CONFIG, files: tree });
  const check = await ended(on, propose(on, CHANGE), GOOD_ZIP);
  expect(check.output.summary).toContain('stored on the base already');
  // The workflow ran a day after the run was made.
  const late = await judgeStage({ config: CONFIG, clock: () => Date.now() + 86_400_000 });
  const replayed = await ended(late, propose(late, CHANGE), GOOD_ZIP);
  expect(replayed.conclusion).toBe('failure');
  expect(replayed.output.summary).toContain('was not made while the workflow ran');
});

test('fails runs that another run of the workflow has shown, and judges those of one run as often as asked', async () => {
  const on = await judgeStage({ config: CONFIG });
  const first = propose(on, CHANGE);
  expect((await ended(on, first, GOOD_ZIP)).conclusion).toBe('success');
  const other = propose(on, { 'agents/finder.mjs': 'export default 2;\n' }, { branch: 'copy' });
  const copied = await ended(on, other, GOOD_ZIP);
  expect(copied.conclusion).toBe('failure');
  expect(copied.output.summary).toContain('another run of a workflow has shown a run of this id before');
  await happen(on, {
    event: 'check_run',
    action: 'rerequested',
    repository: on.repository,
    check: checkOn(on, first.headSha),
  });
  await until(
    () => checksOn(on, first.headSha).length === 2 && checkOn(on, first.headSha).status === 'completed',
    'a verdict again',
  );
  expect(checkOn(on, first.headSha).conclusion).toBe('success');
});

test('fails a run that a change commits and its workflow stores as well', async () => {
  const on = await judgeStage({ config: CONFIG });
  const check = await ended(on, propose(on, { ...CHANGE, ...asTree(GOOD) }), GOOD_ZIP);
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('the change commits a run of this id as well');
});

test('believes nothing that the evidence says of its own verdict, and says where it differs', async () => {
  const on = await judgeStage({ config: CONFIG });
  const runs = new Map(
    [...GOOD].map(([path, bytes]) => {
      if (!/envelope\.json$|invocations\.jsonl$/.test(path)) return [path, bytes];
      const envelope = JSON.parse(bytes.toString('utf8'));
      envelope.payload.grounded_on = [{ source_id: 'rec:9', content_hash: 'ab'.repeat(32) }];
      return [path, Buffer.from(`${JSON.stringify(envelope)}\n`)];
    }),
  );
  const check = await ended(on, propose(on, CHANGE), artifactOf(runs, REPORT));
  expect(check.conclusion).toBe('failure');
  expect(check.output.summary).toContain('report.json says');
  expect(check.output.summary).toContain('grounding.txt');
});

test('asks for evidence where the workflow stored none, and takes it when it comes', async () => {
  const on = await judgeStage({ config: CONFIG });
  const pull = propose(on, CHANGE);
  const none = await ended(on, pull, null, { conclusion: 'failure' });
  expect(none).toMatchObject({ conclusion: 'action_required', output: { title: 'evidence is missing' } });
  expect(ownComments(on, pull)).toHaveLength(1);
  const check = await ended(on, pull, GOOD_ZIP);
  expect(check.conclusion).toBe('success');
  expect(ownComments(on, pull)[0]?.body).toContain('✅');
});

const wanted = `runs/${RUN}/envelope.json`;
const bytes = GOOD.get(`${RUN}/envelope.json`) ?? Buffer.alloc(0);
const zeros = Buffer.alloc(2 * 1024 * 1024);
test.each<[string, () => Buffer]>([
  ['a name that leads out', () => zipOf([{ name: '../../etc/passwd', bytes }])],
  ['an absolute name', () => zipOf([{ name: '/etc/passwd', bytes }])],
  ['a name with a backslash', () => zipOf([{ name: 'runs\\a', bytes }])],
  [
    'a name twice',
    () =>
      zipOf([
        { name: wanted, bytes },
        { name: wanted, bytes },
      ]),
  ],
  ['a link', () => zipOf([{ name: wanted, bytes: Buffer.from('/etc/passwd'), mode: 0o120777 }])],
  ['a bomb', () => zipOf([{ name: wanted, bytes: zeros }])],
  ['an entry of 1 GB', () => zipOf([{ name: wanted, bytes, size: 1024 ** 3 }])],
  ['an entry that is longer than it says', () => zipOf([{ name: wanted, bytes: zeros, size: 100 }])],
  ['a checksum that lies', () => zipOf([{ name: wanted, bytes, crc: 1 }])],
  ['an entry that is encrypted', () => zipOf([{ name: wanted, bytes, flags: 0x0801 }])],
  [
    '100,000 entries',
    () =>
      zipOf(Array.from({ length: 100_000 }, (_, at) => ({ name: `runs/${at}`, bytes: Buffer.alloc(0), method: 0 }))),
  ],
  ['no archive', () => Buffer.from('PK')],
])('takes no artifact with %s as evidence', async (_, zip) => {
  const on = await judgeStage({ config: CONFIG });
  const check = await ended(on, propose(on, CHANGE), zip());
  expect(check).toMatchObject({ conclusion: 'action_required', output: { title: 'evidence is missing' } });
  expect(check.output.summary).toContain('an artifact cannot be taken as evidence');
});

test('takes no artifact of another run, repository or commit', async () => {
  const on = await judgeStage({ config: CONFIG });
  const pull = propose(on, CHANGE);
  const run = stored(on, pull, GOOD_ZIP);
  const other = on.repository.actions.start({ headSha: on.repository.head('main') });
  const artifact = on.repository.actions.artifacts.at(-1);
  // GitHub lists it with one run, and says that it is another's.
  const listed = {
    total_count: 1,
    artifacts: [
      {
        id: artifact?.id,
        node_id: 'A',
        name: artifact?.name,
        size_in_bytes: 9,
        url: 'u',
        archive_download_url: 'u',
        expired: false,
        created_at: null,
        updated_at: null,
        expires_at: null,
        workflow_run: {
          id: other.id,
          repository_id: on.repository.id,
          head_repository_id: on.repository.id,
          head_branch: 'main',
          head_sha: pull.headSha,
        },
      },
    ],
  };
  on.server.fail('actions/list-workflow-run-artifacts', { status: 200, body: listed });
  await happen(on, { event: 'workflow_run', action: 'completed', repository: on.repository, run });
  await until(() => checksOn(on, pull.headSha).at(-1)?.status === 'completed', 'a verdict');
  expect(checkOn(on, pull.headSha).output.summary).toContain('another run, repository or commit');
});
