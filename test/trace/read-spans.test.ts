import { describe, expect, it } from 'vitest';
import { classify, NO_FACTS, readSpans } from '../../core/trace/index.js';
import { codeOf } from '../support/code-of.js';

const FILE = { file: 'spans.jsonl' };
const read = (text: string) => readSpans(Buffer.from(text), FILE);
const CONTEXT = '"context":{"trace_id":"0xab","span_id":"0xCD"}';
const line = (members: string) => `{"name":"chat",${CONTEXT}${members}}`;

describe('readSpans', () => {
  it('returns what the rules ask of a span when it is whole', () => {
    const attributes = '"attributes":{"dd.source_id":"s","dd.content_hash":"h"}';
    const text = `{"name":"retrieval",${CONTEXT},"kind":"SpanKind.CLIENT","parent_id":"0xEF","start_time":"1970-01-01T00:00:00.000001Z","end_time":"1970-01-01T00:00:01+00:00","status":{"status_code":"ERROR"},${attributes}}`;
    expect(read(`\n\r\n${text}\n \n`)).toEqual([
      {
        role: 'retrieval',
        recognition: classify({ name: 'retrieval', attributes: [], events: [] }),
        name: 'retrieval',
        traceId: 'ab',
        spanId: 'CD',
        parentId: 'EF',
        start: 1000n,
        end: 1_000_000_000n,
        failed: true,
        kind: 'SpanKind.CLIENT',
        facts: { sourceId: 's', contentHash: 'h', conductorAttributes: [], malformed: [] },
        file: 'spans.jsonl',
        line: 3,
      },
    ]);
  });

  it('returns the least when a span says no more', () => {
    expect(read(line(''))).toEqual([
      {
        role: 'chat',
        recognition: classify({ name: 'chat', attributes: [], events: [] }),
        name: 'chat',
        traceId: 'ab',
        spanId: 'CD',
        parentId: null,
        start: null,
        end: null,
        failed: false,
        kind: null,
        facts: NO_FACTS,
        file: 'spans.jsonl',
        line: 1,
      },
    ]);
  });

  it('reads a time that is written with escapes', () => {
    const [span] = read(line(',"start_time":"1970-01-01T00:00:00\\u002e5\\u005a"'));
    expect(span?.start).toBe(500_000_000n);
  });

  it('splits on U+000A alone', () => {
    const [span, ...others] = read('{"name":"a\u2028b\u0085c","context":{"trace_id":"1","span_id":"2"}}');
    expect([span?.name, others.length]).toEqual(['a\u2028b\u0085c', 0]);
  });

  it.each([
    ['json-syntax', '{"name"', 1],
    ['json-duplicate-key', `${line('')}\n${line(',"kind":1,"k\\u0069nd":2')}`, 2],
    ['json-encoding', '\ufeff{}', 1],
    ['json-nonfinite', line(',"attributes":{"x":NaN}'), 1],
    ['spans-empty', '', undefined],
    ['spans-empty', ' \n\t\r\n', undefined],
    ['span-malformed', `${line('')}\n[]`, 2],
    ['span-malformed', 'null', 1],
    ['span-malformed', '"chat"', 1],
    ['span-malformed', `{${CONTEXT}}`, 1],
    ['span-malformed', `{"name":null,${CONTEXT}}`, 1],
    ['span-malformed', `{"name":7,${CONTEXT}}`, 1],
    ['span-malformed', '{"name":"chat"}', 1],
    ['span-malformed', '{"name":"chat","context":null}', 1],
    ['span-malformed', '{"name":"chat","context":[]}', 1],
    ['span-malformed', '{"name":"chat","context":{"trace_id":"1"}}', 1],
    ['span-malformed', '{"name":"chat","context":{"trace_id":"1","span_id":null}}', 1],
    ['span-malformed', '{"name":"chat","context":{"trace_id":1,"span_id":"2"}}', 1],
    ['span-malformed', '{"name":"chat","context":{"__proto__":{"trace_id":"1","span_id":"2"}}}', 1],
    ['span-time', line(',"start_time":"2026-09-30T10:00:00"'), 1],
    ['span-time', line(',"end_time":"2026-02-30T10:00:00Z"'), 1],
    ['span-time', line(',"end_time":""'), 1],
    ['span-time', line(',"end_time":"2026-09-30T10:00:00Z\\""'), 1],
    ['span-time', line(',"end_time":1790762400'), 1],
    ['span-time', line(',"start_time":{}'), 1],
  ])('refuses with %s when the file is %j', (code, text, at) => {
    expect(codeOf(() => read(text))).toMatchObject({ code, blame: 'unreadable', file: 'spans.jsonl', line: at });
  });

  it('says where in the line the fault stands', () => {
    expect(codeOf(() => read(line(',"end_time":"x"')))).toMatchObject({ line: 1, column: line(',"end_time":').length });
  });

  it('keeps what is malformed and readable for G0', () => {
    const [span] = read(line(',"parent_id":7,"attributes":"x","status":[],"events":{}'));
    expect(span?.facts.malformed).toEqual(['parent_id', 'attributes', 'status', 'events']);
  });

  it('reads bytes that are a view into a larger buffer', () => {
    const whole = Buffer.from(`xxxx${line('')}yyyy`);
    expect(readSpans(new Uint8Array(whole.buffer, whole.byteOffset + 4, whole.length - 8), FILE)[0]?.spanId).toBe('CD');
  });
});

