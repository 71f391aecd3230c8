// Writes rows.jsonl and runs/ beside this file: node test/vectors/dialects/make-vectors.mjs
// The rows come from the table as it stood when the script was run; the test holds the table of today against them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const contents = "export { DIALECTS } from './core/trace/dialects/table.ts';";
const built = await build({
  stdin: { contents, resolveDir: root, loader: 'ts' },
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
});
const code = built.outputFiles[0]?.text ?? '';
const { DIALECTS } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);

/** What a span is that shows one row's signs and nothing else. */
const ROLES = { writes: 'chat', model: 'chat', told: 'chat', vendor: 'chat' };
const BLANK = { name: 'step', attributes: {}, events: [] };

/** A span that shows the sign. */
function shows(sign) {
  if ('nameStarts' in sign) return { ...BLANK, name: `${sign.nameStarts} model-1` };
  if ('nameEnds' in sign) return { ...BLANK, name: `vendor${sign.nameEnds}` };
  if ('name' in sign) return { ...BLANK, name: sign.name };
  if ('event' in sign) return { ...BLANK, events: [sign.event] };
  if ('keyStarts' in sign) return { ...BLANK, attributes: { [`${sign.keyStarts}0.value`]: 'x' } };
  if ('host' in sign) return { ...BLANK, attributes: { 'url.full': `https://${sign.host}/v1/things?x=1` } };
  if ('hostStarts' in sign) return { ...BLANK, attributes: { 'server.address': `${sign.hostStarts}eu-west-1.amazonaws.com` } };
  if ('hostEnds' in sign) return { ...BLANK, attributes: { 'server.address': `eu-1${sign.hostEnds.startsWith('.') ? '' : '-'}${sign.hostEnds}` } };
  if ('is' in sign) return { ...BLANK, attributes: { [sign.key]: sign.is } };
  if ('starts' in sign) return { ...BLANK, attributes: { [sign.key]: `${sign.starts} my-function` } };
  if ('ends' in sign) return { ...BLANK, attributes: { [sign.key]: `My${sign.ends}` } };
  return { ...BLANK, attributes: { [sign.key]: 'x' } };
}

/** A span that all but shows it. */
function misses(sign) {
  // Without its last word, a beginning of several words may be another row's.
  if ('nameStarts' in sign) return { ...BLANK, name: sign.nameStarts.includes(' ') ? `my ${sign.nameStarts}` : `${sign.nameStarts}s model-1` };
  if ('nameEnds' in sign) return { ...BLANK, name: `vendor${sign.nameEnds}.done` };
  if ('name' in sign) return { ...BLANK, name: `${sign.name}X` };
  if ('event' in sign) return { ...BLANK, events: [`my.${sign.event}`] };
  if ('keyStarts' in sign) return { ...BLANK, attributes: { [`my.${sign.keyStarts}0.value`]: 'x' } };
  if ('host' in sign) return { ...BLANK, attributes: { 'url.full': `https://${sign.host}.example/v1/things`, 'server.address': `x${sign.host}` } };
  if ('hostStarts' in sign) return { ...BLANK, attributes: { 'server.address': `x${sign.hostStarts}eu` } };
  if ('hostEnds' in sign) return { ...BLANK, attributes: { 'server.address': `eu-1${sign.hostEnds}.example` } };
  if ('is' in sign) return { ...BLANK, attributes: { [sign.key]: `${sign.is}-like` } };
  if ('starts' in sign) return { ...BLANK, attributes: { [sign.key]: `${sign.starts}s my-function` } };
  if ('ends' in sign) return { ...BLANK, attributes: { [sign.key]: `${sign.ends}Stub` } };
  return { ...BLANK, attributes: { [sign.key]: null, [`my.${sign.key}`]: 'x' } };
}

const both = (one, other) => ({
  name: other.name === BLANK.name ? one.name : other.name,
  attributes: { ...one.attributes, ...other.attributes },
  events: [...one.events, ...other.events],
});

