// Linting traces from bytes (read and judge), against JSON.parse of their lines in the same process.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const HASH = 'a'.repeat(64);
const INVOCATION = '0199a3b0-0000-7000-8000-0000000000aa';

/**
 * @typedef {object} Linter
 * @property {typeof import('../core/lint/index.js').judge} judge
 * @property {typeof import('../core/lint/index.js').readEnvelope} readEnvelope
 * @property {typeof import('../core/trace/index.js').readSpans} readSpans
 */

/** @typedef {{ name: string, value: string, target: string | null }} Row */

/**
 * The rows of the bench; `quick` takes traces of a tenth of the size.
 * @param {{ quick?: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function run({ quick = false } = {}) {
  const linter = await bundled();
  const size = quick ? 20_000 : 100_000;
  const small = makeTrace(size);
  const envelope = makeEnvelope({ records: 100, fetched: true });
  const lint = (/** @type {Buffer} */ bytes) => lintRun(linter, { spans: bytes, envelope });
  expect(lint(small), { passed: true, retrievals: size / 2 });
  const pairs = Array.from({ length: 7 }, () => [seconds(() => parseLines(small)), seconds(() => lint(small))]);
  const base = Math.min(...pairs.map(([parse = 0]) => parse));
  const ours = Math.min(...pairs.map(([, judged = 0]) => judged));
  return [
    row(`lint ${size} spans: times JSON.parse of their lines`, `${(ours / base).toFixed(2)}×`, 'under 4×'),
    row(`lint ${size} spans: time`, `${(ours * 1000).toFixed(0)} ms`, null),
    ...growth(linter, { size: size * 10, perSpan: ours / size, envelope }),
    ...otherEmitters(linter, { size, envelope }),
    ...hostile(linter, quick ? 1000 : 10_000),
  ];
}

/**
 * Ten times the spans: time a span against the smaller trace, and the memory that they take.
 * @param {Linter} linter
 * @param {{ size: number, perSpan: number, envelope: Buffer }} given
 * @returns {Row[]}
 */
function growth(linter, { size, perSpan, envelope }) {
  const bytes = makeTrace(size);
  const before = process.memoryUsage().rss;
  const time = seconds(() =>
    expect(lintRun(linter, { spans: bytes, envelope }), { passed: true, retrievals: size / 2 }),
  );
  const grown = process.resourceUsage().maxRSS * 1024 - before;
  return [
    row(
      `lint ${size} spans: time a span, against a tenth of them`,
      `${(time / size / perSpan).toFixed(2)}×`,
      'under 2×',
    ),
    row(`lint ${size} spans: memory above the file's own`, `${(grown / 1e6).toFixed(0)} MB`, null),
  ];
}

/**
 * The same steps as OTLP/JSON, a hundred spans a line, in the words of other emitters and with attributes of no meaning.
 * @param {Linter} linter
 * @param {{ size: number, envelope: Buffer }} given
 * @returns {Row[]}
 */
function otherEmitters(linter, { size, envelope }) {
  const measure = (/** @type {number} */ spans) => {
    const bytes = makeOtlp(spans);
    const base = Math.min(...[1, 2, 3].map(() => seconds(() => parseLines(bytes))));
    const lint = () => expect(lintRun(linter, { spans: bytes, envelope }), { passed: true, retrievals: spans / 2 });
    return { base, ours: Math.min(...[1, 2, 3].map(() => seconds(lint))) };
  };
  const small = measure(size / 10);
  const large = measure(size);
  return [
    row(`lint ${size} spans as OTLP/JSON: times JSON.parse`, `${(large.ours / large.base).toFixed(2)}×`, null),
    row(
      `lint ${size} spans as OTLP/JSON: time a span, against a tenth of them`,
      `${(large.ours / small.ours / 10).toFixed(2)}×`,
      'under 2×',
    ),
  ];
}

function makeOtlp(/** @type {number} */ spans) {
  const id = (/** @type {number} */ of) => (of + 1).toString(16).padStart(16, '0');
  const attribute = (/** @type {string[]} */ [key = '', value = '']) => ({ key, value: { stringValue: value } });
  const span = (
    /** @type {number} */ index,
    /** @type {{ name: string, attributes: string[][] }} */ { name, attributes },
  ) => ({
    traceId: 'b'.repeat(32),
    spanId: id(index),
    ...(index === 0 ? {} : { parentSpanId: id(0) }),
    name,
    kind: index === 0 ? 1 : 3,
    startTimeUnixNano: `${1_790_762_400_000_000_000n + BigInt(index) * 1000n}`,
    endTimeUnixNano: `${1_790_762_400_000_000_500n + BigInt(index) * 1000n}`,
    attributes: attributes.map(attribute),
    status: {},
    flags: 257,
  });
  const root = {
    name: 'invoke_agent',
    attributes: [
      ['dd.grounding_mode', 'retrieval'],
      ['dd.input_hash', HASH],
    ],
  };
  const steps = Array.from({ length: spans }, (_, at) => {
    const index = at + 1;
    const chat = index % 2 === 0;
    const documents = JSON.stringify([{ id: `record:${index}`, content_hash: hashOfRecord(index) }]);
    const fetched = [
      ['gen_ai.operation.name', 'retrieval'],
      ['gen_ai.retrieval.documents', documents],
    ];
    const asked = [
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.request.model', 'model'],
      ['session.id', String(index)],
    ];
    return span(index, chat ? { name: 'chat model', attributes: asked } : { name: 'retrieval', attributes: fetched });
  });
  const all = [span(0, root), ...steps];
  const lines = [];
  for (let from = 0; from < all.length; from += 100)
    lines.push(
      JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ spans: all.slice(from, from + 100) }] }] }),
    );
  return Buffer.from(`${lines.join('\n')}\n`);
}

