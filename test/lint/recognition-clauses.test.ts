// Issue "6": spans as other emitters write them, and what must not hide a call.
import { describe, expect, it } from 'vitest';
import { A, B, chat, envelope, INPUT, judged, ms, ref, retrieval, root, span, verdict } from './make-run.js';

const REF = ref('src:1');
const none = (over = {}) => envelope('none', [INPUT], over);
const input = (over = {}) => envelope('input_only', [INPUT], over);
const reads = (over = {}) => envelope('retrieval', [REF], over);
const below = (id: string) => ({ parent_id: `0x${id}` });
const client = { kind: 'SpanKind.CLIENT' };
const with_ = (attributes: Record<string, string | number | null>) => ({ attributes });
const LLM = { 'openinference.span.kind': 'LLM' };
const RETRIEVER = { 'openinference.span.kind': 'RETRIEVER' };
const at = (start: number, end = start + 50) => ({ start_time: ms(start), end_time: ms(end) });
const listed = (...documents: readonly object[]) =>
  with_({ 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.documents': JSON.stringify(documents) });

describe('judge, over the spans of other emitters', () => {
  it.each([
    {
      title: 'counts a model call by any sign',
      run: [[root('none'), span('step', '1', with_({ 'gen_ai.usage.output_tokens': 3 }))], none()],
      is: { rules: ['N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'lets a null attribute say nothing',
      run: [
        [root('none'), span('step', '1', with_({ 'gen_ai.usage.output_tokens': null, 'dd.model_id': null }))],
        none(),
      ],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'counts embedding, reranking, guardrail and evaluator spans for N1 and not as chats',
      run: [
        [
          root('none'),
          span('e', '1', with_({ 'openinference.span.kind': 'EMBEDDING' })),
          span('r', '2', with_({ 'openinference.span.kind': 'RERANKER' })),
        ],
        none(),
      ],
      is: { rules: ['N1'], retrievals: 0, chats: 0 },
    },
    {
      title: 'lets them come before the first retrieval',
      run: [
        [
          root('retrieval'),
          span('e', '1', { ...with_({ 'openinference.span.kind': 'EMBEDDING' }), ...at(1) }),
          span('g', '2', {
            ...with_({ 'openinference.span.kind': 'GUARDRAIL', 'llm.token_count.completion': 3 }),
            ...at(1),
          }),
          retrieval('3', REF),
          chat('4'),
        ],
        reads(),
      ],
      is: { rules: [], retrievals: 1, chats: 1 },
    },
    {
      title: 'judges a model call of another name by G1',
      run: [[root('retrieval'), span('openai.chat', '1', at(1)), retrieval('2', REF)], reads()],
      is: { rules: ['G1'], retrievals: 1, chats: 1 },
    },
    {
      title: 'takes a retriever without documents for a retrieval that has finished',
      run: [
        [root('retrieval'), span('r', '1', { ...with_(RETRIEVER), ...at(1) }), chat('2', at(60)), retrieval('3', REF)],
        reads(),
      ],
      is: { rules: [], retrievals: 2, chats: 1 },
    },
    {
      title: 'does not ask another emitter’s retrieval for dd.source_id',
      run: [[root('retrieval'), span('r', '1', with_(RETRIEVER))], reads()],
      is: { rules: ['G2', 'G3'], retrievals: 1, chats: 0 },
    },
    {
      title: 'still asks a span named retrieval for it',
      run: [[root('retrieval'), span('retrieval', '1', with_(RETRIEVER)), retrieval('2', REF)], reads()],
      is: { rules: ['G0'], retrievals: 2, chats: 0 },
    },
    {
      title: 'reads documents with id and hash',
      run: [
        [
          root('retrieval'),
          span('retrieval kb', '1', listed({ id: 'src:0', content_hash: B }, { id: 'src:1', content_hash: A })),
        ],
        reads(),
      ],
      is: { rules: [], retrievals: 1, chats: 0 },
    },
    {
      title: 'reads them from a span that is named retrieval and states nothing by dd.*',
      run: [[root('retrieval'), span('retrieval', '1', listed({ id: 'src:1', content_hash: A }))], reads()],
      is: { rules: [], retrievals: 1, chats: 0 },
    },
    {
      title: 'does not take half a pair, a malformed hash or an unreadable list for a pair',
      run: [
        [
          root('retrieval'),
          span(
            'retrieval a',
            '1',
            listed(
              { id: 'src:1' },
              { content_hash: A },
              { id: 'src:1', content_hash: A.toUpperCase() },
              { id: '', content_hash: A },
            ),
          ),
          span('retrieval b', '2', with_({ 'gen_ai.retrieval.documents': `[{"id":"src:1","content_hash":"${A}"}` })),
          span(
            'retrieval c',
            '3',
            with_({ 'gen_ai.retrieval.documents': `[{"id":"x","id":"src:1","content_hash":"${A}"}]` }),
          ),
        ],
        reads(),
      ],
      is: { rules: ['G2', 'G3'], retrievals: 3, chats: 0 },
    },
    {
      title: 'does not join the id of one document to the hash of another',
      run: [
        [
          root('retrieval'),
          span(
            'r',
            '1',
            with_({
              ...RETRIEVER,
              'retrieval.documents.0.document.id': 'src:1',
              'retrieval.documents.1.document.content_hash': A,
            }),
          ),
        ],
        reads(),
      ],
      is: { rules: ['G2', 'G3'], retrievals: 1, chats: 0 },
    },
    {
      title: 'reads flattened documents, an integer id and a hash in the metadata',
      run: [
        [
          root('retrieval'),
          span('r', '1', {
            attributes: {
              ...RETRIEVER,
              'retrieval.documents.0.document.id': 17,
              'retrieval.documents.0.document.metadata': JSON.stringify({ content_hash: A }),
            },
          }),
        ],
        envelope('retrieval', [ref('17')]),
      ],
      is: { rules: [], retrievals: 1, chats: 0 },
    },
    {
      title: 'takes nothing from a retriever that failed',
      run: [
        [
          root('retrieval'),
          span('r', '1', { ...listed({ id: 'src:1', content_hash: A }), status: { status_code: 'ERROR' } }),
        ],
        reads(),
      ],
      is: { rules: ['G2', 'G3'], retrievals: 1, chats: 0 },
    },
    {
      title: 'counts any retrieval for R1',
      run: [[root('input_only'), span('VectorStoreRetriever', '1')], input()],
      is: { rules: ['R1'], retrievals: 1, chats: 0 },
    },
    {
      title: 'takes a tool that is a data store for a retrieval, and another tool for none',
      run: [
        [
          root('input_only'),
          span('execute_tool a', '1', with_({ 'gen_ai.tool.type': 'datastore' })),
          span('execute_tool b', '2', with_({ 'gen_ai.tool.type': 'function' })),
        ],
        input(),
      ],
      is: { rules: ['R1'], retrievals: 1, chats: 0 },
    },
  ])('$title', ({ run, is }) => {
    const [spans, stated] = run as [Parameters<typeof judged>[0], Parameters<typeof judged>[1]];
    expect(verdict(judged(spans, stated))).toEqual(is);
  });
});

describe('judge, over signs that contradict each other', () => {
  it.each([
    [
      'a retrieval that calls itself a chat',
      span('retrieval', '1', with_({ 'dd.operation': 'chat', 'dd.source_id': 'src:1', 'dd.content_hash': A })),
      ['G0', 'R1'],
      1,
      1,
    ],
    [
      'a tool with output tokens',
      span('execute_tool x', '1', with_({ 'gen_ai.usage.output_tokens': 3 })),
      ['G0'],
      0,
      1,
    ],
    ['an embedding that wrote', span('embeddings m', '1', with_({ 'gen_ai.output.messages': '[]' })), ['G0'], 0, 1],
    [
      'a retriever that wrote',
      span('r', '1', with_({ ...RETRIEVER, 'llm.output_messages.0.message.content': 'x' })),
      ['G0', 'R1'],
      1,
      1,
    ],
    ['two kinds of two emitters', span('x', '1', with_({ ...LLM, 'langsmith.span.kind': 'tool' })), ['G0'], 0, 1],
    [
      'a policy gate that names a model',
      span('policy_gate', '1', with_({ 'gen_ai.request.model': 'm' })),
      ['G0'],
      0,
      1,
    ],
    [
      'a retrieval with dd.model_id',
      retrieval('1', REF, { attributes: { 'dd.source_id': 'src:1', 'dd.content_hash': A, 'dd.model_id': 'm' } }),
      ['G0', 'R1'],
      1,
      1,
    ],
  ])('breaks G0 for %s, and counts it as both', (_, one, rules, retrievals, chats) => {
    const report = judged([root('input_only'), one], input());
    expect(verdict(report)).toEqual({ rules, retrievals, chats });
  });

  it('names both signs', () => {
    const { violations } = judged(
      [root('input_only'), span('x', '1', with_({ ...LLM, 'langsmith.span.kind': 'tool' }))],
      input(),
    );
    expect(violations[0]?.message).toContain('openinference.span.kind "LLM"');
    expect(violations[0]?.message).toContain('langsmith.span.kind "tool"');
  });

  it.each([
    [
      'an embedding that names its model',
      span('embeddings m', '1', with_({ 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 3 })),
    ],
    [
      'a step that holds a call with its usage',
      span('OpenAI.task', '1', with_({ 'traceloop.span.kind': 'task', 'llm.request.type': 'chat' })),
    ],
    [
      'a retrieval that names the model it embeds with',
      span('retrieval kb', '1', with_({ 'gen_ai.request.model': 'm' })),
    ],
    ['a nested agent with its usage', span('invoke_agent helper', '1', with_({ 'gen_ai.usage.output_tokens': 3 }))],
  ])('lets pass %s', (_, one) => {
    expect(judged([root('retrieval'), retrieval('f', REF, at(1)), one], reads()).rules).toEqual([]);
  });

  it('takes a retrieval that may be a model call for none that has finished or fetched', () => {
    const doubtful = span('retrieval', '1', {
      attributes: { 'dd.source_id': 'src:1', 'dd.content_hash': A, ...LLM },
      ...at(1),
    });
    expect(judged([root('retrieval'), doubtful, chat('2')], reads()).rules).toEqual(['G0', 'G1', 'G2', 'G3']);
  });
});

describe('judge, over nested agents', () => {
  const helper = (over: Record<string, string | number>, more = {}) =>
    span('invoke_agent helper', '1', { attributes: over, ...more });

  it('does not take a nested agent for a second root', () => {
    const spans = [
      root('none'),
      helper({ 'gen_ai.operation.name': 'invoke_agent' }),
      span('x', '2', { ...below('1'), attributes: { 'gen_ai.operation.name': 'invoke_agent' } }),
    ];
    expect(judged(spans, none()).rules).toEqual([]);
  });

  it('takes one that is named exactly so for a second root', () => {
    expect(judged([root('none'), span('invoke_agent', '1')], none()).rules).toEqual(['G0']);
  });

  it('breaks N1 for usage without a model call below it, at any depth', () => {
    expect(judged([root('none'), helper({ 'gen_ai.usage.input_tokens': 4 })], none()).rules).toEqual(['N1']);
    const explained = [
      root('input_only'),
      helper({ 'gen_ai.usage.input_tokens': 4 }),
      span('w', '2', below('1')),
      chat('3', below('2')),
    ];
    expect(verdict(judged(explained, input()))).toEqual({ rules: [], retrievals: 0, chats: 1 });
  });

  it('breaks N1 for usage on the root itself, and not for what the conductor writes there', () => {
    expect(judged([root('none', {}, { 'llm.token_count.total': 4 })], none()).rules).toEqual(['N1']);
    expect(judged([root('none', {}, { 'dd.model_id': 'm', 'dd.input_tokens': 4 })], none()).rules).toEqual([]);
  });

  it('judges one that has no start by G0, where G1 cannot judge it', () => {
    const timeless = helper({ 'gen_ai.usage.input_tokens': 4 }, { start_time: null });
    expect(judged([root('retrieval'), timeless, retrieval('2', REF)], reads()).rules).toEqual(['G0']);
  });

  it('takes a method of an agent that is named like one of a model for the use of a model', () => {
    const method = span('AgentRunner.chat', '1', with_({ 'openinference.span.kind': 'AGENT' }));
    expect(judged([root('none'), method], none()).rules).toEqual(['N1']);
    expect(verdict(judged([root('input_only'), method, chat('2', below('1'))], input()))).toMatchObject({
      rules: [],
      chats: 1,
    });
  });

  it('breaks G1 for usage that may come before the first retrieval, unless a call below accounts for it', () => {
    const early = helper({ 'gen_ai.usage.input_tokens': 4 }, at(1, 800));
    expect(judged([root('retrieval'), early, retrieval('2', REF)], reads()).rules).toEqual(['G1']);
    expect(
      judged([root('retrieval'), early, retrieval('2', REF, below('1')), chat('3', below('1'))], reads()).rules,
    ).toEqual([]);
  });
});

// What is a call that nothing explains, and what was not recorded whole, stands in test/vectors/traces.
describe('judge, where the world is closed', () => {
  const post = (id: string, over = {}) => span('POST', id, { ...client, ...over });

  it.each(['SpanKind.INTERNAL', 'SpanKind.SERVER', 'SpanKind.CONSUMER', null])(
    'lists an unknown span of kind %s, once a name',
    (kind) => {
      const report = judged(
        [root('none'), span('work', '1', { kind }), span('work', '2', { kind }), span('w', '3', { kind })],
        none(),
      );
      expect(report.rules).toEqual([]);
      expect(report.unknown).toEqual([
        { name: 'work', count: 2, spanId: '1' },
        { name: 'w', count: 1, spanId: '3' },
      ]);
      expect(judged([root('retrieval'), retrieval('1', REF), span('work', '2')], reads()).unknown).toBeUndefined();
    },
  );

  it('counts a request to the host of a model as a call, and not again below the call that makes it', () => {
    const request = (id: string, over = {}) =>
      post(id, { attributes: { 'server.address': 'api.openai.com' }, ...over });
    expect(verdict(judged([root('none'), request('1')], none()))).toEqual({ rules: ['N1'], retrievals: 0, chats: 1 });
    expect(verdict(judged([root('input_only'), chat('2'), request('1', below('2'))], input()))).toMatchObject({
      rules: [],
      chats: 1,
    });
    const embedded = [
      root('retrieval'),
      span('embeddings m', '2', at(1)),
      request('1', { ...below('2'), ...at(2) }),
      retrieval('3', REF),
    ];
    expect(judged(embedded, reads()).rules).toEqual([]);
  });
});

describe('judge, over what was not recorded whole', () => {
  it('reports an unsampled trace once', () => {
    const unsampled = (id: string) =>
      span('w', id, { context: { trace_id: `0x${'a'.repeat(32)}`, span_id: `0x${id}`, trace_flags: 0 } });
    expect(judged([root('none'), unsampled('1'), unsampled('2'), unsampled('3')], none()).violations).toHaveLength(1);
  });
});
