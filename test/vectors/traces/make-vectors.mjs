// Writes the .jsonl files and envelopes beside this file: node test/vectors/traces/make-vectors.mjs
// Every answer below was written by hand from the rules, not taken from a run of the linter.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const INVOCATION = '0199a3b0-0000-7000-8000-0000000000aa';
const TRACE = 'a'.repeat(32);
const ROOT = '00000000000000f0';
const INPUT = { source_id: `input:${INVOCATION}`, content_hash: 'c'.repeat(64) };
const RECORD = { source_id: 'src:1', content_hash: 'a'.repeat(64) };
const CLOSED = ['none', 'input_only', 'delegation'];
const ALL = [...CLOSED, 'retrieval'];

const id = (short) => short.padStart(16, '0');
const iso = (ms) => `2026-09-30T10:00:00.${String(ms).padStart(3, '0')}000Z`;
const nano = (ms) => String(1_790_762_400_000_000_000n + BigInt(ms) * 1_000_000n);

/** A step in the shape of contract 4, below the root unless said otherwise. */
const step = (name, over = {}) => ({
  name,
  context: { trace_id: `0x${TRACE}`, span_id: `0x${id(over.id ?? '1')}`, trace_state: '[]', ...over.context },
  kind: over.kind === undefined ? 'SpanKind.INTERNAL' : over.kind,
  parent_id: `0x${over.below === undefined ? ROOT : id(over.below)}`,
  start_time: iso(over.at ?? 300),
  end_time: iso((over.at ?? 300) + 50),
  status: { status_code: 'UNSET' },
  attributes: over.attributes ?? {},
  events: over.events ?? [],
  links: over.links ?? [],
  ...over.members,
});
const client = (name, over = {}) => step(name, { kind: 'SpanKind.CLIENT', ...over });
const conducted = (mode) => ({ 'dd.grounding_mode': mode, 'dd.input_hash': INPUT.content_hash, 'dd.outcome': 'succeeded' });
const toJson = (mode, steps) => {
  const root = step('invoke_agent', { id: ROOT, at: 0, attributes: conducted(mode), members: { parent_id: null, end_time: iso(900) } });
  const fetched = step('retrieval', { id: 'e0', at: 100, attributes: { 'dd.source_id': RECORD.source_id, 'dd.content_hash': RECORD.content_hash } });
  return [root, ...(mode === 'retrieval' ? [fetched] : []), ...steps].map((one) => `${JSON.stringify(one)}\n`).join('');
};

/** The same in OTLP/JSON; `over` is laid over the span. */
const text = (of) => ({ stringValue: of });
const listed = (of) => Object.entries(of).map(([key, value]) => ({ key, value }));
const otlpStep = (name, over = {}) => ({
  traceId: TRACE,
  spanId: id('1'),
  parentSpanId: ROOT,
  name,
  kind: 1,
  startTimeUnixNano: nano(300),
  endTimeUnixNano: nano(350),
  attributes: [],
  status: {},
  ...over,
});
const otlpObject = (mode, steps, over = {}) => {
  const texts = Object.entries(conducted(mode)).map(([key, value]) => [key, text(value)]);
  const root = otlpStep('invoke_agent', { spanId: ROOT, parentSpanId: '', startTimeUnixNano: nano(0), endTimeUnixNano: nano(900), attributes: listed(Object.fromEntries(texts)) });
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 'by hand' }, spans: [root, ...steps], ...over.scopeSpans }], ...over.resourceSpans }], ...over.file };
};
const otlp = (mode, steps, over) => `${JSON.stringify(otlpObject(mode, steps, over))}\n`;

/** One vector for each mode; in mode `retrieval` every run holds one retrieval besides. */
const judged = (title, { modes, rules, retrievals = 0, chats = 0, unknown, file }) =>
  modes.map((mode) => ({
    title,
    mode,
    file: file(mode),
    rules: typeof rules === 'function' ? rules(mode) : rules,
    retrievals: retrievals + (mode === 'retrieval' ? 1 : 0),
    chats,
    unknown: unknown ?? [],
  }));
