import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSpans } from '../../core/trace/index.js';
import { codeOf } from '../support/code-of.js';

const FILE = { file: 'spans.json' };
const read = (text: string) => readSpans(Buffer.from(text), FILE);
const TRACE = 'ab'.repeat(16);
const ID = 'cd'.repeat(8);
const span = (over: object = {}) => ({ traceId: TRACE, spanId: ID, name: 'chat', ...over });
const file = (spans: readonly object[], resource: object = {}) => ({
  resourceSpans: [{ resource, scopeSpans: [{ spans }] }],
});
const one = (over: object) => read(JSON.stringify(file([span(over)])))[0];
/** With a member whose JSON text is given, for numbers that JavaScript cannot hold. */
const raw = (member: string, text: string) => JSON.stringify(file([span({ [member]: '@' })])).replace('"@"', text);
const attribute = (key: string, value: object) => ({ key, value });

describe('readSpans, of OTLP/JSON', () => {
  it('returns ids in lower case, exact times, the kind by its name and the status', () => {
    const read_ = one({
      traceId: TRACE.toUpperCase(),
      spanId: ID.toUpperCase(),
      parentSpanId: 'EF'.repeat(8),
      kind: 3,
      startTimeUnixNano: '1790762400123456789',
      endTimeUnixNano: '18446744073709551615',
      status: { code: 2 },
    });
    expect(read_).toMatchObject({
      role: 'chat',
      traceId: TRACE,
      spanId: ID,
      parentId: 'ef'.repeat(8),
      kind: 'SpanKind.CLIENT',
      start: 1_790_762_400_123_456_789n,
      end: 18_446_744_073_709_551_615n,
      failed: true,
      line: 1,
    });
    expect(read_?.facts.malformed).toEqual([]);
  });

  it.each([
    ['1790762400123456789', 1_790_762_400_123_456_789n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['"9007199254740993"', 9_007_199_254_740_993n],
    ['18446744073709551615', 18_446_744_073_709_551_615n],
    ['0', null],
    ['"0"', null],
    ['null', null],
  ])('reads the time %s exactly', (text, is) => {
    expect(read(raw('startTimeUnixNano', text))[0]?.start).toBe(is);
  });

  it.each([
    '18446744073709551616',
    '"18446744073709551616"',
    '-1',
    '1.5',
    '1e18',
    '""',
    '"0x10"',
    '"2026-09-30T10:00:00Z"',
    '{}',
    'true',
  ])('refuses the time %s', (text) => {
    expect(codeOf(() => read(raw('endTimeUnixNano', text)))).toMatchObject({ code: 'span-time', blame: 'unreadable' });
  });

  it('keeps the order of any two times, as strings or numbers', () => {
    const time = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(time, time, fc.boolean(), (start, end, quoted) => {
        const text = JSON.stringify(file([span({ startTimeUnixNano: '@1', endTimeUnixNano: '@2' })]));
        const mark = quoted ? '"' : '';
        const [got] = read(text.replace('"@1"', `${mark}${start}${mark}`).replace('"@2"', `${mark}${end}${mark}`));
        expect([got?.start, got?.end]).toEqual([start, end]);
      }),
    );
  });

  it.each([
    ['traceId', { traceId: TRACE.slice(1) }],
    ['traceId', { traceId: '0'.repeat(32) }],
    ['traceId', { traceId: `0x${TRACE.slice(2)}` }],
    ['traceId', { traceId: Buffer.from(TRACE, 'hex').toString('base64') }],
    ['spanId', { spanId: `${ID}00` }],
    ['spanId', { spanId: '0'.repeat(16) }],
    ['spanId', { spanId: '' }],
    ['parentSpanId', { parentSpanId: '0'.repeat(16) }],
    ['parentSpanId', { parentSpanId: 'xy'.repeat(8) }],
    ['parentSpanId', { parentSpanId: 7 }],
    ['status', { status: { code: 3 } }],
    ['status', { status: { code: 'ERROR' } }],
    ['status', { status: 2 }],
    ['attributes', { attributes: { 'gen_ai.system': 'x' } }],
    ['attributes', { attributes: ['x'] }],
    ['events', { events: { 0: { name: 'gen_ai.choice' } } }],
    ['attributes', { attributes: [attribute('a', { stringValue: 'x', intValue: '1' })] }],
    ['attributes', { attributes: [attribute('a', { newValue: 'x' })] }],
    ['attributes', { attributes: [attribute('a', { arrayValue: { values: [{ x: 1 }] } })] }],
  ])('keeps a malformed %s for G0', (member, over) => {
    expect(one(over)?.facts.malformed).toEqual([member]);
  });

  it.each([
    ['an absent', {}],
    ['an empty', { parentSpanId: '' }],
    ['a null', { parentSpanId: null }],
  ])('takes a span with %s parent for one without', (_, over) => {
    expect(one(over)?.parentId).toBeNull();
  });

  it.each([
    ['span-malformed', { resourceSpans: {} }],
    ['span-malformed', { resourceSpans: [7] }],
    ['span-malformed', { resourceSpans: [{ scopeSpans: 7 }] }],
    ['span-malformed', { resourceSpans: [{ scopeSpans: [{ spans: { 0: span() } }] }] }],
    ['span-malformed', { resourceSpans: [{ scope_spans: [{ spans: [span()] }] }] }],
    ['span-malformed', { resourceSpans: [{ instrumentationLibrarySpans: [{ spans: [span()] }] }] }],
    ['span-malformed', file([span({ name: undefined })])],
    ['span-malformed', file([span({ spanId: undefined })])],
    ['span-malformed', file([span({ traceId: 5 })])],
    ['span-malformed', file([span({ start_time_unix_nano: '5' })])],
    ['spans-empty', { resourceSpans: [] }],
    ['spans-empty', file([])],
    ['span-attribute-twice', file([span({ attributes: [attribute('a', {}), attribute('a', { stringValue: 'x' })] })])],
    [
      'span-attribute-twice',
      file([
        span({
          attributes: [
            attribute('a', {
              arrayValue: {
                values: [
                  { kvlistValue: { values: [attribute('k', { boolValue: true }), attribute('k', { intValue: 1 })] } },
                ],
              },
            }),
          ],
        }),
      ]),
    ],
    ['span-attribute-twice', file([span()], { attributes: [attribute('a', {}), attribute('a', {})] })],
    ['json-duplicate-key', '{"resourceSpans":[],"resourceSpans":[]}'],
    ['json-depth', `{"resourceSpans":${'['.repeat(1000)}${']'.repeat(1000)}}`],
  ])('refuses with %s', (code, text) => {
    expect(codeOf(() => read(typeof text === 'string' ? text : JSON.stringify(text)))).toMatchObject({
      code,
      blame: 'unreadable',
    });
  });

  it('takes a null or empty value for an absent attribute', () => {
    expect(one({ name: 'x', attributes: [attribute('gen_ai.system', {}), { key: 'llm.model_name' }] })?.role).toBe(
      'other',
    );
    expect(one({ name: 'x', attributes: [attribute('gen_ai.system', { stringValue: 'openai' })] })?.role).toBe('chat');
  });

  it('does not let the values of one span stand for those of another', () => {
    const kinds = ['LLM', 'RETRIEVER', 'no such', 'TOOL', 'nor this', 'LLM'];
    const spans = kinds.map((kind) =>
      span({ name: 'x', attributes: [attribute('openinference.span.kind', { stringValue: kind })] }),
    );
    const listed_ = span({
      name: 'x',
      attributes: [attribute('openinference.span.kind', { arrayValue: { values: [{ stringValue: 'LLM' }] } })],
    });
    const numbered = span({ name: 'x', attributes: [attribute('openinference.span.kind', { intValue: '7' })] });
    const roles = read(JSON.stringify(file([...spans, listed_, numbered, ...spans]))).map(({ role }) => role);
    const expected = ['chat', 'retrieval', 'other', 'tool', 'other', 'chat'];
    expect(roles).toEqual([...expected, 'chat', 'other', ...expected]);
  });

  it('does not take the attributes of the resource for those of its spans', () => {
    const resource = { attributes: [attribute('gen_ai.system', { stringValue: 'openai' })] };
    expect(read(JSON.stringify(file([span({ name: 'x' })], resource)))[0]?.role).toBe('other');
  });

  it.each([
    [{ droppedAttributesCount: 1 }, [{ kind: 'dropped', what: 'attributes', count: '1' }]],
    [{ droppedAttributesCount: '2' }, [{ kind: 'dropped', what: 'attributes', count: '2' }]],
    [{ droppedEventsCount: 3 }, [{ kind: 'dropped', what: 'events', count: '3' }]],
    [{ droppedLinksCount: true }, [{ kind: 'dropped', what: 'links', count: 'boolean' }]],
    [{ droppedAttributesCount: 0 }, undefined],
    [
      { attributes: Array.from({ length: 128 }, (_, i) => attribute(`a${i}`, { boolValue: true })) },
      [{ kind: 'crowded', attributes: 128 }],
    ],
    [{ attributes: Array.from({ length: 127 }, (_, i) => attribute(`a${i}`, { boolValue: true })) }, undefined],
    [{ flags: 0 }, [{ kind: 'unsampled' }]],
    [{ flags: 256 }, [{ kind: 'unsampled' }]],
    [{ flags: 257 }, undefined],
    [{}, undefined],
  ])('returns what was lost when a span says %j', (over, losses) => {
    expect(one(over)?.facts.losses).toEqual(losses);
  });

  it('lets pass flags of an emitter that never fills in whether a span was sampled', () => {
    const resource = { attributes: [attribute('telemetry.sdk.language', { stringValue: 'python' })] };
    expect(read(JSON.stringify(file([span({ flags: 256 })], resource)))[0]?.facts.losses).toBeUndefined();
    expect(read(JSON.stringify(file([span({ flags: 0 })], resource)))[0]?.facts.losses).toEqual([
      { kind: 'unsampled' },
    ]);
  });

  it('reads many objects, a line each or indented, and says on which line a span stands', () => {
    const text = `${JSON.stringify(file([span()]), null, 2)}\n\n${JSON.stringify(file([span(), span()]))}\n`;
    const lines = read(text).map(({ line }) => line);
    const first = text.split('\n').findIndex((line) => line.includes('traceId'));
    const second = text.split('\n').findIndex((line) => line.startsWith('{"resourceSpans'));
    expect(lines).toEqual([first, second + 1, second + 1]);
  });

  it('reads one object of 100,000 spans, indented, in linear time', () => {
    const text = JSON.stringify(file(Array.from({ length: 100_000 }, () => span({ name: 'step' }))), null, 1);
    const spans = read(text);
    expect(spans).toHaveLength(100_000);
    expect(spans.at(-1)?.line).toBeGreaterThan(500_000);
  });

  it('finds the second key among 200,000 attributes', () => {
    const attributes = Array.from({ length: 200_000 }, (_, i) => attribute(`a${i}`, { intValue: i }));
    expect(one({ attributes })?.facts.losses).toEqual([{ kind: 'crowded', attributes: 200_000 }]);
    expect(codeOf(() => one({ attributes: [...attributes, attribute('a7', {})] })).code).toBe('span-attribute-twice');
  });
});
