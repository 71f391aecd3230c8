import { describe, expect, it } from 'vitest';
import { ended } from './ended.js';
import { type Answer, at, success, type Work } from './fake-agent.js';
import { PINNED, PRINCIPAL } from './stage.js';

const ABSTAINED = { status: 'abstained', statement: 'no', reason_code: 'not_applicable' };

describe('invoke, agents that fail', () => {
  it.each<[string, (work: Work) => Answer]>([
    ['it throws', () => expect.fail('an exception of the agent')],
    ['its result is a list', () => ({ result: [] })],
    ['its result is null', () => ({ result: null })],
    ['it gives no outcome', () => ({ result: {} })],
    ['its status is unknown', () => ({ result: { outcome: { status: 'done', statement: '' } } })],
    ['its status is called like a method', () => ({ result: { outcome: { status: 'toString', statement: '' } } })],
    [
      'its payload is of another class',
      ({ input }) => ({ result: success([input], { payload: { schema_class: 'Other', grounded_on: [] } }) }),
    ],
    ['its payload is of no class', ({ input }) => ({ result: success([input], { payload: { grounded_on: [] } }) })],
    ['its payload is a list', ({ input }) => ({ result: success([input], { payload: [] }) })],
    ['its payload is a text', ({ input }) => ({ result: success([input], { payload: 'yes' }) })],
    [
      'its payload names no sources',
      ({ input }) => ({ result: success([input], { payload: { schema_class: 'Answer' } }) }),
    ],
    [
      'its payload does not fit its class',
      ({ input }) => ({
        result: success([input], { payload: { schema_class: 'Answer', grounded_on: [], score: 'x' } }),
      }),
    ],
    ['its statement is missing', ({ input }) => ({ result: success([input], { outcome: { status: 'succeeded' } }) })],
    [
      'its statement is null',
      ({ input }) => ({ result: success([input], { outcome: { status: 'succeeded', statement: null } }) }),
    ],
    ['it abstains without a reason', () => ({ result: { outcome: { status: 'abstained', statement: 'no' } } })],
    [
      'it refers to nobody',
      () => ({ result: { outcome: { status: 'referred', statement: 'no', reason_code: 'not_applicable' } } }),
    ],
    ['it abstains with a payload', ({ input }) => ({ result: success([input], { outcome: ABSTAINED }) })],
    [
      'it suspends itself, for which it can give no problem',
      () => ({ result: { outcome: { status: 'suspended', statement: 'later' } } }),
    ],
    ['its result has an unknown member', ({ input }) => ({ result: success([input], { acting_for: PRINCIPAL.name }) })],
    ['its result has a problem of its own', () => ({ result: { outcome: ABSTAINED, problem: {} } })],
    ['its reason is unknown', () => ({ result: { outcome: { ...ABSTAINED, reason_code: 'mood' } } })],
    ['its tokens are no count', ({ input }) => ({ result: success([input], { input_tokens: -1 }) })],
    ['its tokens are a text', ({ input }) => ({ result: success([input], { output_tokens: '7' }) })],
    ['its model has no name', ({ input }) => ({ result: success([input], { model_id: '' }) })],
    [
      'it cites the input under another canonicalisation',
      ({ input }) => ({ result: success([{ ...input, canonicalisation: 'dd-json-document-v1' }]) }),
    ],
    [
      'its evidence names an unknown canonicalisation',
      ({ input }) => ({ result: success([input, { ...input, canonicalisation: 'mine' }]) }),
    ],
    ['its evidence has an odd time', ({ input }) => ({ result: success([{ ...input, retrieved_at: 'now' }]) })],
    [
      'it reports a failure beside a member too many',
      () => ({ result: { outcome: { status: 'failed', statement: 'x', extra: 1 } } }),
    ],
  ])('returns agent-error with nothing of the result when %s', async (_, work) => {
    const end = await ended({}, work);
    expect(end).toMatchObject({ status: 'failed', slug: 'agent-error', http: '500', empty: true, rules: [] });
    expect(end.grounding).toContain('grounding: passed');
    expect(end.run.sources.verified).toBe(0);
  });

  it('returns agent-error when an agent that declares no payload returns one', async () => {
    const end = await ended({ payload: null }, ({ input }) => ({ result: success([input]) }));
    expect(end).toMatchObject({ status: 'failed', slug: 'agent-error', empty: true });
  });

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['blank', ' '],
    ['empty', ''],
    ['no object', '[]'],
    ['without a name', '{"context":{"trace_id":"0x1","span_id":"0x2"}}'],
    ['without ids', '{"name":"chat"}'],
    [
      'at a time without an offset',
      '{"name":"chat","context":{"trace_id":"1","span_id":"2"},"start_time":"2026-09-30T10:00:00"}',
    ],
    [
      'two spans',
      '{"name":"a","context":{"trace_id":"1","span_id":"2"}} {"name":"b","context":{"trace_id":"1","span_id":"3"}}',
    ],
    [
      'two lines of one span each',
      '{"name":"a","context":{"trace_id":"1","span_id":"2"}}\n{"name":"b","context":{"trace_id":"1","span_id":"3"}}',
    ],
    ['with a key twice', '{"name":"a","name":"chat","context":{"trace_id":"1","span_id":"2"}}'],
    ['with half a character', '{"name":"\ud800","context":{"trace_id":"1","span_id":"2"}}'],
  ])('returns agent-error and files no span of the agent when one is %s', async (_, span) => {
    const end = await ended({}, ({ input, recorder }) => {
      recorder.start('execute_tool').end();
      return { result: success([input]), spans: [...recorder.finished(), span] };
    });
    expect(end).toMatchObject({
      status: 'failed',
      slug: 'agent-error',
      empty: true,
      spans: ['invoke_agent', 'policy_gate'],
    });
    expect(end.root.attributes['dd.outcome']).toBe('failed');
  });

  // As a file of traces each of these can be read, but one span a line is what is filed (contract 7).
  it.each<[string, readonly string[]]>([
    ['stands in two pieces', ['{"name":"a","context":{"trace_id":"1","span_id":"2"}', '}']],
    [
      'is OTLP/JSON',
      [
        '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0123456789abcdef0123456789abcdef","spanId":"0123456789abcdef","name":"a"}]}]}]}',
      ],
    ],
  ])('returns agent-error and files no span of the agent when its only span %s', async (_, spans) => {
    const end = await ended({}, ({ input }) => ({ result: success([input]), spans }));
    expect(end).toMatchObject({
      status: 'failed',
      slug: 'agent-error',
      empty: true,
      spans: ['invoke_agent', 'policy_gate'],
    });
  });

  it('returns the run with its spans filed when a span is printed over several lines', async () => {
    const end = await ended({}, ({ input, recorder }) => {
      recorder.start('execute_tool', { attributes: { note: 'a\nb' } }).end();
      const spans = recorder.finished().map((text) => JSON.stringify(JSON.parse(text), null, 2));
      return { result: success([input]), spans };
    });
    expect(end).toMatchObject({ status: 'succeeded', spans: ['invoke_agent', 'policy_gate', 'execute_tool'] });
  });

  it('returns the spans of an agent whose payload was of the wrong class', async () => {
    const end = await ended({}, ({ input, recorder }) => {
      recorder.start('execute_tool').end();
      return { result: success([input], { payload: { schema_class: 'Other' }, model_id: 'm', input_tokens: 4 }) };
    });
    expect(end.spans).toEqual(['invoke_agent', 'policy_gate', 'execute_tool']);
    expect(at(end.run.envelope, '/telemetry/model_id')).toBe('m');
  });

  it('returns texts that are of the stored envelope when a result that passed both checks breaks the contract', async () => {
    const end = await ended({ grounding_mode: 'retrieval' }, ({ retrieve }) => ({
      result: success([retrieve(PINNED, { snapshotRef: 'snap:1' })], { extra: 1 }),
    }));
    expect(end).toMatchObject({
      status: 'failed',
      slug: 'agent-error',
      sources: 'sources: 0 verified, 0 unresolved\n',
    });
    expect(end.grounding).toBe('grounding: passed [retrieval] (1 retrieval, 0 chat spans)\n');
    expect(end.root.attributes['dd.outcome']).toBe('succeeded');
  });

  it('returns a statement on one line when an exception speaks on several', async () => {
    const end = await ended({}, () => {
      throw new Error('first\n::error::second\u202e\ud800');
    });
    expect(end.slug).toBe('agent-error');
    expect(end.statement).toContain('first');
    expect(end.statement).not.toMatch(/[\n\u202e\ud800-\udfff]/u);
  });
});