const json = (...steps) => (mode) => toJson(mode, steps);
const proto = (...steps) => (mode) => otlp(mode, steps);

// ---- 1. The closed world -------------------------------------------------------------------------------------------
const chatAt = (below) => client('POST', { id: '2', below });
const closedWorld = [
  ...['SpanKind.CLIENT', 'SpanKind.PRODUCER', 'SpanKind.CLIENTELE', 'CLIENT', 'SPAN_KIND_CLIENT', 'client', 3, ''].flatMap((kind) =>
    judged(`a call of kind ${JSON.stringify(kind)} that nothing explains`, { modes: CLOSED, rules: ['G0'], file: json(step('POST', { kind })) }),
  ),
  ...['SpanKind.INTERNAL', 'SpanKind.SERVER', 'SpanKind.CONSUMER', 'INTERNAL', null].flatMap((kind) =>
    judged(`an unknown step of kind ${JSON.stringify(kind)} is listed`, { modes: CLOSED, rules: [], unknown: ['work'], file: json(step('work', { kind })) }),
  ),
  ...[3, 4, 'SPAN_KIND_CLIENT', 99, -1, 1.5, '3'].flatMap((kind) =>
    judged(`a call of kind ${JSON.stringify(kind)} in OTLP that nothing explains`, { modes: ['none'], rules: ['G0'], file: proto(otlpStep('POST', { kind })) }),
  ),
  ...[0, 1, 2, 5].flatMap((kind) =>
    judged(`an unknown step of kind ${kind} in OTLP is listed`, { modes: ['none'], rules: [], unknown: ['work'], file: proto(otlpStep('work', { kind })) }),
  ),
  ...judged('a call below an unknown step', { modes: CLOSED, rules: ['G0'], unknown: ['work'], file: json(step('work'), chatAt('1')) }),
  ...judged('a call in mode retrieval is let be', { modes: ['retrieval'], rules: [], file: json(client('POST')) }),
  ...judged('a call below a model call is explained', { modes: ['input_only', 'delegation'], rules: [], chats: 1, file: json(step('chat'), chatAt('1')) }),
  ...judged('a call below an embedding is explained', { modes: ['input_only'], rules: [], file: json(step('embeddings m'), chatAt('1')) }),
  ...judged('a call below a retrieval is explained', { modes: ['input_only'], rules: ['R1'], retrievals: 1, file: json(step('VectorStoreRetriever'), chatAt('1')) }),
  ...judged('a call below a delegation is explained', { modes: CLOSED, rules: [], file: json(step('delegate'), chatAt('1')) }),
  ...judged('a call deep below a model call is explained', { modes: ['input_only'], rules: [], chats: 1, unknown: ['work'], file: json(step('chat'), step('work', { id: '3', below: '1' }), chatAt('3')) }),
  ...['execute_tool x', 'invoke_agent x', 'policy_gate', 'haystack.pipeline.run'].flatMap((name) =>
    judged(`a call below ${name} is not explained`, { modes: CLOSED, rules: ['G0'], file: json(step(name), chatAt('1')) }),
  ),
  ...judged('a step that only holds others, and calls somebody', { modes: CLOSED, rules: ['G0'], file: json(client('x', { attributes: { 'traceloop.span.kind': 'task' } })) }),
  ...judged('the policy gate, calling somebody', { modes: CLOSED, rules: ['G0'], file: json(client('policy_gate')) }),
  ...judged('an odd spelling of what would explain a call', { modes: CLOSED, rules: ['G0'], file: json(client('Execute_Tool x')) }),
  ...judged('a tool that is called elsewhere is known', { modes: CLOSED, rules: [], file: json(client('execute_tool x')) }),
  ...judged('a request to the host of a model below a delegation', {
    modes: CLOSED,
    rules: (mode) => (mode === 'none' ? ['N1'] : []),
    chats: 1,
    file: json(step('delegate'), client('POST', { id: '2', below: '1', attributes: { 'server.address': 'api.openai.com' } })),
  }),
];

