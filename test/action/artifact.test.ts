import { expect, test } from 'vitest';
import { nodeZlib } from '../../action/io/zlib.js';
import { readZip, writeZip } from '../../action/zip.js';
import { fixture } from './project.js';
import { perform, performPull, propose, type Stage, stage } from './stage.js';

const LIE = { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) };

test('stores the report and whole runs where the repository is private', async () => {
  const on = await stage({ private: true });
  const done = await performPull(on, propose(on, LIE), {
    inputs: { 'retention-days': '3', junit: 'true', sarif: 'true' },
  });
  const files = filesOf(on);
  const [first] = done.report?.results ?? [];
  const names = [...files.keys()];
  expect(names).toEqual(
    expect.arrayContaining(['report.json', 'report.md', 'results.sarif', 'junit.xml', 'runs/invocations.jsonl']),
  );
  expect(names).toContain(`runs/${first?.invocation_id}/request.json`);
  expect(files.get(`runs/${first?.invocation_id}/envelope.json`)).toContain('acting_for');
  const [artifact] = on.repository.actions.artifacts;
  const days = (Date.parse(artifact?.expiresAt ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
});

test('keeps payload, input and principal out of the artifact of a public repository, and says so in it', async () => {
  const on = await stage();
  const done = await performPull(
    on,
    propose(on, { 'fixtures/secretive.json': fixture({ fetch: ['rec:2'], note: 'only-in-the-input' }) }),
  );
  const files = filesOf(on);
  const [first] = done.report?.results ?? [];
  expect([...files.keys()].filter((name) => name.startsWith(`runs/${first?.invocation_id}/`)).sort()).toEqual(
    ['envelope.json', 'grounding.txt', 'sources.txt'].map((name) => `runs/${first?.invocation_id}/${name}`),
  );
  const all = [...files.values()].join('\n');
  for (const text of ['only-in-the-input', 'acting_for', 'mona', '"payload":']) expect(all).not.toContain(text);
  expect(files.has('REDACTED.txt')).toBe(true);
});

test('compares with the newest run of the base branch, and lists what is new, fixed and unchanged', async () => {
  const on = await stage();
  on.repository.commit({ files: { ...LIE, 'fixtures/old.json': fixture({ cite: ['rec:8'] }) } });
  await performPush(on);
  on.repository.commit({ files: { 'fixtures/old.json': fixture({ fetch: ['rec:2'] }) } });
  const pull = propose(on, { 'fixtures/new.json': fixture({ cite: ['rec:7'] }) });
  const done = await performPull(on, pull, { inputs: { comment: 'always' } });
  expect(done.code).toBe(1);
  for (const text of [done.summary, on.repository.discussion.comments[0]?.body ?? '']) {
    expect(text).toContain('Against the baseline');
    expect(text).toMatch(/new: .*fixtures\/new\.json/);
    expect(text).toMatch(/fixed: .*fixtures\/old\.json/);
    expect(text).toMatch(/5 new, 5 fixed, 5 unchanged/);
  }
});

test('with fail-on-new, passes what the baseline had already and fails what it had not', async () => {
  const on = await stage();
  on.repository.commit({ files: LIE });
  await performPush(on);
  const inputs = { 'fail-on-new': 'true' };
  const old = await performPull(on, propose(on, { 'README.md': 'new\n' }), { inputs });
  expect(old).toMatchObject({ code: 0, outputs: { conclusion: 'passed' } });
  expect(old.summary).toContain('G2');
  const worse = propose(on, { 'fixtures/new.json': fixture({ cite: ['rec:7'] }) }, { branch: 'worse' });
  expect(await performPull(on, worse, { inputs })).toMatchObject({ code: 1 });
});

test('with fail-on-new and no baseline, fails on everything and says that there is none', async () => {
  const on = await stage();
  on.repository.commit({ files: LIE });
  const done = await performPull(on, propose(on, { 'README.md': 'new\n' }), { inputs: { 'fail-on-new': 'true' } });
  expect(done.code).toBe(1);
  expect(done.summary).toContain('No baseline');
});

test("takes no baseline from a run that a fork's branch of the same name made", async () => {
  const on = await stage();
  on.repository.commit({ files: LIE });
  const done = await performPush(on);
  const [artifact] = on.repository.actions.artifacts;
  const fork = on.repository.fork('mallory/agents');
  const forged = on.repository.actions.start({
    headSha: on.repository.head(),
    from: fork,
    headBranch: 'main',
    event: 'pull_request',
  });
  on.repository.actions.complete(forged, 'success');
  on.repository.actions.complete(done.run, 'cancelled');
  on.repository.actions.store({ run: forged, name: artifact?.name ?? '', bytes: artifact?.bytes ?? Buffer.alloc(0) });
  const judged = await performPull(on, propose(on, { 'README.md': 'new\n' }), { inputs: { 'fail-on-new': 'true' } });
  expect(judged.code).toBe(1);
  expect(judged.summary).toContain('No baseline');
});

test('says that the name is taken when another job of the run has stored it', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const run = on.repository.actions.start({ headSha: pull.headSha });
  on.repository.actions.store({ run, name: 'mine', bytes: Buffer.from('PK') });
  const done = await performPull(on, pull, { run, inputs: { upload: 'mine' } });
  expect(done.code).toBe(1);
  expect(done.outputs['artifact-id']).toBe('');
  expect(done.summary).toContain('may have the name mine');
});

test('stores another artifact for the next attempt of a run', async () => {
  const on = await stage();
  const pull = propose(on, LIE);
  const { run } = await performPull(on, pull);
  on.repository.actions.rerun(run);
  await performPull(on, pull, { run });
  expect(on.repository.actions.artifacts.map(({ name }) => name)).toEqual([
    'grounding-grounding-1',
    'grounding-grounding-2',
  ]);
});

const WANTED = { entries: 10, entryBytes: 1 << 20, totalBytes: 1 << 20, wanted: () => true };

test('reads back what it writes', () => {
  const entries = [
    { name: 'a/ä.txt', bytes: Buffer.from('x'.repeat(5000)) },
    { name: 'empty', bytes: Buffer.alloc(0) },
  ];
  const read = readZip(writeZip(entries, nodeZlib), { limits: WANTED, zlib: nodeZlib });
  expect([...read].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['a/ä.txt', 'x'.repeat(5000)],
    ['empty', ''],
  ]);
});

