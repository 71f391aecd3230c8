import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';

const DIALECTS = join(ROOT, 'test/vectors/dialects/runs');
const ID = (n: number) => n.toString(16).padStart(16, '0');
const span = (n: number, over: object = {}) => ({
  name: 'step',
  context: { trace_id: '0xab', span_id: `0x${ID(n)}` },
  parent_id: n === 1 ? null : `0x${ID(1)}`,
  ...over,
});
const trace = (spans: readonly object[], args: readonly string[] = []) => {
  const folder = folderWith({});
  writeFileSync(join(folder, 'spans.jsonl'), spans.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return grounding(['trace', 'spans.jsonl', ...args], { cwd: folder });
};

test('prints the tree with names, what each is and why, times, and sources by id and short hash', async () => {
  const ended = await trace([
    span(1, { name: 'invoke_agent', start_time: '2026-09-30T10:00:00.000000Z', end_time: '2026-09-30T10:00:01.5Z' }),
    span(4, { name: 'work' }),
    span(3, {
      name: 'answer',
      start_time: '2026-09-30T10:00:00.02Z',
      end_time: '2026-09-30T10:00:00.020000001Z',
      attributes: { 'llm.model_name': 'm' },
    }),
    span(2, {
      name: 'retrieval',
      start_time: '2026-09-30T10:00:00.01Z',
      attributes: { 'dd.source_id': 'src:1', 'dd.content_hash': 'ab'.repeat(32) },
    }),
    span(5, { name: 'POST\u001b[31m', parent_id: `0x${ID(3)}`, kind: 'SpanKind.CLIENT' }),
  ]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toBe(
    [
      'invoke_agent  [root by the name "invoke_agent"]  +0.000 ms, 1500.000 ms',
      '├── retrieval  [retrieval by the name "retrieval"]  +10.000 ms, no end  src:1 abababababab',
      '├── answer  [chat by llm.model_name]  +20.000 ms, 0.000001 ms',
      '│   └── POST\\u001b[31m  [unknown, SpanKind.CLIENT]  no times',
      '└── work  [unknown]  no times',
      '',
    ].join('\n'),
  );
});

test('says what contradicts itself, hangs from nothing, failed, or was not recorded whole', async () => {
  const ended = await trace([
    span(1, { name: 'invoke_agent' }),
    span(2, { name: 'chat', attributes: { 'dd.operation': 'retrieval' } }),
    span(3, { parent_id: `0x${ID(99)}` }),
    span(4, { parent_id: `0x${ID(4)}`, dropped_attributes: 1 }),
    span(5, {
      name: 'invoke_agent x',
      attributes: { 'gen_ai.usage.input_tokens': 3 },
      status: { status_code: 'ERROR' },
    }),
  ]);
  expect(ended.code).toBe(0);
  for (const word of [
    'CONTRADICTORY',
    'hangs from nothing',
    'status ERROR',
    'not recorded whole',
    'states the use of a model',
  ])
    expect(ended.stdout).toContain(word);
});

test.each(['spans.jsonl', 'console.txt', 'otlp.json'])('takes %s', async (file) => {
  const ended = await grounding(['trace', join(DIALECTS, 'openllmetry', file)], {});
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain('openai.chat  [chat by ');
});

test('prints a flowchart for Mermaid that no name can break out of', async () => {
  const ended = await trace(
    [span(1, { name: 'invoke_agent' }), span(2, { name: '"] --> x\nclick x "javascript:"' })],
    ['--format', 'mermaid'],
  );
  expect(ended.code).toBe(0);
  expect(ended.stdout).toBe(
    'flowchart TD\n  s0["invoke_agent<br>root"]\n  s1["__ --_ x_click x _javascript__<br>unknown"]\n  s0 --> s1\n',
  );
});

test('prints a chain of 20,000 spans and a circle without a line that grows with the depth', async () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => span(i + 1, { parent_id: i === 0 ? null : `0x${ID(i)}` }));
  const ended = await trace([
    ...chain,
    span(30_001, { parent_id: `0x${ID(30_002)}` }),
    span(30_002, { parent_id: `0x${ID(30_001)}` }),
  ]);
  const lines = ended.stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(20_002);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
});

test('returns 2 for what is no span file', async () => {
  expect((await trace([{ foo: 1 }])).code).toBe(2);
});