const rows = DIALECTS.flatMap(({ name, rows }) =>
  rows.map((row) => ({
    dialect: name,
    says: row.says,
    sign: row.sign,
    ...(row.also === undefined ? {} : { also: row.also }),
    seen: row.seen,
    positive: row.also === undefined ? shows(row.sign) : both(shows(row.sign), shows(row.also)),
    role: ROLES[row.says] ?? row.says,
    near_miss: row.also === undefined ? misses(row.sign) : both(shows(row.sign), misses(row.also)),
    near_role: 'other',
  })),
);
writeFileSync(join(here, 'rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

// One run of mode none for each dialect, with one model call as that emitter writes it.
const INPUT = 'c'.repeat(64);
const INVOCATION = '0199a3b0-0000-7000-8000-0000000000aa';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLS = {
  workbench: { name: 'chat', attributes: { 'dd.operation': 'chat', 'dd.model_id': 'gpt-4o', 'dd.input_tokens': 9 } },
  'gen-ai': {
    name: 'chat gpt-4o',
    kind: 'CLIENT',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 9, 'gen_ai.usage.output_tokens': 4 },
  },
  openinference: {
    name: 'ChatCompletion',
    attributes: { 'openinference.span.kind': 'LLM', 'llm.system': 'openai', 'llm.model_name': 'gpt-4o', 'llm.token_count.prompt': 9, 'llm.token_count.completion': 4, 'llm.input_messages.0.message.role': 'user' },
  },
  openllmetry: {
    name: 'openai.chat',
    kind: 'CLIENT',
    attributes: { 'llm.request.type': 'chat', 'gen_ai.system': 'OpenAI', 'gen_ai.request.model': 'gpt-4o', 'gen_ai.prompt.0.role': 'user', 'llm.usage.total_tokens': 13 },
  },
  'vercel-ai': {
    name: 'ai.generateText.doGenerate',
    attributes: { 'operation.name': 'ai.generateText.doGenerate draft', 'ai.operationId': 'ai.generateText.doGenerate', 'ai.model.id': 'gpt-4o', 'ai.usage.outputTokens': 4, 'ai.response.text': 'x' },
  },
  langfuse: {
    name: 'answer',
    attributes: { 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': 'gpt-4o', 'langfuse.observation.usage_details': '{"input":9,"output":4}' },
  },
  langchain: { name: 'ChatOpenAI', attributes: { 'langsmith.span.kind': 'llm', 'gen_ai.system': 'openai' } },
  llamaindex: { name: 'OpenAI.achat', attributes: {} },
  frameworks: { name: 'call_llm', attributes: { 'gcp.vertex.agent.llm_response': '{"content":{}}' } },
  wire: { name: 'POST', kind: 'CLIENT', attributes: { 'http.request.method': 'POST', 'server.address': 'api.openai.com', 'url.full': 'https://api.openai.com/v1/chat/completions' } },
};

const ms = (at) => 1_790_762_400_000 + at;
const iso = (at) => new Date(ms(at)).toISOString().replace('Z', '000Z');

function spansOf(call) {
  const rootAttributes = { 'dd.operation': 'invoke_agent', 'dd.agent_id': 'example.hello', 'dd.grounding_mode': 'none', 'dd.input_hash': INPUT, 'dd.outcome': 'succeeded' };
  return [
    { name: 'invoke_agent', id: 'f0', parent: null, start: 0, end: 900, attributes: rootAttributes },
    { name: 'policy_gate', id: 'f1', parent: 'f0', start: 1, end: 2, attributes: { 'dd.operation': 'policy_gate', 'dd.agent_id': 'example.hello' } },
    { ...call, id: '01', parent: 'f0', start: 100, end: 200 },
  ];
}

const id = (short) => short.padStart(16, '0');

function toJson(span) {
  return {
    name: span.name,
    context: { trace_id: `0x${TRACE}`, span_id: `0x${id(span.id)}`, trace_state: '[]' },
    kind: `SpanKind.${span.kind ?? 'INTERNAL'}`,
    parent_id: span.parent === null ? null : `0x${id(span.parent)}`,
    start_time: iso(span.start),
    end_time: iso(span.end),
    status: { status_code: 'UNSET' },
    attributes: span.attributes,
    events: [],
    links: [],
    resource: { attributes: { 'service.name': 'agent' }, schema_url: '' },
  };
}

function otlp(spans) {
  const value = (of) => (typeof of === 'number' ? { intValue: String(of) } : { stringValue: of });
  const attributes = (of) => Object.entries(of).map(([key, one]) => ({ key, value: value(one) }));
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'agent' }) },
        scopeSpans: [
          {
            scope: { name: 'by hand' },
            spans: spans.map((span) => ({
              traceId: TRACE.toUpperCase(),
              spanId: id(span.id),
              ...(span.parent === null ? {} : { parentSpanId: id(span.parent).toUpperCase() }),
              name: span.name,
              kind: span.kind === 'CLIENT' ? 3 : 1,
              startTimeUnixNano: `${ms(span.start)}000001`,
              endTimeUnixNano: `${ms(span.end)}000001`,
              attributes: attributes(span.attributes),
              status: {},
              flags: 257,
            })),
          },
        ],
      },
    ],
  };
}

const cites = [{ source_id: `input:${INVOCATION}`, content_hash: INPUT }];
const envelope = {
  invocation_id: INVOCATION,
  grounding_mode: 'none',
  outcome: { status: 'succeeded', statement: 'Done.' },
  payload: { schema_class: 'Answer', grounded_on: cites },
  evidence: cites.map((one) => ({ ...one, hash_algorithm: 'sha256', canonicalisation: 'dd-input-json-v1' })),
};
for (const [dialect, call] of Object.entries(CALLS)) {
  const folder = join(here, 'runs', dialect);
  mkdirSync(folder, { recursive: true });
  const spans = spansOf(call);
  writeFileSync(join(folder, 'spans.jsonl'), spans.map((span) => `${JSON.stringify(toJson(span))}\n`).join(''));
  writeFileSync(join(folder, 'console.txt'), spans.map((span) => `${JSON.stringify(toJson(span), null, 4)}\n`).join(''));
  writeFileSync(join(folder, 'otlp.json'), `${JSON.stringify(otlp(spans), null, 2)}\n`);
}
writeFileSync(join(here, 'envelope.json'), `${JSON.stringify(envelope, null, 2)}\n`);