test.each([
  ['a path that leads out', (zip: Buffer) => rename(zip, 'abcdef', '../abc')],
  ['an absolute path', (zip: Buffer) => rename(zip, 'abcdef', '/bcdef')],
  ['a backslash', (zip: Buffer) => rename(zip, 'abcdef', 'a\\cdef')],
  ['the same name twice', (zip: Buffer) => rename(zip, 'second', 'abcdef')],
  ['a link', (zip: Buffer) => patch(zip, { at: 40, value: 0xa000 })],
  ['a size that lies', (zip: Buffer) => patch(zip, { at: 24, value: 9 })],
  ['a checksum of another file', (zip: Buffer) => patch(zip, { at: 16, value: 9 })],
  ['an encrypted file', (zip: Buffer) => patch(zip, { at: 8, value: 1 })],
  ['a cut', (zip: Buffer) => zip.subarray(0, zip.length - 30)],
])('refuses an archive with %s', (_, harm) => {
  const zip = Buffer.from(
    writeZip(
      [
        { name: 'abcdef', bytes: Buffer.from('one') },
        { name: 'second', bytes: Buffer.from('two') },
      ],
      nodeZlib,
    ),
  );
  expect(() => readZip(harm(zip), { limits: WANTED, zlib: nodeZlib })).toThrow();
});

test('inflates no more than an archive says, and reads no more than its limits', () => {
  const bomb = writeZip([{ name: 'bomb', bytes: Buffer.alloc(1 << 24) }], nodeZlib);
  expect(() => readZip(bomb, { limits: WANTED, zlib: nodeZlib })).toThrow('more bytes');
  expect(readZip(bomb, { limits: { ...WANTED, wanted: () => false }, zlib: nodeZlib }).size).toBe(0);
});

function filesOf({ repository }: Stage): ReadonlyMap<string, string> {
  const [artifact] = repository.actions.artifacts;
  const limits = { entries: 1000, entryBytes: 1 << 28, totalBytes: 1 << 28, wanted: () => true };
  const files = readZip(artifact?.bytes ?? Buffer.alloc(0), { limits, zlib: nodeZlib });
  return new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
}

/** Runs the bundle for a push to the main branch, as the run that later ones are compared with. */
async function performPush(on: Stage) {
  const { repository } = on;
  const after = repository.head();
  const run = repository.actions.start({ headSha: after, event: 'push', headBranch: 'main' });
  const happening = { event: 'push', repository, ref: 'refs/heads/main', before: after, after } as const;
  const done = await perform(on, { happening, sha: after, ref: 'refs/heads/main', run });
  repository.actions.complete(run, done.code === 0 ? 'success' : 'failure');
  return done;
}

function rename(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** Changes a field of the first entry of the directory. */
function patch(zip: Buffer, { at, value }: { readonly at: number; readonly value: number }): Buffer {
  const directory = zip.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  zip.writeUInt16LE(value, directory + at);
  return zip;
}
