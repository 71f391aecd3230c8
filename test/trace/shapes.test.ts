import { describe, expect, it } from 'vitest';
import { readSpans } from '../../core/trace/index.js';
import { codeOf } from '../support/code-of.js';

const FILE = { file: 'spans' };
const read = (text: string) => readSpans(Buffer.from(text), FILE);
const A = { name: 'chat', context: { trace_id: '0xab', span_id: '0xcd' } };
const C = {
  resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'x', traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }] }] }],
};
const line = (value: object) => JSON.stringify(value);
const printed = (value: object) => JSON.stringify(value, null, 4);

describe('readSpans, of files in different shapes', () => {
  it('reads what a console exporter prints: objects with indents, one behind the other', () => {
    expect(read(`${printed(A)}\n${printed(A)}\n`).map(({ line: at }) => at)).toEqual([1, 8]);
    expect(read(`\n${printed(A)}\r\n\n${line(A)}`)).toHaveLength(2);
  });

  it.each([
    ['json-trailing', `${line(A)}${line(A)}`, 1],
    ['json-trailing', `${printed(A)} x`, 7],
    ['json-trailing', '{} {}', 1],
    ['json-nonfinite', '{\n"a": NaN}', 2],
    ['json-syntax', `${line(A)}\n${line(A).slice(0, -1)}\n${line(A)}`, 2],
    ['json-syntax', `${line(A)}\n${line(A).slice(0, -1)}`, 2],
    ['json-syntax', `${printed(A).slice(0, -2)}`, 6],
    ['json-syntax', `[${line(A)},\n`, 2],
    ['spans-mixed', `${line(A)}\n${line(C)}`, 2],
    ['spans-mixed', `${line(C)}\n${line(A)}`, 2],
    ['spans-mixed', line({ ...A, ...C }), 1],
    ['spans-mixed', line({ ...A, traceId: 'ab' }), 1],
    ['spans-mixed', line({ ...C, traceId: 'ab' }), 1],
    ['spans-shape', line({ traceId: 'ab', id: 'cd', name: 'chat', kind: 0, timestamp: 1 }), 1],
    ['spans-shape', line({ resource_spans: [] }), 1],
    ['spans-shape', line({ scopeSpans: [] }), 1],
    ['spans-shape', line({ traceId: 'ab', spanId: 'cd', name: 'chat' }), 1],
    ['spans-shape', line({ resourceMetrics: [] }), 1],
    ['spans-shape', line({ data: [{ traceID: 'ab', spans: [] }] }), 1],
    ['spans-shape', line({ foo: 1 }), 1],
    ['spans-shape', '{}', 1],
    ['spans-shape', `${line(A)}\n${line({ constructor: 1, __proto__: null })}`, 2],
    ['span-malformed', `[${line(A)}]`, 1],
  ])('refuses with %s: %s', (code, text, at) => {
    expect(codeOf(() => read(text))).toMatchObject({ code, blame: 'unreadable', line: at });
  });

  it('names the shape that it refuses, or its members', () => {
    const message = (value: object) => {
      try {
        return read(line(value));
      } catch (error) {
        return String(error);
      }
    };
    expect(message({ traceId: 'ab', id: 'cd' })).toContain('JavaScript');
    expect(message({ foo: 1, bar: 2 })).toContain('"foo", "bar"');
  });

  it.each([
    [{ dropped_attributes: 2 }, 'dropped'],
    [{ dropped_events_count: '1' }, 'dropped'],
    [{ context: { ...A.context, trace_flags: '00' } }, 'unsampled'],
    [{ context: { ...A.context, trace_flags: 0 } }, 'unsampled'],
    [{ context: { ...A.context, trace_flags: '0x02' } }, 'unsampled'],
    [{ context: { ...A.context, trace_flags: {} } }, 'unsampled'],
    [{ context: { ...A.context, trace_flags: '01' } }, undefined],
    [{ context: { ...A.context, trace_flags: 3 } }, undefined],
    [{ dropped_attributes: 0, dropped_links: null }, undefined],
  ])('returns what was lost when a span of contract 4 says %j', (over, kind) => {
    expect(read(line({ ...A, ...over }))[0]?.facts.losses?.[0]?.kind).toBe(kind);
  });

  it('classifies spans of like keys by what each says, in any order', () => {
    const spans = Array.from({ length: 200 }, (_, i) => {
      const kind = ['LLM', 'RETRIEVER', 'TOOL', 'CHAIN', null, 7, ['LLM'], 'no such'][i % 8];
      return { ...A, name: i % 3 === 0 ? 'a' : 'b', attributes: { 'openinference.span.kind': kind, note: String(i) } };
    });
    const roles = read(spans.map(line).join('\n')).map(({ role }) => role);
    const expected = ['chat', 'retrieval', 'tool', 'chain', 'other', 'other', 'chat', 'other'];
    expect(roles).toEqual(spans.map((_, i) => expected[i % 8]));
  });

  it('does not let the texts of one span stand for those of another', () => {
    const of = (name: string, one: string, other: string) =>
      line({ ...A, name, attributes: { 'openinference.span.kind': one, 'langsmith.span.kind': other } });
    const lines = [
      of('x', 'LLM', 'llm'),
      of('3:LLMx', 'no', 'llm'),
      of('x', 'no', 'no'),
      of('', 'no', 'no'),
      of('?x', 'LLM', 'no'),
    ];
    expect(read(lines.join('\n')).map(({ role }) => role)).toEqual(['chat', 'chat', 'other', 'other', 'chat']);
  });
});
