import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeArchive } from '../../bench/archive.mjs';
import { shardOf } from '../../core/reverify/select.js';
import { folderWith, grounding, ROOT } from './grounding.js';
import { passingArchive as archive, rowsOf, tamper, VECTORS } from './passing-archive.js';

describe('grounding reverify', () => {
  test('returns one object a line in the exact shape, in folder-name order, and 0 when all is well', async () => {
    const { home, names } = archive();
    const ended = await grounding(['reverify', '--format', 'json'], { cwd: home });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const rows = rowsOf(ended.stdout);
    expect(rows.map(({ run }) => run)).toEqual([...names].sort());
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['run', 'passed', 'state', 'grounding', 'sources', 'error']);
      expect(row).toMatchObject({
        passed: true,
        state: 'passed',
        grounding: { passed: true, rules: [], violations: [] },
        sources: { passed: true, rules: [], violations: [] },
        error: null,
      });
    }
  });

  test('returns rules sorted by name, each once', async () => {
    const ended = await grounding(['reverify', 'runs', '--format', 'json'], { cwd: VECTORS });
    expect(ended.code).toBe(1);
    const rows = rowsOf(ended.stdout) as unknown as { grounding: { rules: string[] }; sources: { rules: string[] } }[];
    const rules = rows.map(({ grounding: { rules } }) => rules);
    expect(rules.filter((list) => list.length > 1).length).toBeGreaterThan(10);
    expect(rules).toEqual(rules.map((list) => [...new Set(list)].sort()));
  });

  test.each([
    ['text', '12 runs: 11 passed, 1 tampered'],
    ['markdown', 'tampered'],
    ['junit', '<testsuite'],
    ['sarif', '"version": "2.1.0"'],
  ])('returns the same verdict as %s', async (format, part) => {
    const { home, runs, names } = archive();
    tamper(runs, names[3]);
    const ended = await grounding(['reverify', 'runs', '--format', format], { cwd: home });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(part);
    expect(ended.stdout).toContain(names[3]);
  });

  test.each([
    ['a folder without runs', { 'runs/readme.md': '' }, ['reverify', 'runs'], 'runs-none'],
    ['a folder that is not there', {}, ['reverify', 'none'], 'store-missing'],
    ['a filter that wants nothing', null, ['reverify', '--only', 'x*'], 'runs-none'],
    ['a time after every run', null, ['reverify', '--since', '2999-01-01'], 'runs-none'],
    ['a shard that is none', null, ['reverify', '--shard', '3/2'], 'usage'],
    ['a shard of nothing', null, ['reverify', '--shard', '0/0'], 'usage'],
    ['a time that is none', null, ['reverify', '--since', 'yesterday'], 'usage'],
    ['new failures without a report before', null, ['reverify', '--fail-on', 'new'], 'usage'],
    ['a report before that is missing', null, ['reverify', '--previous', 'none.jsonl'], 'input-missing'],
    ['a report before that is none', null, ['reverify', '--previous', 'sources.json'], 'json-syntax'],
    ['a seal that is none', null, ['reverify', '--seal', 'sources.json'], 'seal-malformed'],
    ['a key without a cache', null, ['reverify', '--cache-key', 'PATH'], 'usage'],
    ['a key that is unset', null, ['reverify', '--cache', 'c', '--cache-key', 'NOBODY'], 'usage'],
    ['a sources file that is missing', null, ['reverify', '--sources', 'none.yaml'], 'config-missing'],
  ] as readonly (readonly [string, Readonly<Record<string, string>> | null, readonly string[], string])[])(
    'returns 2 and one line for %s',
    async (_what, files, args, code) => {
      const { home } = archive(2);
      const folder = files === null ? home : folderWith({});
      for (const [name, text] of Object.entries(files ?? {})) {
        mkdirSync(join(folder, 'runs'), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      const ended = await grounding(args, { cwd: folder });
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr.trimEnd().split('\n').at(-1)).toContain(`[${code}]`);
    },
  );

  test.each([
    ['reverify', '--cache', 'runs/invocations.jsonl'],
    ['reverify', '--output', 'runs/invocations.jsonl'],
    ['reverify', 'runs/', '--output', 'link/invocations.jsonl'],
    ['reverify', 'link', '--cache', './runs/schemas/cache'],
    ['reverify', '--cache', 'one', '--output', './one'],
    ['seal', 'runs', '--output', 'runs/invocations.jsonl'],
  ])('returns 2 for %s %s %s, and writes nothing into the archive', async (...args) => {
    const { home, runs } = archive(1);
    symlinkSync('runs', join(home, 'link'));
    mkdirSync(join(runs, 'schemas'));
    const before = readFileSync(join(runs, 'invocations.jsonl'), 'utf8');
    const ended = await grounding(args, { cwd: home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[usage]');
    expect(readFileSync(join(runs, 'invocations.jsonl'), 'utf8')).toBe(before);
    expect(readdirSync(join(runs, 'schemas'))).toEqual([]);
  });

  test.each(['x'.repeat(300), 'round', 'none/x'])('says that %s cannot be written', async (output) => {
    const { home } = archive(1);
    symlinkSync('round', join(home, 'round'));
    const ended = await grounding(['reverify', '--output', output], { cwd: home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[output-unwritable]');
  });

  test('draws no run of a tarball from what stands on the disk', async () => {
    const { home, runs, names } = archive(1);
    tamper(runs, names[0]);
    expect(spawnSync('tar', ['-czf', 'runs.tar.gz', 'runs'], { cwd: home }).status).toBe(0);
    const onDisk = await grounding(['reverify', '--format', 'markdown'], { cwd: home });
    expect(onDisk.stdout).toContain('```mermaid');
    const packed = await grounding(['reverify', '--tar', 'runs.tar.gz', '--format', 'markdown'], { cwd: home });
    expect(packed.code).toBe(1);
    expect(packed.stdout).toContain(`runs/${names[0]}/envelope.json`);
    expect(packed.stdout).not.toContain('```mermaid');
  });

  test.each(['::error::x', '  ::add-mask::x', '\u00a0\u3000::x'])(
    'begins no line with a command of a log for a run that is named %j',
    async (name) => {
      const { home, runs, names } = archive(1);
      cpSync(join(runs, names[0] ?? ''), join(runs, name), { recursive: true });
      const ended = await grounding(['reverify'], { cwd: home });
      expect(ended.code).toBe(1);
      expect(ended.stdout).toContain('\\u003a:');
      expect(`${ended.stdout}${ended.stderr}`.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual(
        [],
      );
    },
  );

  test('returns 0 for an empty shard, and every run in exactly one shard of many', async () => {
    const { home, names } = archive();
    const seen: string[] = [];
    let empty = 0;
    for (let shard = 1; shard <= 40; shard += 13) {
      const ended = await grounding(['reverify', '--shard', `${shard}/40`, '--format', 'json'], { cwd: home });
      expect(ended.code).toBe(0);
      const rows = rowsOf(ended.stdout).map(({ run }) => run);
      expect(rows).toEqual(names.filter((name) => shardOf(name, 40) === shard).sort());
      if (rows.length === 0) empty++;
      seen.push(...rows);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(empty).toBeGreaterThan(0);
  });

  test('judges runs by name and by time', async () => {
    const { home, names } = archive();
    const only = await grounding(['reverify', '--only', `${names[2]}*`, '--format', 'json'], { cwd: home });
    expect(rowsOf(only.stdout).map(({ run }) => run)).toEqual([names[2]]);
    // The vectors' ids were made on one day; a run that tells no time is never left out.
    renameSync(join(home, 'runs', names[0] ?? ''), join(home, 'runs', 'untimed'));
    const late = await grounding(['reverify', '--since', '2999-01-01T00:00:00Z', '--format', 'json'], { cwd: home });
    expect(rowsOf(late.stdout).map(({ run }) => run)).toEqual(['untimed']);
    const all = await grounding(['reverify', '--since', '36500d', '--format', 'json'], { cwd: home });
    expect(rowsOf(all.stdout)).toHaveLength(13);
  });

  test('reports index lines that cannot be read, and writes nothing into the archive', async () => {
    const { home, runs } = archive();
    const index = join(runs, 'invocations.jsonl');
    writeFileSync(index, `${readFileSync(index, 'utf8')}{"half\n`);
    const before = readdirSync(runs, { recursive: true }).sort();
    const ended = await grounding(['reverify'], { cwd: home });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('invocations.jsonl:13');
    expect(readdirSync(runs, { recursive: true }).sort()).toEqual(before);
  });

  test('leaves --output as it was when it ends with 2', async () => {
    const { home, runs, names } = archive(2);
    writeFileSync(join(home, 'out.jsonl'), 'before');
    rmSync(join(home, 'snapshot.jsonl'));
    const ended = await grounding(['reverify', '--output', 'out.jsonl'], { cwd: home });
    expect(ended.code).toBe(2);
    expect(readFileSync(join(home, 'out.jsonl'), 'utf8')).toBe('before');
    expect(readdirSync(home).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(existsSync(join(runs, names[0] ?? ''))).toBe(true);
  });
});

describe('grounding reverify, interrupted', () => {
  test('returns 130 and leaves neither half a report nor half a cache', async () => {
    const home = folderWith({ 'sources.yaml': 'sources: []\n' });
    makeArchive(join(home, 'runs'), 3000);
    const call = ['reverify', '--jobs', '2', '--output', 'out.txt', '--cache', 'cache.txt'];
    const child = spawn(process.execPath, [join(ROOT, 'build/cli.js'), ...call], { cwd: home, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const begun = (): boolean => readdirSync(home).filter((name) => name.startsWith('.')).length === 2;
    for (let i = 0; i < 1000 && !begun(); i++) await setTimeout(10);
    expect(begun()).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(readdirSync(home).sort()).toEqual(['runs', 'sources.yaml']);
  });
});

describe('grounding reverify --cache', () => {
  const cached = async (home: string, ...args: string[]): Promise<string> =>
    (await grounding(['reverify', '--cache', 'cache.txt', ...args], { cwd: home })).stdout;

  test('judges only what changed, and says so', async () => {
    const { home, runs, names } = archive();
    expect(await cached(home)).not.toContain('cache');
    expect(await cached(home)).toContain('12 taken from the cache');
    tamper(runs, names[5]);
    expect(await cached(home)).toContain('11 taken from the cache');
    expect(await cached(home)).toContain('12 runs: 11 passed, 1 tampered (12 taken from the cache');
    expect(await cached(home, '--no-cache')).toContain('12 runs: 11 passed, 1 tampered');
    expect(await cached(home, '--no-cache')).not.toContain('cache');
  });

  test('returns the same rows from the cache as from judging, whatever is in them', async () => {
    const home = folderWith({});
    const call = ['reverify', join(VECTORS, 'runs'), '--sources', join(VECTORS, 'sources.yaml'), '--format', 'json'];
    const judged = await grounding(call, { cwd: home });
    await grounding([...call, '--cache', 'c'], { cwd: home });
    expect((await grounding([...call, '--cache', 'c'], { cwd: home })).stdout).toBe(judged.stdout);
  });

  test('notices a change of the index, which no run file shows', async () => {
    const { home, runs, names } = archive();
    await cached(home);
    const index = join(runs, 'invocations.jsonl');
    writeFileSync(index, readFileSync(index, 'utf8').replace(`"${names[4]}"`, `"${names[3]}"`));
    expect(await cached(home)).toContain('10 passed, 2 tampered (12 taken from the cache');
  });

  test('judges just the runs that cite a pin that changed', async () => {
    const { home, runs, names } = archive(40);
    await cached(home);
    const copy = join(home, 'sources.json');
    writeFileSync(copy, `${readFileSync(copy, 'utf8').trimEnd()}\n\n`);
    const pinned = await grounding(
      ['pin', 'sources.json', '--ref', 'packaged:sources.json', '--id-field', 'source_id'],
      {
        cwd: home,
      },
    );
    expect(pinned.code).toBe(0);
    const citing = names.filter((name) =>
      readFileSync(join(runs, name, 'envelope.json'), 'utf8').includes('packaged:sources.json'),
    );
    expect(citing.length).toBeGreaterThan(0);
    expect(citing.length).toBeLessThan(names.length);
    expect(await cached(home)).toContain(`${names.length - citing.length} taken from the cache`);
  });

  test('does not read a cache in a checkout, unless its lines carry the MAC of a key', async () => {
    const { home } = archive();
    mkdirSync(join(home, '.git'));
    const key = { cwd: home, env: { SECRET: 'operator' } };
    const call = ['reverify', '--cache', 'cache.txt'];
    await grounding(call, key);
    const unread = await grounding(call, key);
    expect(unread.stdout).not.toContain('cache');
    expect(unread.stderr).toContain('--cache-key');

    const sealed = [...call, '--cache-key', 'SECRET'];
    expect((await grounding(sealed, key)).stderr).toContain('12 lines that are not to be trusted');
    expect((await grounding(sealed, key)).stdout).toContain('12 taken from the cache');
    const forged = readFileSync(join(home, 'cache.txt'), 'utf8').replace('"withheld":false', '"withheld":true');
    writeFileSync(join(home, 'cache.txt'), forged);
    const again = await grounding(sealed, key);
    expect(again.stdout).toContain('12 runs: 12 passed (11 taken from the cache');
    expect((await grounding(sealed, { ...key, env: { SECRET: 'other' } })).stdout).not.toContain('cache');
  });

  test('does not read a cache in the workspace of a job, whether that holds a .git or not', async () => {
    const { home } = archive(2);
    const env = { GITHUB_WORKSPACE: home };
    const call = ['reverify', '--cache', 'cache.txt'];
    for (const cwd of [home, home]) await grounding(call, { cwd, env });
    const unread = await grounding(call, { cwd: home, env });
    expect(unread.stdout).not.toContain('cache');
    expect(unread.stderr).toContain('--cache-key');
    const elsewhere = { GITHUB_WORKSPACE: join(home, 'runs') };
    expect((await grounding(call, { cwd: home, env: elsewhere })).stdout).toContain('2 taken from the cache');
  });

  test.each(['', 'another form\n', '\n\n', 'grounding-gate reverify cache 1\n-\t"x"\t1\t{}\n-\t"a\n\u0000\n'])(
    'judges everything when the cache holds %j',
    async (text) => {
      const { home } = archive(2);
      writeFileSync(join(home, 'cache.txt'), text);
      expect(await cached(home)).toContain('2 runs: 2 passed');
      expect(await cached(home)).toContain('2 taken from the cache');
    },
  );
});

describe('grounding reverify --previous', () => {
  test('tells new failures, old ones and healed ones apart, and since when', async () => {
    const { home, runs, names } = archive();
    const [a = '', b = '', c = ''] = names;
    const call = async (...args: string[]) =>
      grounding(['reverify', '--format', 'json', '--output', ...args], { cwd: home });
    tamper(runs, a);
    tamper(runs, b);
    writeFileSync(join(home, 'none.jsonl'), '');
    expect((await call('first.jsonl', '--previous', 'none.jsonl', '--fail-on', 'new')).code).toBe(1);
    const first = rowsOf(readFileSync(join(home, 'first.jsonl'), 'utf8'));
    const since = first.find(({ run }) => run === a)?.failing_since;
    expect(since).toMatch(/^20\d\d-.*Z$/);

    expect((await call('second.jsonl', '--previous', 'first.jsonl', '--fail-on', 'new')).code).toBe(0);
    expect((await call('second.jsonl', '--previous', 'first.jsonl')).code).toBe(1);
    rmSync(join(runs, b, 'grounding.txt'));
    tamper(runs, c);
    const text = await grounding(['reverify', '--previous', 'second.jsonl', '--fail-on', 'new'], { cwd: home });
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('drift: 1 new failure, 1 healed, 1 failing still');
    expect(text.stdout).toContain(`new failure: ${c}`);
    expect(text.stdout).toContain(`healed: ${b}`);
    await call('third.jsonl', '--previous', 'second.jsonl');
    const third = rowsOf(readFileSync(join(home, 'third.jsonl'), 'utf8'));
    expect(third.find(({ run }) => run === a)?.failing_since).toBe(since);
    expect(third.find(({ run }) => run === b)).not.toHaveProperty('failing_since');
    expect(third.find(({ run }) => run === c)?.failing_since).not.toBe(since);
  });
});

describe('grounding seal', () => {
  test('writes a statement that reverify holds the archive against', async () => {
    const { home, runs, names } = archive();
    const [a = '', b = '', c = '', d = ''] = names;
    mkdirSync(join(runs, 'schemas'));
    writeFileSync(join(runs, 'schemas', 'x.json'), '{}');
    expect(await grounding(['seal', 'runs', '--output', 'seal.json'], { cwd: home })).toMatchObject({ code: 0 });
    const statement = JSON.parse(readFileSync(join(home, 'seal.json'), 'utf8'));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'runs', digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
      predicate: { others: [{ path: 'invocations.jsonl' }, { path: 'schemas/x.json' }] },
    });
    expect(statement.predicate.runs).toHaveLength(12);

    const held = async () => {
      const ended = await grounding(['reverify', '--seal', 'seal.json', '--format', 'json'], { cwd: home });
      return { code: ended.code, rows: new Map(rowsOf(ended.stdout).map((row) => [row.run, row])) };
    };
    expect((await held()).code).toBe(0);

    // A newer run, with its index line: unsealed, and no failure.
    const { home: other, names: more } = archive(13);
    const newer = more.find((name) => !names.includes(name)) ?? '';
    cpSync(join(other, 'runs', newer), join(runs, newer), { recursive: true });
    const line = readFileSync(join(other, 'runs/invocations.jsonl'), 'utf8')
      .split('\n')
      .find((one) => one.includes(newer));
    const index = readFileSync(join(runs, 'invocations.jsonl'), 'utf8');
    writeFileSync(join(runs, 'invocations.jsonl'), `${index}${line}\n`);
    const grown = await held();
    expect(grown.code).toBe(0);
    expect(grown.rows.get(newer)).toMatchObject({ state: 'passed', sealed: false });
    expect(grown.rows.get(a)).toMatchObject({ state: 'passed', sealed: true });

    // White space that no check of the run itself sees; a file more; a file less; a run less, with its line.
    writeFileSync(join(runs, a, 'request.json'), `${readFileSync(join(runs, a, 'request.json'), 'utf8')}\n`);
    writeFileSync(join(runs, b, 'note.txt'), '');
    rmSync(join(runs, c, 'request.json'));
    rmSync(join(runs, d), { recursive: true });
    writeFileSync(join(runs, 'schemas', 'x.json'), '{ }');
    const without = readFileSync(join(runs, 'invocations.jsonl'), 'utf8')
      .split('\n')
      .filter((one) => !one.includes(d));
    writeFileSync(join(runs, 'invocations.jsonl'), without.join('\n'));
    const changed = await held();
    expect(changed.code).toBe(1);
    for (const run of [a, b, c, d, 'invocations.jsonl', 'schemas/x.json'])
      expect(changed.rows.get(run)).toMatchObject({ run, state: 'tampered', sealed: expect.anything() });
    expect(changed.rows.get(a)?.error).toContain('request.json was changed');
    expect(changed.rows.get(b)?.error).toContain('note.txt was added');
    expect(changed.rows.get(c)?.error).toContain('request.json is missing');
  });

  test('refuses a seal that does not agree with itself', async () => {
    const { home } = archive(3);
    await grounding(['seal', 'runs', '--output', 'seal.json'], { cwd: home });
    const text = readFileSync(join(home, 'seal.json'), 'utf8');
    const digest = /"sha256":"([0-9a-f]{64})"\}\]\}/.exec(text)?.[1] ?? '';
    writeFileSync(join(home, 'seal.json'), text.replace(digest, '0'.repeat(64)));
    const ended = await grounding(['reverify', '--seal', 'seal.json'], { cwd: home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[seal-malformed]');
  });

  test('refuses an archive that holds a link, and one that holds nothing', async () => {
    const { home, runs, names } = archive(2);
    renameSync(join(runs, names[0] ?? '', 'request.json'), join(home, 'request.json'));
    cpSync(join(home, 'request.json'), join(runs, names[0] ?? '', 'copy.json'));
    symlinkSync(join(home, 'request.json'), join(runs, names[0] ?? '', 'request.json'));
    expect((await grounding(['seal', 'runs'], { cwd: home })).code).toBe(2);
    expect((await grounding(['seal', '.'], { cwd: folderWith({ 'x.txt': '' }) })).code).toBe(2);
  });
});

describe('grounding merge', () => {
  async function shards(
    of: number,
  ): Promise<{ readonly home: string; readonly files: string[]; readonly whole: string }> {
    const { home, runs, names } = archive();
    tamper(runs, names[1]);
    const whole = (await grounding(['reverify', '--format', 'json'], { cwd: home })).stdout;
    const files: string[] = [];
    for (let shard = 1; shard <= of; shard++) {
      const file = `shard-${shard}.jsonl`;
      const ended = await grounding(['reverify', '--shard', `${shard}/${of}`, '--format', 'json', '--output', file], {
        cwd: home,
      });
      expect([0, 1]).toContain(ended.code);
      files.push(file);
    }
    return { home, files, whole };
  }

  test('returns the report that one machine would have made, byte for byte, and its exit code', async () => {
    const { home, files, whole } = await shards(3);
    const merged = await grounding(['merge', ...[...files].reverse(), '--format', 'json'], { cwd: home });
    expect(merged).toMatchObject({ code: 1, stdout: whole, stderr: '' });
    const text = await grounding(['merge', ...files], { cwd: home });
    expect(text.stdout).toContain('12 runs: 11 passed, 1 tampered');
  });

  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  type Alteration = readonly [
    what: string,
    alter: (home: string) => void,
    given?: (files: readonly string[]) => readonly string[],
  ];
  const nothing = (): void => undefined;
  const first = (home: string): string => join(home, 'shard-1.jsonl');
  const secondMeta = (home: string): string => join(home, 'shard-2.jsonl.meta.json');
  const alterations: readonly Alteration[] = [
    ['one is missing', nothing, (files) => files.slice(1)],
    ['one is given twice', nothing, (files) => [...files, ...files.slice(0, 1)]],
    ['one was altered', (home) => edit(first(home), (text) => text.replace('passed', 'failed'))],
    ['one was cut', (home) => edit(first(home), (text) => text.slice(0, text.indexOf('\n') + 1))],
    ['one is gone', (home) => rmSync(join(home, 'shard-2.jsonl'))],
    [
      'a measure is of another index',
      (home) => edit(secondMeta(home), (text) => text.replace('"lines": 12', '"lines": 13')),
    ],
    [
      'a measure is of another number of shards',
      (home) => edit(secondMeta(home), (text) => text.replace('"of": 3', '"of": 4')),
    ],
    ['a measure is none', (home) => edit(secondMeta(home), () => '{}')],
    [
      'two are one under two numbers',
      (home) => {
        for (const end of ['', '.meta.json']) cpSync(`${first(home)}${end}`, join(home, `shard-2.jsonl${end}`));
        edit(secondMeta(home), (text) => text.replace('"shard": 1', '"shard": 2'));
      },
    ],
  ];
  test.each(
    alterations.map(([what, alter, given]) => ({ what, alter, given: given ?? ((files: readonly string[]) => files) })),
  )('returns 2 and writes nothing when $what', async ({ alter, given }) => {
    const { home, files } = await shards(3);
    alter(home);
    const ended = await grounding(['merge', ...given(files), '--output', 'all.txt'], { cwd: home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[shard-refused]');
    expect(existsSync(join(home, 'all.txt'))).toBe(false);
  });

  test('compares with an earlier report', async () => {
    const { home, files, whole } = await shards(2);
    writeFileSync(join(home, 'before.jsonl'), whole);
    const same = await grounding(['merge', ...files, '--previous', 'before.jsonl', '--fail-on', 'new'], { cwd: home });
    expect(same.code).toBe(0);
    expect(same.stdout).toContain('0 new failures, 0 healed, 1 failing still');
  });
});