// ---- 2. What was not recorded whole --------------------------------------------------------------------------------
const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`note.${at}`, at]));
const dropped = (members) => json(step('work', { members }));
const closedUnknown = (mode) => (CLOSED.includes(mode) ? ['work'] : []);
const lost = (title, file, modes = ALL) => modes.flatMap((mode) => judged(title, { modes: [mode], rules: ['G0'], unknown: closedUnknown(mode), file }));
const whole = (title, file) => ALL.flatMap((mode) => judged(title, { modes: [mode], rules: [], unknown: closedUnknown(mode), file }));
const losses = [
  ...['dropped_attributes', 'dropped_attributes_count', 'droppedAttributesCount', 'dropped_events', 'dropped_events_count', 'droppedEventsCount', 'dropped_links', 'dropped_links_count', 'droppedLinksCount'].flatMap((key) =>
    lost(`${key} counts one`, dropped({ [key]: 1 })),
  ),
  ...whole('counters of zero', dropped({ dropped_attributes: 0, dropped_events: 0, dropped_links: 0 })),
  ...lost('a counter that is no number', dropped({ dropped_attributes: {} })),
  ...lost('an event of which an attribute was dropped', json(step('work', { events: [{ name: 'x', dropped_attributes_count: 2 }] }))),
  ...lost('a link of which an attribute was dropped', json(step('work', { links: [{ context: {}, attributes: {}, dropped_attributes: 2 }] }))),
  ...lost('128 attributes', json(step('work', { attributes: many(128) }))),
  ...whole('127 attributes', json(step('work', { attributes: many(127) }))),
  ...lost('128 attributes on an event', json(step('work', { events: [{ name: 'x', attributes: many(128) }] }))),
  ...lost('a context whose flags say not sampled', json(step('work', { context: { trace_flags: '00' } }))),
  ...lost('a context whose flags are the number of not sampled', json(step('work', { context: { trace_flags: 0 } }))),
  ...whole('a context whose flags say sampled', json(step('work', { context: { trace_flags: '01' } }))),
  ...['droppedAttributesCount', 'droppedEventsCount', 'droppedLinksCount'].flatMap((key) => lost(`${key} in OTLP`, proto(otlpStep('work', { [key]: 1 })), CLOSED)),
  ...lost('an event of which an attribute was dropped, in OTLP', proto(otlpStep('work', { events: [{ name: 'x', droppedAttributesCount: 1 }] })), CLOSED),
  ...lost('a link of which an attribute was dropped, in OTLP', proto(otlpStep('work', { links: [{ droppedAttributesCount: 1 }] })), CLOSED),
  ...[0, 256, '256', 'x', -1].flatMap((flags) => lost(`flags ${JSON.stringify(flags)} in OTLP`, proto(otlpStep('work', { flags })), CLOSED)),
  ...[1, 257, '257', null].flatMap((flags) => judged(`flags ${JSON.stringify(flags)} in OTLP`, { modes: CLOSED, rules: [], unknown: ['work'], file: proto(otlpStep('work', { flags })) })),
  ...judged('a trace that was cut: the parent is missing', { modes: ALL, rules: ['G0'], file: json(step('chat', { below: '9' })) }),
  ...judged('a flood of attributes around the one that tells', {
    modes: ['none'],
    rules: ['G0', 'N1'],
    chats: 1,
    file: json(step('work', { attributes: { ...many(300), 'gen_ai.usage.output_tokens': 3 } })),
  }),
];

