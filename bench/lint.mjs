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
