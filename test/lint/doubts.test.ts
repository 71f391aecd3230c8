import { expect, it } from 'vitest';
import { judge, readEnvelope } from '../../core/lint/index.js';
import type { GroundingReport } from '../../core/model/report.js';
import { jsonText } from '../../core/report/json-text.js';
import { reportOfLint } from '../../core/report/report-of-envelope.js';
import { groundingJson } from '../../core/report/verdict-json.js';
import { readSpans } from '../../core/trace/index.js';

const ID = '0193b0f0-0000-7000-8000-00000000000a';
const INPUT_HASH = 'b'.repeat(64);
const ONE = '1'.repeat(64);
const TWO = '2'.repeat(64);

const span = (name: string, id: string, attributes: object, times: object = {}): object => ({
  name,
  context: { trace_id: '1'.repeat(32), span_id: id },
  parent_id: name === 'invoke_agent' ? null : 'a',
  start_time: '2026-09-30T10:00:00Z',
  end_time: '2026-09-30T10:00:09Z',
  attributes,
  ...times,
});
const root = (mode: string): object =>
  span('invoke_agent', 'a', { 'dd.grounding_mode': mode, 'dd.input_hash': INPUT_HASH });
const retrieval = (id: string, hash: string, times: object = {}): object =>
  span('retrieval', `r-${id}-${hash.slice(0, 1)}`, { 'dd.source_id': id, 'dd.content_hash': hash }, times);
const cite = (source_id: string, content_hash: string): object => ({ source_id, content_hash });
const cites = (...refs: readonly object[]): object => ({ schema_class: 'Answer', grounded_on: refs });

function run(spans: readonly object[], envelope: object): GroundingReport {
  const text = spans.map((one) => JSON.stringify(one)).join('\n');
  const whole = { invocation_id: ID, grounding_mode: 'retrieval', outcome: { status: 'succeeded' }, ...envelope };
  return judge(
    readSpans(Buffer.from(text), { file: 'spans.jsonl' }),
    readEnvelope(Buffer.from(JSON.stringify(whole)), { file: 'envelope.json' }),
  );
}

const plain = { payload: cites(cite('A', ONE)), evidence: [cite('A', ONE)] };

it('leaves the doubts out of a report when there are none', () => {
  const report = run([root('retrieval'), retrieval('A', ONE)], plain);
  expect(report).toMatchObject({ passed: true });
  expect(report).not.toHaveProperty('doubts');
  expect(jsonText(groundingJson(report))).not.toContain('warnings');
});

it.each<[string, readonly object[], object, readonly [string, string | undefined][]]>([
  [
    'evidence bears the hash of another record than its id names',
    [retrieval('A', ONE), retrieval('B', TWO)],
    { payload: cites(cite('A', ONE)), evidence: [cite('A', ONE), cite('B', ONE)] },
    [['pair', '/evidence/1']],
  ],
  [
    'a reference has its hash in the evidence under another id alone',
    [retrieval('A', ONE), retrieval('B', ONE)],
    { payload: cites(cite('A', ONE)), evidence: [cite('B', ONE)] },
    [['pair', '/payload/grounded_on/0']],
  ],
  [
    'the status is spelt otherwise',
    [retrieval('A', ONE)],
    { ...plain, outcome: { status: 'Succeeded' } },
    [['status', '/outcome/status']],
  ],
  [
    'two ids differ in their normalisation',
    [retrieval('\u00e9', ONE), retrieval('e\u0301', TWO)],
    {
      payload: cites(cite('\u00e9', ONE), cite('e\u0301', TWO)),
      evidence: [cite('\u00e9', ONE), cite('e\u0301', TWO)],
    },
    [['look-alike', '/payload/grounded_on/1']],
  ],
  [
    'two ids differ in a letter of another alphabet, in case and in what nobody sees',
    [retrieval('abc', ONE), retrieval('\u0430bc', ONE), retrieval('ABC', ONE), retrieval('a\u200bbc', ONE)],
    {
      payload: cites(cite('abc', ONE)),
      evidence: [cite('abc', ONE), cite('\u0430bc', ONE), cite('ABC', ONE), cite('a\u200bbc', ONE)],
    },
    [
      ['look-alike', '/evidence/1'],
      ['look-alike', '/evidence/2'],
      ['look-alike', '/evidence/3'],
    ],
  ],
  [
    'a list stands under a key that only looks like grounded_on',
    [retrieval('A', ONE)],
    { ...plain, payload: { ...cites(cite('A', ONE)), parts: [{ 'grounded_\u03bfn': [cite('Z', TWO)] }] } },
    [['look-alike', '/payload/parts/0/grounded_\u03bfn']],
  ],
  [
    'such a key is in another case, or has space about it',
    [retrieval('A', ONE)],
    {
      ...plain,
      payload: { ...cites(cite('A', ONE)), Grounded_On: [], parts: { ' grounded_on': 1, 'grounded_on ': 2 } },
    },
    [
      ['look-alike', '/payload/Grounded_On'],
      ['look-alike', '/payload/parts/ grounded_on'],
      ['look-alike', '/payload/parts/grounded_on '],
    ],
  ],
  [
    'an agent says that it read before the run began',
    [retrieval('A', ONE, { start_time: '2026-09-30T09:59:59.999999999Z', end_time: '2026-09-30T10:00:00Z' })],
    plain,
    [['clock', undefined]],
  ],
])('passes and says so when %s', (_, spans, envelope, expected) => {
  const report = run([root('retrieval'), ...spans], envelope);
  expect(report).toMatchObject({ passed: true, rules: [] });
  expect(report.doubts?.map(({ kind, pointer }) => [kind, pointer])).toEqual(expected);
  const { conclusion, findings } = reportOfLint(report, 'envelope.json');
  expect(conclusion).toBe('passed');
  expect(findings.map(({ rule, level }) => [rule, level])).toEqual(expected.map(() => ['doubtful', 'warning']));
});

it('says the same of keys that stood in the payloads of other runs', () => {
  const spans = [root('retrieval'), retrieval('A', ONE)];
  const doubts = (parts: object): unknown =>
    run(spans, { ...plain, payload: { ...cites(cite('A', ONE)), parts } }).doubts?.map(({ pointer }) => pointer);
  const alike = { body: { Grounded_on: [] } };
  const harmless = { body: { text: 'x' }, more: {} };
  expect([alike, harmless, alike, harmless, { ...harmless, ...alike }].map(doubts)).toEqual([
    ['/payload/parts/body/Grounded_on'],
    undefined,
    ['/payload/parts/body/Grounded_on'],
    undefined,
    ['/payload/parts/body/Grounded_on'],
  ]);
});

it('spells ids that look alike so that they can be told apart', () => {
  const both = [cite('\u00e9', ONE), cite('e\u0301', ONE)];
  const report = run([root('retrieval'), retrieval('\u00e9', ONE), retrieval('e\u0301', ONE)], {
    payload: cites(...both),
    evidence: both,
  });
  expect(report.doubts?.[0]?.message).toContain('"e\\u{301}" looks like "\\u{e9}"');
});

it('changes no rule that is broken besides', () => {
  const report = run([root('retrieval'), retrieval('A', ONE)], {
    payload: cites(cite('B', ONE)),
    evidence: [cite('B', ONE)],
  });
  expect(report.rules).toEqual(['G2']);
  expect(report.doubts?.map(({ kind }) => kind)).toEqual(['pair']);
});

it('is silent when the run cannot be judged at all', () => {
  expect(run([retrieval('A', ONE)], { outcome: { status: 'Succeeded' } })).not.toHaveProperty('doubts');
});