// ---- 3. Calls that somebody would rather hide ----------------------------------------------------------------------
const hidden = (title, file) => judged(title, { modes: ['none'], rules: ['N1'], chats: 1, file });
const KIND = 'openinference.span.kind';
const hiddenCalls = [
  ...['Chat', 'CHAT gpt-4o', 'chat\u00a0gpt-4o', 'chat\tgpt-4o', ' chat', 'chat ', 'chat\n', '\u0441hat', 'ch\u200bat', 'chat\ufe0f', '\uff43hat', 'ch\u0301at', 'OpenAI.Chat', 'openai.chat ', 'AI.GenerateText', 'CALL_LLM', 'chatopenai', 'sampling/createMessage', 'POST https://api.openai.com/v1/chat/completions', 'POST api.openai.com'].flatMap((name) =>
    hidden(`the name ${JSON.stringify(name)}`, json(step(name))),
  ),
  ...['GEN_AI.USAGE.OUTPUT_TOKENS', ' gen_ai.usage.output_tokens', 'gen_\u0430i.usage.output_tokens', 'gen_ai\u200b.usage.output_tokens', 'LLM.Model_Name', 'DD.model_id', 'gen_ai.usage', 'gen_ai.request.temperature', 'llm.input_messages', 'llm.finish_reason', 'gen_ai.system_instructions'].flatMap((key) =>
    hidden(`the key ${JSON.stringify(key)}`, json(step('step', { attributes: { [key]: 5 } }))),
  ),
  ...['llm', ' LLM ', '"LLM"', "'LLM'", 'L\u200bLM', '\uff2c\uff2c\uff2d', 'LL\u041c', 'LLM\u0000', `${' '.repeat(5000)}LLM`, ['LLM'], [['LLM']], { a: 'LLM' }, [{ a: ['x', 'LLM'] }]].flatMap((value, at) =>
    hidden(`the kind ${at === 8 ? 'behind five thousand spaces' : JSON.stringify(value)}`, json(step('step', { attributes: { [KIND]: value } }))),
  ),
  ...hidden('attributes within an object', json(step('step', { attributes: { gen_ai: { usage: { output_tokens: 5 } } } }))),
  ...hidden('an attribute of an event', json(step('step', { events: [{ name: 'x', attributes: { 'gen_ai.usage.output_tokens': 5 } }] }))),
  ...hidden('a kind on an event', json(step('step', { events: [{ name: 'x', attributes: { [KIND]: 'LLM' } }] }))),
  ...hidden('an event in capitals', json(step('step', { events: [{ name: 'GEN_AI.CHOICE' }] }))),
  ...hidden('an attribute of a link', json(step('step', { links: [{ context: {}, attributes: { 'llm.model_name': 'm' } }] }))),
  ...['API.OPENAI.COM', 'api.openai.com.', 'eu.api.openai.com', 'api.openai.com:443'].flatMap((host) =>
    hidden(`the host ${host}`, json(step('call', { attributes: { 'server.address': host } }))),
  ),
  ...['https://api.openai.com\\x', '//api.openai.com/v1', 'api.openai.com/v1', 'https:/api.openai.com/', 'https://api%2eopenai.com/', ' https://api.openai.com/', 'https://user@api.openai.com?x', `https://${'u'.repeat(3000)}@api.openai.com/`].flatMap((url, at) =>
    hidden(`the URL ${at === 7 ? 'behind a long user' : url}`, json(step('call', { attributes: { 'url.full': url } }))),
  ),
  ...['net.sock.peer.name', 'server.socket.domain', 'network.peer.address', 'http.request.header.host'].flatMap((key) =>
    hidden(`a host in ${key}`, json(step('call', { attributes: { [key]: ['api.openai.com'] } }))),
  ),
  ...hidden('a list in a list, in OTLP', proto(otlpStep('x', { attributes: listed({ [KIND]: { arrayValue: { values: [{ arrayValue: { values: [text('LLM')] } }] } } }) }))),
  ...hidden('an object, in OTLP', proto(otlpStep('x', { attributes: listed({ gen_ai: { kvlistValue: { values: listed({ usage: { kvlistValue: { values: listed({ output_tokens: { intValue: '5' } }) } } }) } } }) }))),
  ...hidden('an attribute of an event, in OTLP', proto(otlpStep('x', { events: [{ name: 'x', attributes: listed({ 'gen_ai.usage.output_tokens': { intValue: 5 } }) }] }))),
  ...hidden('a call in a second object of the file', (mode) => `${otlp(mode, [])}${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [otlpStep('chat')] }] }] })}\n`),
  ...judged('a call without a start, in OTLP', { modes: ['none'], rules: ['G0', 'N1'], chats: 1, file: proto(otlpStep('chat', { startTimeUnixNano: '0' })) }),
  ...judged('a tool with the usage of a model', { modes: ['none'], rules: ['G0', 'N1'], chats: 1, file: json(step('execute_tool x', { attributes: { 'gen_ai.usage.output_tokens': 5 } })) }),
  ...judged('a retriever with an event in which a model chose', {
    modes: ['none'],
    rules: ['G0', 'R1', 'N1'],
    retrievals: 1,
    chats: 1,
    file: json(step('r', { attributes: { [KIND]: 'RETRIEVER' }, events: [{ name: 'gen_ai.choice' }] })),
  }),
  ...judged('an embedding with a usage on its link', {
    modes: ['none'],
    rules: ['G0', 'N1'],
    chats: 1,
    file: json(step('embeddings m', { links: [{ attributes: { 'gen_ai.usage.output_tokens': 5 } }] })),
  }),
  ...judged('an event of the root with what the conductor writes on the root', {
    modes: ['none'],
    rules: [],
    file: (mode) => toJson(mode, []).replace('"events":[]', '"events":[{"name":"x","attributes":{"dd.model_id":"m"}}]'),
  }),
  ...judged('an event of the root in which a model chose', {
    modes: ['none'],
    rules: ['N1'],
    file: (mode) => toJson(mode, []).replace('"events":[]', '"events":[{"name":"gen_ai.choice"}]'),
  }),
  ...judged('a tool whose events hold its messages, as Strands writes them', {
    modes: ['none'],
    rules: [],
    file: json(step('execute_tool x', { events: [{ name: 'gen_ai.tool.message', attributes: {} }, { name: 'gen_ai.choice', attributes: { message: '[]' } }] })),
  }),
  ...judged('a tool with the empty requests that Google ADK writes', {
    modes: ['none'],
    rules: [],
    file: json(step('execute_tool x', { attributes: { 'gcp.vertex.agent.llm_request': '{}', 'gcp.vertex.agent.llm_response': '{}' } })),
  }),
  ...['Retrieval', 'RETRIEVAL kb', 'retr\u0456eval', 'retrieval\u00a0kb'].flatMap((name) =>
    judged(`a retrieval named ${JSON.stringify(name)}`, { modes: CLOSED, rules: ['R1'], retrievals: 1, file: json(step(name)) }),
  ),
  ...judged('a model call before the retrieval, in capitals', { modes: ['retrieval'], rules: ['G1'], chats: 1, file: json(step('OPENAI.CHAT', { at: 10 })) }),
];

