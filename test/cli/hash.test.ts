import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';

const VECTORS = join(ROOT, 'test/vectors/canonical');

/** Made with sha256sum over the canonical bytes of contract 2. */
const EMPTY_OBJECT = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';

test('prints one line of hash and file for each file, in their order', async () => {
  const folder = folderWith({ 'b.json': '{ }', 'a.json': ' {}\n' });
  const ended = await grounding(['hash', '--as', 'dd-json-document-v1', 'b.json', 'a.json'], { cwd: folder });
  expect(ended).toEqual({ code: 0, stdout: `${EMPTY_OBJECT}  b.json\n${EMPTY_OBJECT}  a.json\n`, stderr: '' });
});

test('prints the canonical bytes and nothing else with --bytes', async () => {
  const folder = folderWith({ 'a.json': '{"b": 1.50, "a": "\\u00e9"}' });
  const ended = await grounding(['hash', '--as', 'dd-json-document-v1', '--bytes', 'a.json'], { cwd: folder });
  expect(ended).toEqual({ code: 0, stdout: '{"a":"é","b":1.5}', stderr: '' });
});

test('reads standard input when a file is called -, and a file of that name as ./-', async () => {
  const folder = folderWith({ '-': '[]', 'a.json': '{}' });
  const args = ['hash', '--as', 'dd-json-document-v1'];
  const ended = await grounding([...args, 'a.json', '-', './-'], { cwd: folder, input: ' { } ' });
  expect(ended.code).toBe(0);
  expect(ended.stdout.split('\n').slice(0, 2)).toEqual([`${EMPTY_OBJECT}  a.json`, `${EMPTY_OBJECT}  -`]);
  expect(ended.stdout).toMatch(/\n(?!44136fa3)[0-9a-f]{64} {2}\.\/-\n$/);
  const empty = await grounding([...args, '-'], { cwd: folder, input: '' });
  expect(empty).toMatchObject({ code: 2, stdout: '' });
  expect(empty.stderr).toMatch(/^error: <stdin>:1:1: .* \[json-empty\]\n$/);
  expect((await grounding([...args, '-', '-'], { cwd: folder, input: '{}' })).stderr).toContain('[usage]');
});

test('agrees with every canonical vector when it hashes their documents in one call', async () => {
  const name = 'dd-json-document-v1';
  const rows = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((row) => typeof row[name] === 'string');
  const ended = await grounding(['hash', '--as', name, ...rows.map((row) => row.file)], { cwd: join(VECTORS, 'docs') });
  expect(rows.length).toBeGreaterThan(40);
  expect(ended).toEqual({ code: 0, stdout: rows.map((row) => `${row[name]}  ${row.file}\n`).join(''), stderr: '' });
});

test.each([
  ['an unknown canonicalisation', ['--as', 'none-such', 'a.json'], 'canonicalisation-unknown'],
  ['the name of a member that every object has', ['--as', '__proto__', 'a.json'], 'canonicalisation-unknown'],
  ['no canonicalisation', ['a.json'], 'usage'],
  ['no file', ['--as', 'dd-json-document-v1'], 'usage'],
  ['several files for --bytes', ['--as', 'dd-json-document-v1', '--bytes', 'a.json', 'a.json'], 'usage'],
  ['one bad file among good ones', ['--as', 'dd-json-document-v1', 'a.json', 'bad.json'], 'json-duplicate-key'],
])('ends with 2 and prints no hash for %s', async (_what, args, code) => {
  const folder = folderWith({ 'a.json': '{}', 'bad.json': '{"a":1,"\\u0061":2}' });
  const ended = await grounding(['hash', ...args], { cwd: folder });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: .*\\[${code}\\]\n$`));
});

test('writes the file that --output names, whole, and keeps it when the call is refused', async () => {
  const folder = folderWith({ 'a.json': '{}', 'bad.json': '{', 'old.txt': 'old' });
  const as = ['hash', '--as', 'dd-json-document-v1'];
  expect(await grounding([...as, 'bad.json', '--output', 'old.txt'], { cwd: folder })).toMatchObject({ code: 2 });
  expect(readFileSync(join(folder, 'old.txt'), 'utf8')).toBe('old');
  expect(await grounding([...as, 'a.json', '--output', 'old.txt'], { cwd: folder })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(join(folder, 'old.txt'), 'utf8')).toBe(`${EMPTY_OBJECT}  a.json\n`);
});

test.each(['no/such/folder/out.txt', '.'])('ends with 2 when --output is %s', async (output) => {
  const folder = folderWith({ 'a.json': '{}' });
  const ended = await grounding(['hash', '--as', 'dd-json-document-v1', 'a.json', '--output', output], { cwd: folder });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('[output-unwritable]');
});

test('shows control characters of a file name as escapes', async () => {
  const folder = folderWith({ 'a\u001b[31m.json': '{}' });
  const ended = await grounding(['hash', '--as', 'dd-json-document-v1', 'a\u001b[31m.json'], { cwd: folder });
  expect(ended.stdout).toBe(`${EMPTY_OBJECT}  a\\u001b[31m.json\n`);
});