/**
 * A payload that cites what no retrieval fetched, so that every reference is reported with pointer and place.
 * @param {Linter} linter
 * @param {number} records
 * @returns {Row[]}
 */
function hostile(linter, records) {
  const spans = makeTrace(records * 10);
  const time = (/** @type {number} */ count) => {
    const envelope = makeEnvelope({ records: count, fetched: false });
    return seconds(() => expect(lintRun(linter, { spans, envelope }), { passed: false, retrievals: records * 5 }));
  };
  time(records);
  const once = Math.min(time(records), time(records), time(records));
  const tenfold = time(records * 10);
  return [
    row(`lint ${records * 10} spans and ${records} false citations: time`, `${(once * 1000).toFixed(0)} ms`, null),
    row(
      `lint ${records * 10} spans: time for ten times the false citations`,
      `${(tenfold / once).toFixed(1)}×`,
      'under 15×',
    ),
  ];
}

/**
 * @param {Linter} linter
 * @param {{ spans: Buffer, envelope: Buffer }} run
 */
function lintRun({ judge, readEnvelope, readSpans }, { spans, envelope }) {
  return judge(readSpans(spans, { file: 'spans.jsonl' }), readEnvelope(envelope, { file: 'envelope.json' }));
}

/**
 * A bench that measures a wrong answer measures nothing.
 * @param {{ passed: boolean, retrievals: number }} report
 * @param {{ passed: boolean, retrievals: number }} expected
 */
function expect({ passed, retrievals }, expected) {
  if (passed !== expected.passed || retrievals !== expected.retrievals)
    throw new Error(`the linter answered ${JSON.stringify({ passed, retrievals })}, not ${JSON.stringify(expected)}`);
}

/** One root, then retrievals and model calls by turns, in the shape in which our own tracer writes spans. */
function makeTrace(/** @type {number} */ spans) {
  const lines = [
    spanLine({
      name: 'invoke_agent',
      index: 0,
      attributes: { 'dd.grounding_mode': 'retrieval', 'dd.input_hash': HASH },
    }),
  ];
  for (let index = 1; index <= spans; index++) {
    const chat = index % 2 === 0;
    const fetched = {
      'dd.operation': 'retrieval',
      'dd.source_id': `record:${index}`,
      'dd.content_hash': hashOfRecord(index),
    };
    const attributes = chat ? { 'dd.operation': 'chat', 'dd.model_id': 'model', 'dd.input_tokens': index } : fetched;
    lines.push(spanLine({ name: chat ? 'chat' : 'retrieval', index, attributes }));
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** @param {{ name: string, index: number, attributes: object }} span */
function spanLine({ name, index, attributes }) {
  const id = (/** @type {number} */ of) => `0x${of.toString(16).padStart(16, '0')}`;
  const time = (/** @type {number} */ of) => new Date(1_790_762_400_000 + of).toISOString().replace('Z', '000Z');
  return JSON.stringify({
    name,
    context: { trace_id: `0x${'b'.repeat(32)}`, span_id: id(index), trace_state: '[]' },
    kind: 'SpanKind.INTERNAL',
    parent_id: index === 0 ? null : id(0),
    start_time: time(index * 2),
    end_time: time(index * 2 + 1),
    status: { status_code: 'UNSET' },
    attributes,
    events: [],
    links: [],
    resource: { attributes: { 'service.name': 'bench' }, schema_url: '' },
  });
}

/** @param {{ records: number, fetched: boolean }} given */
function makeEnvelope({ records, fetched }) {
  const cites = Array.from({ length: records }, (_, i) => ({
    source_id: `${fetched ? 'record' : 'invented'}:${i * 2 + 1}`,
    content_hash: hashOfRecord(i * 2 + 1),
  }));
  const parts = cites.map((cited) => ({ note: 'a part of the answer', grounded_on: [cited] }));
  const envelope = {
    invocation_id: INVOCATION,
    grounding_mode: 'retrieval',
    outcome: { status: 'succeeded', statement: 'Done.' },
    payload: { schema_class: 'Bench', grounded_on: cites.slice(0, 1), parts },
    evidence: cites.map((cited) => ({ ...cited, hash_algorithm: 'sha256', canonicalisation: 'dd-json-document-v1' })),
  };
  return Buffer.from(JSON.stringify(envelope, null, 2));
}

function hashOfRecord(/** @type {number} */ index) {
  return index.toString(16).padStart(64, '0');
}

function parseLines(/** @type {Buffer} */ bytes) {
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, from);
    const to = feed === -1 ? bytes.length : feed;
    if (to > from) JSON.parse(bytes.toString('utf8', from, to));
    from = to + 1;
  }
}

/** Processor time, not that of the wall: other work on the machine must not change a ratio. */
function seconds(/** @type {() => void} */ work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/** @returns {Row} */
function row(/** @type {string} */ name, /** @type {string} */ value, /** @type {string | null} */ target) {
  return { name, value, target };
}

/**
 * The linter alone, bundled in memory from its sources.
 * @returns {Promise<Linter>}
 */
async function bundled() {
  const contents =
    "export { judge, readEnvelope } from './core/lint/index.ts'; export { readSpans } from './core/trace/index.ts';";
  const options = { bundle: true, write: false, platform: 'node', format: 'esm', target: 'node20' };
  const result = await build({ ...Object(options), stdin: { contents, resolveDir: root, loader: 'ts' } });
  const code = result.outputFiles?.[0]?.text ?? '';
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

if (import.meta.url === `file://${process.argv[1]}`)
  console.table(await run({ quick: process.argv.includes('--quick') }));