// ---- 4. Members of another type: told by G0, and never a reason to look away ---------------------------------------
const misshapen = (title, file) => judged(title, { modes: ['none'], rules: ['G0'], unknown: ['x'], file });
const valued = (value) => proto(otlpStep('x', { attributes: [{ key: KIND, value }] }));
const types = [
  ...[{ stringValue: ['LLM'] }, { stringValue: { a: 'LLM' } }, { stringValue: 5 }, { arrayValue: [text('LLM')] }, { arrayValue: { values: text('LLM') } }, { arrayValue: { value: [text('LLM')] } }, { string_value: 'LLM' }, { stringValue: null }, 'LLM'].flatMap((value) =>
    misshapen(`the OTLP value ${JSON.stringify(value)}`, valued(value)),
  ),
  ...judged('an OTLP value with two variants', { modes: ['none'], rules: ['G0'], file: valued({ stringValue: 'CHAIN', intValue: 1 }) }),
  ...[{ name: 5 }, 'gen_ai.choice', { name: 'x', attributes: [] }].flatMap((event) => misshapen(`the event ${JSON.stringify(event)}`, json(step('x', { events: [event] })))),
  ...['x', [5], [{ attributes: 'x' }]].flatMap((links) => misshapen(`the links ${JSON.stringify(links)}`, json(step('x', { links })))),
  ...misshapen('OTLP attributes as an object', proto(otlpStep('x', { attributes: { [KIND]: text('LLM') } }))),
  ...['qrvM', 'a'.repeat(8), '0'.repeat(32), 'g'.repeat(32), `0x${TRACE}`].flatMap((traceId) => misshapen(`the OTLP trace id ${traceId}`, proto(otlpStep('x', { traceId })))),
  ...judged('the OTLP trace id in capitals', { modes: ['none'], rules: [], unknown: ['x'], file: proto(otlpStep('x', { traceId: TRACE.toUpperCase() })) }),
];

