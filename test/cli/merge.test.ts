import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith, grounding } from './grounding.js';
import { passingArchive, tamper, VECTORS } from './passing-archive.js';

/** Judges both shards of an archive; `more` goes to the second. */
async function judgeShards(home: string, more: readonly string[] = []): Promise<void> {
  for (const shard of [1, 2]) {
    const args = ['reverify', '--shard', `${shard}/2`, '--format', 'json', '--output', `${shard}.jsonl`];
    const ended = await grounding([...args, ...(shard === 2 ? more : [])], { cwd: home });
    expect([0, 1]).toContain(ended.code);
  }
}

const merge = (home: string, ...args: string[]) => grounding(['merge', '1.jsonl', '2.jsonl', ...args], { cwd: home });

/** A folder with the two reports of an archive with one tampered and one failed run. */
let made = '';
beforeAll(async () => {
  const { home, runs, names } = passingArchive(8);
  tamper(runs, names[0]);
  made = home;
  await judgeShards(home);
});

/** Alters the first shard's report, and its measure so that the two agree. */
function altered(change: (text: string) => string): string {
  const home = folderWith({});
  for (const shard of [1, 2])
    for (const end of ['', '.meta.json'])
      cpSync(join(made, `${shard}.jsonl${end}`), join(home, `${shard}.jsonl${end}`));
  const report = join(home, '1.jsonl');
  const text = change(readFileSync(report, 'utf8'));
  expect(text).not.toBe(readFileSync(report, 'utf8'));
  writeFileSync(report, text);
  const meta = JSON.parse(readFileSync(`${report}.meta.json`, 'utf8'));
  writeFileSync(
    `${report}.meta.json`,
    JSON.stringify({ ...meta, sha256: createHash('sha256').update(text).digest('hex') }),
  );
  return home;
}

const first =
  (change: (row: Record<string, unknown>) => object) =>
  (text: string): string => {
    const end = text.indexOf('\n');
    const row = JSON.parse(text.slice(0, end));
    return `${JSON.stringify({ ...row, ...change(row) })}${text.slice(end)}`;
  };
const BROKEN = {
  passed: false,
  mode: 'none',
  rules: ['G0'],
  violations: [{ rule: 'G0', message: 'x' }],
  retrievals: 0,
  chats: 0,
};

describe('grounding merge', () => {
  test('returns every row of runs that fail in whatever way', async () => {
    const home = folderWith({});
    for (const file of ['runs', 'sources.yaml', 'snapshot.jsonl', 'sources.json'])
      cpSync(join(VECTORS, file), join(home, file), { recursive: true });
    await judgeShards(home);
    const whole = await grounding(['reverify', '--format', 'json'], { cwd: home });
    expect(await merge(home, '--format', 'json')).toMatchObject({ code: 1, stdout: whole.stdout, stderr: '' });
  });

  const rows: readonly (readonly [string, (text: string) => string])[] = [
    ['says that a run passed and failed', first(() => ({ passed: false }))],
    ['passes a run that breaks a rule', first(() => ({ grounding: BROKEN }))],
    ['passes a run that was not judged', first(() => ({ grounding: null, sources: null }))],
    ['passes a run that was tampered with', first(() => ({ tampering: [{ test: 'index-differs', message: 'x' }] }))],
    [
      'passes a run with a fault of a kind that nobody knows',
      first(() => ({ tampering: [{ test: 'x', message: 'x' }] })),
    ],
    ['calls a run tampered without saying why', first(() => ({ passed: false, state: 'tampered' }))],
    ['calls a run unreadable that was judged', first(() => ({ passed: false, state: 'unreadable', error: 'x' }))],
    ['calls a run failed that holds', first(() => ({ passed: false, state: 'failed' }))],
    ['says more than a report says', first(() => ({ note: 'all is well' }))],
    ['dates a failure with no time', first(() => ({ failing_since: 'soon' }))],
    ['is written otherwise', (text) => text.replace('{"run":', '{ "run":')],
  ];
  test.each(rows)('refuses a row that %s', async (_what, change) => {
    const home = altered(change);
    const ended = await merge(home, '--output', 'all.txt');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[shard-refused]');
    expect(existsSync(join(home, 'all.txt'))).toBe(false);
  });

  test.each([
    ['another policy for what is unresolved', ['--unresolved', 'allow']],
    ['other sources', ['--sources', 'none.yaml']],
    ['another filter that wants the same', ['--only', '*']],
    ['another time that wants the same', ['--since', '2000-01-01']],
  ])('refuses shards that were judged with %s', async (_what, more) => {
    const { home } = passingArchive(8);
    writeFileSync(join(home, 'none.yaml'), 'sources: []\n');
    await judgeShards(home);
    expect((await merge(home)).code).toBe(0);
    await judgeShards(home, more);
    const ended = await merge(home);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[shard-refused]');
  });

  test.each([
    ['of', 1e9],
    ['of', 0],
    ['shard', 0],
    ['shard', '1'],
    ['count', -1],
    ['count', 7.5],
    ['runs', 3],
    ['index', 7],
    ['sha256', null],
    ['call', null],
    ['call', {}],
  ])('refuses a measure whose %s is %j', async (key, value) => {
    const home = folderWith({});
    for (const name of ['1.jsonl', '2.jsonl', '1.jsonl.meta.json', '2.jsonl.meta.json'])
      cpSync(join(made, name), join(home, name));
    const path = join(home, '1.jsonl.meta.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), [key]: value }));
    const ended = await merge(home);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[shard-refused]');
  });

  test('keeps what its shards say of the report before them', async () => {
    const { home, runs, names } = passingArchive(8);
    tamper(runs, names[0]);
    writeFileSync(join(home, 'none.jsonl'), '');
    const whole = await grounding(['reverify', '--format', 'json', '--previous', 'none.jsonl'], { cwd: home });
    writeFileSync(join(home, 'before.jsonl'), whole.stdout);
    for (const shard of [1, 2])
      await grounding(
        [
          'reverify',
          '--shard',
          `${shard}/2`,
          '--previous',
          'before.jsonl',
          '--format',
          'json',
          '--output',
          `${shard}.jsonl`,
        ],
        { cwd: home },
      );
    const merged = await merge(home, '--format', 'json');
    expect(merged.stdout).toBe(whole.stdout.replace('"drift":"new"', '"drift":"still"'));
  });
});
