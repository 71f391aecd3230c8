import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';

const VECTORS = join(ROOT, 'test/vectors/stored-runs/runs');
const run = readdirSync(VECTORS)[4] ?? '';
const goodSpans = readFileSync(join(VECTORS, run, 'spans.jsonl'));
const goodEnvelope = readFileSync(join(VECTORS, run, 'envelope.json'));

let folder = '';

/** Bad files by name, with the code that each is refused with and where, when a place within the file is known. */
const BAD: readonly { readonly file: string; readonly code: string; readonly place?: string }[] = [
  { file: 'missing.json', code: 'input-missing' },
  { file: 'dangling.json', code: 'config-missing' },
  { file: 'empty.json', code: 'json-empty' },
  { file: 'blank.json', code: 'json-empty' },
  { file: 'folder', code: 'config-not-a-file' },
  { file: 'pipe', code: 'config-not-a-file' },
  { file: '/dev/zero', code: 'config-not-a-file' },
  { file: 'binary.json', code: 'json-encoding' },
  { file: 'utf-16.json', code: 'json-encoding' },
  { file: 'bom.json', code: 'json-encoding', place: '1:1' },
  { file: 'nan.json', code: 'json-nonfinite', place: '2:6' },
  { file: 'huge-number.json', code: 'json-nonfinite', place: '1:7' },
  { file: 'deep.json', code: 'json-depth' },
  { file: 'deep-objects.json', code: 'json-depth' },
  { file: 'duplicate.json', code: 'json-duplicate-key', place: '1:9' },
  { file: 'duplicate-escaped.json', code: 'json-duplicate-key', place: '1:9' },
  { file: 'duplicate-proto.json', code: 'json-duplicate-key' },
  { file: 'lone-surrogate.json', code: 'json-lone-surrogate' },
  { file: 'trailing.json', code: 'json-trailing' },
  { file: 'cut.json', code: 'json-syntax' },
];

beforeAll(() => {
  folder = folderWith({
    'spans.jsonl': goodSpans,
    'envelope.json': goodEnvelope,
    'empty.json': '',
    'blank.json': ' \n\n',
    'binary.json': Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0x00, 0xff, 0xfe]),
    'utf-16.json': Buffer.from('\ufeff{}', 'utf16le'),
    'bom.json': '\ufeff{}',
    'nan.json': '{\n"a": NaN}',
    'huge-number.json': '{"a": 1e400}',
    'deep.json': '['.repeat(100_000) + ']'.repeat(100_000),
    'deep-objects.json': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    'duplicate.json': '{"a": 1,"a": 1}',
    'duplicate-escaped.json': '{"a": 1,"\\u0061": 1}',
    'duplicate-proto.json': '{"__proto__": 1, "__proto__": 1}',
    'lone-surrogate.json': '{"a": "\\ud800"}',
    'trailing.json': '{} {}',
    'cut.json': goodEnvelope.subarray(0, 100),
  });
  mkdirSync(join(folder, 'folder'));
  symlinkSync('nowhere.json', join(folder, 'dangling.json'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});

/** What a refusal must look like: one line, the file, the code; nothing on standard output, and 2. */
function expectRefusal(
  ended: { code: number | null; stdout: string; stderr: string },
  refusal: { file: string; code: string; place: string | undefined },
): void {
  const { file, code, place } = refusal;
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr.split('\n').length).toBe(2);
  expect(ended.stderr).toContain(`error: ${file}:${place === undefined ? '' : `${place}:`}`);
  expect(ended.stderr).toMatch(new RegExp(`; [^;]+ \\[${code}\\]\n$`));
}

describe.each(BAD)('$file', ({ file, code, place }) => {
  test('is refused with 2 on one line by hash', async () => {
    const ended = await grounding(['hash', '--as', 'dd-json-document-v1', file], { cwd: folder });
    expectRefusal(ended, { file, code, place });
  });

  test('is refused with 2 on one line as an envelope of lint', async () => {
    const ended = await grounding(['lint', 'spans.jsonl', file], { cwd: folder });
    expectRefusal(ended, { file, code, place });
  });

  test('is refused with 2 on one line as the spans of lint', async () => {
    const ended = await grounding(['lint', file, 'envelope.json'], { cwd: folder });
    expectRefusal(ended, { file, code: spansCode(file, code), place: undefined });
  });
});

/** An empty span file is told as one that holds no span. */
function spansCode(file: string, code: string): string {
  if (file === 'empty.json' || file === 'blank.json') return 'spans-empty';
  if (file === 'cut.json') return 'json-syntax';
  return code;
}

test.each([
  ['an array', '[1]', 'envelope-malformed'],
  ['a string', '"x"', 'envelope-malformed'],
])('returns 2 when the envelope is %s', async (_what, text, code) => {
  writeFileSync(join(folder, 'odd.json'), text);
  const ended = await grounding(['lint', 'spans.jsonl', 'odd.json'], { cwd: folder });
  expectRefusal(ended, { file: 'odd.json', code, place: '1:1' });
});

test.each([
  ['is not an object', '[]'],
  ['has no name', '{"context":{"trace_id":"1","span_id":"2"}}'],
  ['has a number for an id', '{"name":"chat","context":{"trace_id":1,"span_id":"2"}}'],
])('returns 2 and names the line when a span %s', async (_what, line) => {
  writeFileSync(join(folder, 'odd.jsonl'), Buffer.concat([goodSpans, Buffer.from(`${line}\n`)]));
  const ended = await grounding(['lint', 'odd.jsonl', 'envelope.json'], { cwd: folder });
  const last = goodSpans.toString('utf8').trimEnd().split('\n').length + 1;
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: odd\\.jsonl:${last}:[0-9]+: .* \\[span-malformed\\]\n$`));
});

test('reads a string of 200 MB, and does not pass it, when an envelope holds one', async () => {
  writeFileSync(
    join(folder, 'long.json'),
    Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(200_000_000, 0x61), Buffer.from('"}')]),
  );
  const hashed = await grounding(['hash', '--as', 'dd-json-document-v1', 'long.json'], { cwd: folder });
  expect(hashed).toMatchObject({ code: 0, stderr: '' });
  const linted = await grounding(['lint', 'spans.jsonl', 'long.json'], { cwd: folder });
  expect(linted).toMatchObject({ code: 1, stderr: expect.stringMatching(/^note: how to mend it: [^\n]*\n$/) });
});
