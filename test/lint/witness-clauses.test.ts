import { describe, expect, it } from 'vitest';
import { jsonOf } from '../../core/json/index.js';
import { EXAMPLE_INPUT, type ExampleInit, type ExampleStep, exampleRun } from '../../core/lint/example-run.js';
import { judge } from '../../core/lint/index.js';
import { groundingText } from '../../core/report/grounding-text.js';
import { readSpans } from '../../core/trace/index.js';

const A = { sourceId: 'src:a', contentHash: 'a'.repeat(64) };
const B = { sourceId: 'src:b', contentHash: 'b'.repeat(64) };
const MARK = { 'dd.witnessed': true };
const ROOT_END = 900;

function judged(init: Omit<ExampleInit, 'caption'>) {
  const { spans, envelope } = exampleRun({ caption: '', ...init }).documents;
  const lines = (spans as readonly object[]).map((span) => JSON.stringify(span)).join('\n');
  return judge(readSpans(Buffer.from(lines), { file: 'spans.jsonl' }), jsonOf(JSON.parse(JSON.stringify(envelope))));
}

const witnessed = (count: number, require: unknown = 'witnessed') => ({
  'dd.witnessed_spans': count,
  ...(require === null ? {} : { 'dd.require': require }),
});

/** A retrieval that the conductor wrote. */
const served = (of: typeof A, more: Partial<ExampleStep> = {}): ExampleStep => ({
  name: 'retrieval',
  of,
  attributes: MARK,
  ...more,
});
const declared = (of: typeof A): ExampleStep => ({ name: 'retrieval', of });

/** A model call from `at` to `to`, in milliseconds. */
function chat(
  at: number,
  to: number,
  more: Partial<ExampleStep> & { readonly seen?: true; readonly failed?: true } = {},
) {
  const { seen, failed, ...rest } = more;
  const end = `2026-09-30T10:00:0${Math.floor(to / 1000)}.${String(to % 1000).padStart(3, '0')}Z`;
  const start = `2026-09-30T10:00:0${Math.floor(at / 1000)}.${String(at % 1000).padStart(3, '0')}Z`;
  const status = failed === true ? { status: { status_code: 'ERROR' } } : {};
  return {
    name: 'chat',
    ...(seen === true ? { attributes: MARK } : {}),
    members: { start_time: start, end_time: end, ...status },
    ...rest,
  } satisfies ExampleStep;
}

describe('W1', () => {
  const run = (steps: readonly ExampleStep[], more: Partial<ExampleInit> = {}) =>
    judged({
      mode: 'retrieval',
      root: witnessed(steps.filter(({ attributes }) => attributes === MARK).length),
      steps,
      cites: [A],
      ...more,
    });

  it('holds when every citation was served, declared or not', () => {
    expect(run([served(A)]).passed).toBe(true);
    expect(run([served(A), declared(A)]).passed).toBe(true);
  });

  it('breaks, alone, when a citation is only declared', () => {
    const report = run([served(B), declared(A)]);
    expect(report.violations).toEqual([
      expect.objectContaining({ rule: 'W1', ...A, pointer: '/payload/grounded_on/0' }),
    ]);
  });

  it('breaks when another version of the record was served', () => {
    const other = { ...A, contentHash: 'c'.repeat(64) };
    expect(run([served(other), declared(A)]).rules).toEqual(['W1']);
  });

  it('breaks for evidence that nothing cites, at its own place', () => {
    const report = run([served(A), declared(B)], { evidence: [A, B] });
    expect(report.violations).toEqual([expect.objectContaining({ rule: 'W1', ...B, pointer: '/evidence/1' })]);
  });

  it.each([
    ['failed', { members: { status: { status_code: 'ERROR' } } }],
    ['ended after the run', { at: ROOT_END }],
    ['has no end', { members: { end_time: null } }],
  ])('breaks when what was served %s', (_, more) => {
    expect(run([served(A, more), declared(A)]).rules).toContain('W1');
  });

  it('does not take a mark beyond those that the root states for the conductor’s', () => {
    const report = judged({ mode: 'retrieval', root: witnessed(1), steps: [served(B), served(A)], cites: [A] });
    expect(report.rules).toEqual(['G0', 'W1']);
  });

  it.each([[-1], [1.5], ['1'], [null]])(
    'counts no span as the conductor’s when the root states %j of them',
    (count) => {
      const root = { 'dd.require': 'witnessed', 'dd.witnessed_spans': count };
      expect(judged({ mode: 'retrieval', root, steps: [served(A)], cites: [A] }).rules).toEqual(['G0', 'W1']);
    },
  );

  it('is not judged when nothing requires it, whatever the doors saw', () => {
    const open = judged({
      mode: 'retrieval',
      root: witnessed(1, null),
      steps: [served(B), declared(A)],
      cites: [A],
    });
    expect(open.passed).toBe(true);
    expect(open.witness).toMatchObject({ required: false, citations: { witnessed: 0, declared: 1 } });
    const plain = judged({ mode: 'retrieval', steps: [declared(A)], cites: [A] });
    expect(plain).not.toHaveProperty('witness');
  });

  it.each([['sworn'], [true]])('is judged when the root requires what this build does not know: %j', (require) => {
    const root = witnessed(0, require);
    expect(judged({ mode: 'retrieval', root, steps: [declared(A)], cites: [A] }).rules).toEqual(['W1']);
  });

  it('asks nothing of the input and of delegated runs, which are the conductor’s own record', () => {
    const child = { sourceId: 'invocation:0199a3b0-0000-7000-8000-000000000009', contentHash: 'd'.repeat(64) };
    const report = judged({
      mode: 'delegation',
      root: witnessed(0),
      cites: [EXAMPLE_INPUT, child],
      delegated: [{ child: '0199a3b0-0000-7000-8000-000000000009', contentHash: child.contentHash }],
    });
    expect(report.passed).toBe(true);
    expect(report.witness?.citations).toEqual({ witnessed: 2, declared: 0 });
  });
});