// ---- 5. What is refused --------------------------------------------------------------------------------------------
const refused = (title, code, file) => [{ title, file, refused: code }];
const some = toJson('none', [step('chat')]);
const refusals = [
  ...refused('a byte order mark', 'json-encoding', `\ufeff${some}`),
  ...refused('a file that was cut', 'json-syntax', some.slice(0, -20)),
  ...refused('a NUL behind a span', 'json-trailing', `${some.trimEnd()}\u0000\n`),
  ...refused('no line feed between two spans of one line', 'json-trailing', some.replace('}\n{', '}{')),
  ...refused('a list of spans', 'span-malformed', '[{"name":"chat"}]\n'),
  ...refused('a key twice', 'json-duplicate-key', some.replace('{"name":"chat"', '{"name":"x","name":"chat"')),
  ...refused('1,001 brackets', 'json-depth', `${'['.repeat(1001)}${']'.repeat(1001)}\n`),
  ...refused('two shapes in one file', 'spans-mixed', `${otlp('none', [])}${some}`),
  ...refused('logs on a line of their own', 'spans-shape', `${otlp('none', [])}{"resourceLogs":[]}\n`),
  ...['resourceLogs', 'resourceMetrics', 'resourceProfiles'].flatMap((key) => refused(`${key} beside the spans`, 'spans-mixed', otlp('none', [], { file: { [key]: [] } }))),
  ...refused('spans beside the scopes', 'span-malformed', otlp('none', [], { resourceSpans: { spans: [otlpStep('chat')] } })),
  ...refused('scopes within a scope', 'span-malformed', otlp('none', [], { scopeSpans: { scopeSpans: [{ spans: [otlpStep('chat')] }] } })),
  ...refused('spans within a span', 'span-malformed', otlp('none', [otlpStep('x', { spans: [otlpStep('chat')] })])),
  ...refused('spans at the top', 'span-malformed', otlp('none', [], { file: { spans: [otlpStep('chat')] } })),
  ...refused('an attribute twice', 'span-attribute-twice', otlp('none', [otlpStep('x', { attributes: [...listed({ a: text('1') }), ...listed({ a: text('2') })] })])),
  ...refused('an attribute of an event twice', 'span-attribute-twice', otlp('none', [otlpStep('x', { events: [{ attributes: [...listed({ a: text('1') }), ...listed({ a: text('2') })] }] })])),
  ...['-1', '18446744073709551616', 1.5, '', 'abc'].flatMap((time) => refused(`the OTLP time ${JSON.stringify(time)}`, 'span-time', otlp('none', [otlpStep('x', { startTimeUnixNano: time })]))),
];

const write = (name, vectors) => writeFileSync(join(here, name), vectors.map((one) => `${JSON.stringify(one)}\n`).join(''));
write('closed-world.jsonl', closedWorld);
write('losses.jsonl', losses);
write('hidden-calls.jsonl', hiddenCalls);
write('types.jsonl', types);
write('refused.jsonl', refusals);
for (const mode of ALL) {
  const cites = [mode === 'retrieval' ? RECORD : INPUT];
  const envelope = {
    invocation_id: INVOCATION,
    grounding_mode: mode,
    outcome: { status: 'succeeded', statement: 'Done.' },
    payload: { schema_class: 'Answer', grounded_on: cites },
    evidence: cites.map((one) => ({ ...one, hash_algorithm: 'sha256', canonicalisation: mode === 'retrieval' ? 'dd-json-document-v1' : 'dd-input-json-v1' })),
  };
  writeFileSync(join(here, `envelope.${mode}.json`), `${JSON.stringify(envelope, null, 2)}\n`);
}