describe('readSpans, which remembers what it saw', () => {
  it('does not take a span for another whose name looks like what it remembers of it', () => {
    const one = (name: string, events: readonly object[]) =>
      JSON.stringify({ name, context: { trace_id: '0x1', span_id: '0x2' }, attributes: {}, events });
    const bytes = Buffer.from(
      [one('4:chat', []), one('chat', [{ name: 'x' }]), one('4:chat', [{ name: 'x' }])].join('\n'),
    );
    expect(readSpans(bytes, FILE).map(({ role }) => role)).toEqual(['other', 'chat', 'other']);
  });

  it('tells spans apart that differ in an event, in its attributes or in those of a link', () => {
    const one = (more: object) => JSON.stringify({ name: 'x', context: { trace_id: '0x1', span_id: '0x2' }, ...more });
    const kind = (is: string) => ({ attributes: { 'openinference.span.kind': is } });
    const lines = [
      { events: [{ name: 'x' }] },
      { events: [{ name: 'gen_ai.choice' }] },
      { events: [{ name: 'x', ...kind('CHAIN') }] },
      { events: [{ name: 'x', ...kind('LLM') }] },
      { links: [kind('EMBEDDING')] },
      kind('LLM'),
    ];
    const roles = readSpans(Buffer.from(lines.map(one).join('\n')), FILE).map(({ role }) => role);
    expect(roles).toEqual(['other', 'chat', 'other', 'chat', 'embedding', 'chat']);
  });
});

describe('classify', () => {
  it.each([
    ['invoke_agent', 'root'],
    ['retrieval', 'retrieval'],
    ['chat', 'chat'],
    ['policy_gate', 'gate'],
    ['delegate', 'delegate'],
    ['execute_tool', 'tool'],
    ['invoke_agent helper', 'agent'],
    ['Invoke_Agent', 'other'],
    ['Chat', 'chat'],
    ['Retrieval\u00a0kb', 'retrieval'],
    ['Execute_Tool', 'other'],
    ['\u0441hat', 'chat'],
    ['c\u200bhat', 'chat'],
    ['POST https://api.openai.com/v1/responses', 'wire'],
    ['GET https://openai.com/about', 'other'],
    ['chatter', 'other'],
    ['chat gpt', 'chat'],
    ['', 'other'],
    ['__proto__', 'other'],
    ['constructor', 'other'],
  ])('takes a span named %j as %s', (name, role) => {
    expect(classify({ name, attributes: [], events: [] }).role).toBe(role);
  });
});
