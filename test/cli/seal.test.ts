import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grounding } from './grounding.js';
import { passingArchive, rowsOf } from './passing-archive.js';

/** As much of a seal as is altered here. */
interface Statement {
  subject: object[];
  predicate: { merkle_root?: string; runs: { leaf: string }[]; others: (object | undefined)[] };
}

/** An archive with a schema, and its seal. */
async function sealed() {
  const made = passingArchive(3);
  mkdirSync(join(made.runs, 'schemas'));
  writeFileSync(join(made.runs, 'schemas', 'x.json'), '{}');
  const ended = await grounding(['seal', 'runs', '--output', 'seal.json'], { cwd: made.home });
  expect(ended.code).toBe(0);
  const statement: Statement = JSON.parse(readFileSync(join(made.home, 'seal.json'), 'utf8'));
  return { ...made, statement };
}

const held = (home: string, ...args: string[]) =>
  grounding(['reverify', '--seal', 'seal.json', ...args], { cwd: home });

describe('grounding reverify --seal', () => {
  type Place = readonly [what: string, put: (runs: string, home: string) => void];
  const places: readonly Place[] = [
    [
      'a link to the same files',
      (runs, home) => {
        cpSync(join(runs, 'schemas'), join(home, 'elsewhere'), { recursive: true });
        rmSync(join(runs, 'schemas'), { recursive: true });
        symlinkSync('../elsewhere', join(runs, 'schemas'));
      },
    ],
    [
      'a file',
      (runs) => {
        rmSync(join(runs, 'schemas'), { recursive: true });
        writeFileSync(join(runs, 'schemas'), '{}');
      },
    ],
  ];
  test.each(places)(
    'returns tampered when the folder of the schemas is %s, and seals it no more',
    async (_what, put) => {
      const { home, runs } = await sealed();
      put(runs, home);
      const ended = await held(home, '--format', 'json');
      expect(ended.code).toBe(1);
      expect(rowsOf(ended.stdout).filter(({ state }) => state !== 'passed')).toMatchObject([
        { run: 'schemas/x.json', state: 'tampered', sealed: true },
      ]);
      const again = await grounding(['seal', 'runs', '--output', 'new.json'], { cwd: home });
      expect(again.code).toBe(2);
      expect(again.stderr).toContain('[run-file-refused]');
      expect(existsSync(join(home, 'new.json'))).toBe(false);
    },
  );

  test('counts a sealed file beside the runs as sealed', async () => {
    const { home, runs } = await sealed();
    writeFileSync(join(runs, 'schemas', 'x.json'), '[]');
    const ended = await held(home);
    expect(ended.stdout).toContain('4 runs: 3 passed, 1 tampered\n');
  });

  test('refuses to seal an index that is a link', async () => {
    const { home, runs } = await sealed();
    cpSync(join(runs, 'invocations.jsonl'), join(home, 'index'));
    rmSync(join(runs, 'invocations.jsonl'));
    symlinkSync('../index', join(runs, 'invocations.jsonl'));
    const ended = await grounding(['seal', 'runs'], { cwd: home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[run-file-refused]');
  });

  test('names a file whose name is no UTF-8, and refuses to seal it', async () => {
    const { home, runs, names } = await sealed();
    writeFileSync(Buffer.concat([Buffer.from(join(runs, names[0] ?? '', 'a')), Buffer.of(0xff)]), 'x');
    const ended = await held(home, '--format', 'json');
    expect(rowsOf(ended.stdout).find(({ run }) => run === names[0])).toMatchObject({ state: 'tampered' });
    const again = await grounding(['seal', 'runs'], { cwd: home });
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('[run-file-refused]');
  });

  const alterations: readonly (readonly [string, (statement: Statement) => void])[] = [
    ['another root in its predicate', (one) => (one.predicate.merkle_root = '0'.repeat(64))],
    ['no root in its predicate', (one) => delete one.predicate.merkle_root],
    ['another leaf', (one) => one.predicate.runs.splice(0, 1, { ...one.predicate.runs[0], leaf: '0'.repeat(64) })],
    ['a second subject', (one) => one.subject.push({ name: 'x', digest: { sha256: '0'.repeat(64) } })],
    ['no subject', (one) => (one.subject = [])],
    ['a run less', (one) => one.predicate.runs.pop()],
    ['a file twice', (one) => one.predicate.others.push(one.predicate.others[0])],
    ...[
      '/etc/passwd',
      '../x',
      'schemas/../../x',
      'schemas/..\\..\\x',
      'schemas/a\0b',
      `schemas/${'a'.repeat(5000)}`,
      'schemas',
      'schemas//x',
      'invocations.jsonl/x',
      'notes.txt',
    ].map(
      (path) =>
        [
          `the path ${JSON.stringify(path.slice(0, 40))}`,
          (one: Statement) => void one.predicate.others.push({ path, size: 1, sha256: '0'.repeat(64) }),
        ] as const,
    ),
  ];
  test.each(alterations)('refuses a seal with %s', async (_what, alter) => {
    const { home, statement } = await sealed();
    alter(statement);
    writeFileSync(join(home, 'seal.json'), JSON.stringify(statement));
    const ended = await held(home);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[seal-malformed]');
  });
});

describe('grounding reverify', () => {
  test('returns unreadable for a folder whose name is no UTF-8', async () => {
    const { home, runs, names } = passingArchive(3);
    const copy = Buffer.concat([Buffer.from(join(runs, 'run')), Buffer.of(0xff)]);
    mkdirSync(copy);
    const envelope = readFileSync(join(runs, names[0] ?? '', 'envelope.json'));
    writeFileSync(Buffer.concat([copy, Buffer.from('/envelope.json')]), envelope);
    const ended = await grounding(['reverify'], { cwd: home });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('4 runs: 3 passed, 1 unreadable');
  });
});