/** A call that the conductor saw, of a model that was asked under the same name or another one. */
function call(at: number, to: number, answered: string, asked?: string): ExampleStep {
  const names = { 'dd.model_id': answered, ...(asked === undefined ? {} : { 'dd.requested_model_id': asked }) };
  return chat(at, to, { attributes: { ...MARK, ...names } });
}

describe('W2', () => {
  const least = (steps: readonly ExampleStep[]): Omit<ExampleInit, 'caption'> => ({
    mode: 'input_only',
    root: witnessed(steps.filter(({ attributes }) => attributes?.['dd.witnessed'] === true).length),
    steps,
    cites: [EXAMPLE_INPUT],
  });
  const run = (steps: readonly ExampleStep[]) => judged(least(steps));
  const rules = (...steps: ExampleStep[]) => run(steps).rules;

  it('holds when each call is in both accounts', () => {
    expect(rules()).toEqual([]);
    expect(rules(chat(100, 200, { seen: true }), chat(90, 210))).toEqual([]);
  });

  it.each([
    ['is declared and was not seen', [chat(100, 200)], '0000000000000001'],
    ['was seen and is not declared', [chat(100, 200, { seen: true })], '0000000000000001'],
    ['is declared at another time', [chat(5000, 5100, { seen: true }), chat(100, 200)], '0000000000000002'],
    ['is declared twice', [chat(100, 200, { seen: true }), chat(90, 210), chat(95, 300)], '0000000000000003'],
  ])('breaks when a call %s', (_, steps, spanId) => {
    const report = run(steps);
    expect(report.rules).toEqual(['W2']);
    expect(report.violations.map((one) => one.spanId)).toContain(spanId);
  });

  it('pairs parallel calls whatever their order and length', () => {
    const seen = [chat(3000, 3100, { seen: true }), chat(8000, 8100, { seen: true })];
    expect(rules(...seen, chat(10, 9000), chat(2990, 3110))).toEqual([]);
    expect(rules(...seen, chat(2990, 3110), chat(10, 9000))).toEqual([]);
  });

  it('lets failed calls stand alone, and gives an answered one the place', () => {
    expect(rules(chat(100, 110, { seen: true, failed: true }))).toEqual([]);
    expect(rules(chat(100, 110, { failed: true }))).toEqual([]);
    const retried = [chat(100, 110, { seen: true, failed: true }), chat(150, 200, { seen: true })];
    expect(rules(...retried, chat(90, 210))).toEqual([]);
    // The client read to the end what the pass-through saw broken off.
    expect(rules(chat(100, 200, { seen: true, failed: true }), chat(90, 210))).toEqual([]);
  });

  it('counts the innermost of nested spans as the call', () => {
    expect(rules(chat(100, 200, { seen: true }), chat(80, 220), chat(90, 210, { below: 2 }))).toEqual([]);
  });

  it('lets an agent that hides its calls stand for those within it, and for one at least', () => {
    const hiding: ExampleStep = {
      ...chat(80, 400),
      name: 'invoke_agent helper',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.request.model': 'm',
        'gen_ai.usage.output_tokens': 3,
      },
    };
    const seen = [call(100, 200, 'm'), call(210, 300, 'm')];
    expect(rules(...seen, hiding)).toEqual([]);
    expect(rules(hiding)).toEqual(['W2']);
    expect(rules(...seen, call(5000, 5100, 'm'), hiding)).toEqual(['W2']);
    // It stands for calls of the model that it names alone.
    expect(rules(...seen, call(310, 390, 'other'), hiding)).toEqual(['W2']);
    expect(rules(call(100, 200, 'other'), hiding)).toEqual(['W2']);
  });

  it.each([
    ['is the one that was asked', { 'dd.model_id': 'gpt-4o' }, true],
    ['is the one that answered', { 'gen_ai.response.model': 'gpt-4o-2024-08-06' }, true],
    ['are both', { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.response.model': 'gpt-4o-2024-08-06' }, true],
    ['is not stated', {}, true],
    ['is null', { 'dd.model_id': null }, true],
    ['is written as JSON', { 'mlflow.llm.model': '"gpt-4o"', 'mlflow.spanType': '"CHAT_MODEL"' }, true],
    ['is another one', { 'dd.model_id': 'gpt-5' }, false],
    ['is another one in the words of the conventions', { 'gen_ai.request.model': 'gpt-5' }, false],
    ['is another one in the words of OpenInference', { 'llm.model_name': 'gpt-5' }, false],
    ['is another one in the words of the AI SDK', { 'ai.model.id': 'gpt-5' }, false],
    ['is another one in the words of Langfuse', { 'langfuse.observation.model.name': 'gpt-5' }, false],
    ['is written in other case', { 'dd.model_id': 'GPT-4o' }, false],
    ['has a prefix', { 'dd.model_id': 'openai/gpt-4o' }, false],
    ['is empty', { 'dd.model_id': '' }, false],
    ['is no text', { 'dd.model_id': ['gpt-4o'] }, false],
    ['is right once and wrong once', { 'dd.model_id': 'gpt-4o', 'gen_ai.request.model': 'gpt-5' }, false],
    ['is wrong under the conductor’s own name for it', { 'dd.requested_model_id': 'gpt-5' }, false],
  ])('compares the model that is declared when it %s', (_, attributes, holds) => {
    const steps = [call(100, 200, 'gpt-4o-2024-08-06', 'gpt-4o'), chat(90, 210, { attributes })];
    expect(rules(...steps)).toEqual(holds ? [] : ['W2']);
  });

  it('says both names, at the call that is declared, once', () => {
    const report = run([call(100, 200, 'real', 'asked'), chat(90, 210, { attributes: { 'dd.model_id': 'said' } })]);
    expect(report.violations).toEqual([expect.objectContaining({ rule: 'W2', spanId: '0000000000000002' })]);
    for (const name of ['said', 'asked', 'real']) expect(report.violations[0]?.message).toContain(`"${name}"`);
  });

  it('takes a call without a name for none that has one', () => {
    const said = { attributes: { 'dd.model_id': 'said' } };
    expect(rules(chat(100, 200, { seen: true }), chat(90, 210, said))).toEqual(['W2']);
  });

  it('pairs calls of several models at once by their names', () => {
    const own = (name: string) => chat(90, 910, { attributes: { 'dd.model_id': name } });
    const seen = ['a', 'b', 'c'].map((name) => call(100, 900, name));
    expect(rules(...seen, own('c'), own('a'), own('b'))).toEqual([]);
    expect(rules(...seen, own('c'), own('a'), own('a'))).toEqual(['W2']);
  });

  it.each([
    ['asked', []],
    ['real', []],
    ['asked, real', []],
    ['other', ['W2']],
    ['asked, other', ['W2']],
  ])('compares the model that the envelope names: %s', (model, expected) => {
    const steps = [call(100, 200, 'real', 'asked'), chat(90, 210)];
    const telemetry = { model_id: model, energy_method: 'not_measured' };
    expect(judged({ ...least(steps), envelope: { telemetry } }).rules).toEqual(expected);
    // A model that is named where none was seen at all.
    expect(judged({ ...least([]), envelope: { telemetry } }).rules).toEqual(['W2']);
  });

  it('reads the names in OTLP as well', () => {
    const name = (value: string) => ({ key: 'gen_ai.request.model', value: { stringValue: value } });
    const span = (text: string) => {
      const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }, name(text)];
      const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
      return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'chat', ...ids, attributes }] }] }] });
    };
    const [one] = readSpans(Buffer.from(span('gpt-5')), { file: 'spans.json' });
    expect(one?.facts.models).toEqual(['gpt-5']);
  });

  it('pairs a hundred thousand calls in no time', () => {
    const steps = Array.from({ length: 50_000 }, (_, i) => [chat(i % 900, 901, { seen: true }), chat(0, 901)]);
    const [seen, own] = [steps.map(([one]) => one), steps.map(([, one]) => one)];
    const all = [...seen, ...own].filter((step) => step !== undefined);
    expect(rules(...all)).toEqual([]);
  }, 30_000);
});

describe('the line in grounding.txt', () => {
  it('stands last where the run had to be witnessed, and nowhere else', () => {
    const steps = [served(A), declared(A), declared(B)];
    const required = groundingText(judged({ mode: 'retrieval', root: witnessed(1), steps, cites: [A, B] }));
    expect(required).toMatch(
      /^grounding: FAILED \[retrieval\]\n {2}- W1: .*\nwitness: 1 of 2 citations served; retrievals: 1 witnessed, 2 declared; model calls: 0 witnessed, 0 declared\n$/,
    );
    const open = groundingText(judged({ mode: 'retrieval', root: witnessed(1, null), steps, cites: [A, B] }));
    expect(open).toBe('grounding: passed [retrieval] (3 retrieval, 0 chat spans)\n');
  });
});
