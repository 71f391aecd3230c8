import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';

const VECTORS = join(ROOT, 'test/vectors/stored-runs');

interface Expected {
  readonly run: string;
  readonly grounding: { readonly rules: readonly string[]; readonly retrievals: number; readonly chats: number } | null;
}

const rows: readonly Expected[] = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** One stored run for each set of broken rules that the vectors hold. */
const oneOfEachKind = [...new Map(rows.map((row) => [row.grounding?.rules.join(' ') ?? 'unreadable', row])).values()];

const filesOf = (run: string): readonly string[] =>
  ['spans.jsonl', 'envelope.json'].map((name) => join('runs', run, name));

test('covers a passing run and runs that broke rules', () => {
  expect(oneOfEachKind.length).toBeGreaterThan(10);
  expect(oneOfEachKind.some((row) => row.grounding?.rules.length === 0)).toBe(true);
});

test.each(oneOfEachKind)('returns the code and the rules that are stated for the stored run $run', async (row) => {
  const ended = await grounding(['lint', '--format', 'json', ...filesOf(row.run)], { cwd: VECTORS });
  if (row.grounding === null) {
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    return;
  }
  const { rules, retrievals, chats } = row.grounding;
  const report = JSON.parse(ended.stdout);
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: rules.length === 0 ? 0 : 1, stderr: '' });
  expect({ ...report, rules: [...report.rules].sort() }).toMatchObject({
    passed: rules.length === 0,
    rules,
    retrievals,
    chats,
  });
});

test('prints the verdict as grounding.txt states it when a run fails', async () => {
  const row = rows.find(({ grounding: stated }) => stated?.rules.includes('G2'));
  const ended = await grounding(['lint', ...filesOf(row?.run ?? '')], { cwd: VECTORS });
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/^grounding: FAILED \[retrieval\]\n(?: {2}- [A-Z][0-9]: .+\n)+$/);
});

test('keeps hostile text of an envelope on one line', async () => {
  const run = rows.find(({ grounding: stated }) => stated?.rules.length === 0)?.run ?? '';
  const spans = readFileSync(join(VECTORS, 'runs', run, 'spans.jsonl'));
  const hostile = '\u001b[2J\n::error::x\u202e';
  const envelope = JSON.parse(readFileSync(join(VECTORS, 'runs', run, 'envelope.json'), 'utf8'));
  envelope.payload.grounded_on = [{ source_id: hostile, content_hash: 'a'.repeat(64) }];
  const folder = folderWith({ 'spans.jsonl': spans, 'envelope.json': JSON.stringify(envelope) });
  for (const format of ['text', 'json']) {
    const ended = await grounding(['lint', 'spans.jsonl', 'envelope.json', '--format', format], { cwd: folder });
    expect(ended.code).toBe(1);
    expect(ended.stdout).not.toMatch(/[\u001b\u202e]|^::/m);
  }
});

test('tells where to read how to mend what broke, on standard error and beside the text alone', async () => {
  const broken = rows.find((row) => row.grounding?.rules.includes('R3'));
  const ended = await grounding(['lint', ...filesOf(broken?.run ?? '')], { cwd: VECTORS });
  expect(ended.stdout).toMatch(/^grounding: FAILED /);
  expect(ended.stderr).toMatch(/^note: [^\n]*grounding explain R3[^\n]*\n$/);
});

test('tells that a withheld run has little left to judge', async () => {
  const passing = rows.find((row) => row.grounding?.rules.length === 0)?.run ?? '';
  const envelope = JSON.parse(readFileSync(join(VECTORS, 'runs', passing, 'envelope.json'), 'utf8'));
  const { payload: _, evidence: __, ...rest } = envelope;
  const type = 'https://w3id.org/data-director/problems/grounding-violation';
  const withheld = { ...rest, outcome: { status: 'failed', statement: 'withheld' }, problem: { type, title: 't' } };
  const folder = folderWith({ 'envelope.json': JSON.stringify(withheld) });
  const args = (file: string) => ['lint', join(VECTORS, 'runs', passing, 'spans.jsonl'), file];
  const ended = await grounding(args('envelope.json'), { cwd: folder });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^grounding: passed /) });
  expect(ended.stderr).toMatch(/^note: this run was withheld/);
  const whole = await grounding(args(join(VECTORS, 'runs', passing, 'envelope.json')), { cwd: folder });
  expect(whole.stderr).toBe('');
});

test('tells which spans no dialect knows, on standard error, and takes every shape of span file', async () => {
  const dialects = join(ROOT, 'test/vectors/dialects');
  const unknown = ['work', 'work', 'play'].map((name, i) =>
    JSON.stringify({
      name,
      context: { trace_id: '0x0af7651916cd43dd8448eb211c80319c', span_id: `0x${i}` },
      parent_id: '0x00000000000000f0',
    }),
  );
  const [root = ''] = readFileSync(join(dialects, 'runs/workbench/spans.jsonl'), 'utf8').split('\n');
  const folder = folderWith({ 'spans.jsonl': [root, ...unknown].join('\n') });
  const ended = await grounding(['lint', 'spans.jsonl', join(dialects, 'envelope.json')], { cwd: folder });
  expect(ended).toMatchObject({ code: 0, stdout: 'grounding: passed [none] (0 retrieval, 0 chat spans)\n' });
  expect(ended.stderr).toMatch(/^note: [^\n]*"work" \(2\), "play" \(1\)\n$/);
  for (const file of ['spans.jsonl', 'console.txt', 'otlp.json']) {
    const call = [
      'lint',
      join(dialects, 'runs/openinference', file),
      join(dialects, 'envelope.json'),
      '--format',
      'json',
    ];
    expect(JSON.parse((await grounding(call, {})).stdout)).toMatchObject({ rules: ['N1'], chats: 1 });
  }
});
