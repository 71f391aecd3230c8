// Contract 5, the sentences about the trace: which spans are judged, and how G0 breaks on spans.
import { describe, expect, it } from 'vitest';
import {
  chat,
  envelope,
  INPUT,
  INPUT_HASH,
  judged,
  ms,
  ROOT_ID,
  ref,
  retrieval,
  root,
  span,
  verdict,
} from './make-run.js';

const REF = ref('src:1');
const none = (over = {}) => envelope('none', [INPUT], over);
const reads = (over = {}) => envelope('retrieval', [REF], over);
const FOREIGN = { trace_id: `0x${'b'.repeat(32)}` };
const inTrace = (context: object, id: string) => ({ context: { span_id: `0x${id}`, ...context } });
const below = (id: string) => ({ parent_id: `0x${id}` });

describe('judge, over the shape of a trace', () => {
  it.each([
    {
      title: 'judges a span below spans that are not judged',
      spans: [root('none'), span('execute_tool', '1'), span('anything', '2', below('1')), chat('3', below('2'))],
      is: { rules: ['N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'judges a child that stands before its parent',
      spans: [chat('2', below('1')), span('delegate', '1'), root('none')],
      is: { rules: ['N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'reports G0 alone, without counts, when there is no root',
      spans: [chat('1'), retrieval('2', REF)],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports G0 alone, without counts, when there are two roots',
      spans: [root('none'), root('none', inTrace(FOREIGN, 'f1')), chat('1')],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports G0 alone when the root stands twice under one id',
      spans: [root('none'), root('none'), chat('1')],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'does not take a span of another name, case or operation for a root',
      spans: [
        root('none'),
        span('Invoke_Agent', '1'),
        span('invoke_agent x', '2', { attributes: { 'dd.operation': 'invoke_agent' } }),
      ],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'does not take a span of another name for a model call',
      spans: [
        root('none'),
        span('chat-log', '1'),
        span('chatter', '2'),
        span('constructor', '3'),
        span('__proto__', '4'),
      ],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports an orphan and does not judge it',
      spans: [root('none'), chat('1', below('99'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports a span without a parent and does not judge it',
      spans: [root('none'), chat('1', { parent_id: null })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports a span that is its own parent and does not judge it',
      spans: [root('none'), chat('1', below('1'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports a cycle, ends on it and judges nothing on it or below it',
      spans: [root('none'), chat('1', below('2')), chat('2', below('3')), chat('3', below('1')), chat('4', below('2'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'reports a span of a foreign trace and judges it all the same when it is reached',
      spans: [root('none'), chat('1', inTrace(FOREIGN, '1'))],
      is: { rules: ['G0', 'N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'reports a span of a foreign trace that is not judged',
      spans: [root('none'), span('policy_gate', '1', inTrace(FOREIGN, '1'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'compares trace ids case-sensitively',
      spans: [root('none'), span('delegate', '1', inTrace({ trace_id: `0x${'A'.repeat(32)}` }, '1'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'compares span ids case-sensitively',
      spans: [root('none'), span('delegate', 'ab'), span('delegate', 'AB'), span('delegate', '1', below('aB'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'takes ids without 0x for the same ids',
      spans: [root('none'), span('delegate', '1', { parent_id: ROOT_ID }), chat('2', { parent_id: '1' })],
      is: { rules: ['N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'does not strip 0X',
      spans: [root('none'), span('delegate', '1', { parent_id: `0X${ROOT_ID}` })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'lets the first span of an id hold it, and judges no later one',
      spans: [root('none'), span('delegate', '1'), chat('1')],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'lets a span that is not reached hold its id all the same',
      spans: [root('none'), span('delegate', '1', below('99')), chat('1'), chat('2', below('1'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'walks from the first holder of an id, not from a later one',
      spans: [root('none'), span('delegate', '1'), span('delegate', '1', below('99')), chat('2', below('1'))],
      is: { rules: ['G0', 'N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'lets the root hold its own id when another span has it first',
      spans: [chat(ROOT_ID), root('none'), chat('1')],
      is: { rules: ['G0', 'N1'], retrievals: 0, chats: 1 },
    },
    {
      title: 'finds the same id in two traces doubled',
      spans: [root('none'), span('delegate', '1'), span('delegate', '1', inTrace(FOREIGN, '1'))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'allows the root a parent that is not in the file',
      spans: [root('none', below('99'))],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses the root a parent that is in the file',
      spans: [root('none', below('1')), span('delegate', '1')],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses a root that is its own parent',
      spans: [root('none', below(ROOT_ID))],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses the conductor’s attributes on any other span, whatever their value',
      spans: [root('none'), span('policy_gate', '1', { attributes: { 'dd.outcome': 0 } })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'takes a null attribute for an absent one',
      spans: [
        root('none'),
        span('delegate', '1', { attributes: { 'dd.input_hash': null, 'dd.grounding_mode': null } }),
      ],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'takes null attributes for empty ones',
      spans: [root('none'), span('delegate', '1', { attributes: null })],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'does not take resource attributes for those of the span',
      spans: [root('none'), span('delegate', '1', { resource: { attributes: { 'dd.outcome': 'x' } } })],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses a root without an input hash, and then takes nothing for the input',
      spans: [root('none', {}, { 'dd.input_hash': null })],
      is: { rules: ['G0', 'R2'], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses an input hash that is not a string',
      spans: [root('none', {}, { 'dd.input_hash': 5 })],
      is: { rules: ['G0', 'R2'], retrievals: 0, chats: 0 },
    },
    {
      title: 'does not ask the root for an outcome',
      spans: [root('none', {}, { 'dd.outcome': undefined })],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    ...(['start_time', 'end_time'] as const).flatMap((time) => [
      {
        title: `refuses a root without ${time}`,
        spans: [root('none', { [time]: null })],
        is: { rules: ['G0'], retrievals: 0, chats: 0 },
      },
      {
        title: `allows a span that is not judged to lack ${time}`,
        spans: [root('none'), span('delegate', '1', { [time]: undefined })],
        is: { rules: [], retrievals: 0, chats: 0 },
      },
    ]),
    {
      title: 'refuses a root that ends before it starts',
      spans: [root('none', { start_time: ms(900), end_time: ms(899) })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'allows a span to end in the instant in which it starts, and a child to outlast its parent',
      spans: [root('none', { start_time: ms(1), end_time: ms(1) }), span('delegate', '1')],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
    ...['parent_id', 'attributes', 'status'].map((member) => ({
      title: `refuses a span whose ${member} is of another type`,
      spans: [root('none'), span('delegate', '1', { [member]: [7] })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    })),
    {
      title: 'refuses a root whose parent is of another type',
      spans: [root('none', { parent_id: 7 })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'refuses a status code that is not a string',
      spans: [root('none'), span('delegate', '1', { status: { status_code: 2 } })],
      is: { rules: ['G0'], retrievals: 0, chats: 0 },
    },
    {
      title: 'allows a null or absent status',
      spans: [
        root('none', { status: null }),
        span('delegate', '1', { status: undefined }),
        span('delegate', '2', { status: {} }),
      ],
      is: { rules: [], retrievals: 0, chats: 0 },
    },
  ])('$title', ({ spans, is }) => {
    expect(verdict(judged(spans, none()))).toEqual(is);
  });
});

describe('judge, over the times and names of judged spans in retrieval mode', () => {
  const FETCH = retrieval('1', REF);
  const OK = { rules: [], retrievals: 1, chats: 0 };
  it.each([
    { title: 'passes a plain run', spans: [FETCH], is: OK },
    {
      title: 'refuses a retrieval without a start',
      spans: [retrieval('1', REF, { start_time: null })],
      is: { ...OK, rules: ['G0'] },
    },
    {
      title: 'refuses a retrieval without an end',
      spans: [retrieval('1', REF, { end_time: null })],
      is: { ...OK, rules: ['G0'] },
    },
    {
      title: 'refuses a model call without an end',
      spans: [FETCH, chat('2', { end_time: null })],
      is: { rules: ['G0'], retrievals: 1, chats: 1 },
    },
    {
      title: 'does not judge a model call without a start for G1',
      spans: [chat('2', { start_time: null }), retrieval('1', REF, { start_time: ms(500), end_time: ms(600) })],
      is: { rules: ['G0'], retrievals: 1, chats: 1 },
    },
    {
      title: 'refuses a model call that ends before it starts',
      spans: [FETCH, chat('2', { end_time: ms(299) })],
      is: { rules: ['G0'], retrievals: 1, chats: 1 },
    },
    {
      title: 'refuses a retrieval that lacks its id, counts it, and matches nothing with it',
      spans: [retrieval('1', { ...REF, source_id: null })],
      is: { rules: ['G0', 'G2', 'G3'], retrievals: 1, chats: 0 },
    },
    {
      title: 'refuses a retrieval whose hash is not a string, counts it, and lets G1 stand on it',
      spans: [retrieval('1', { ...REF, content_hash: 7 }), chat('2')],
      is: { rules: ['G0', 'G2', 'G3'], retrievals: 1, chats: 1 },
    },
    {
      title: 'refuses a retrieval without id and hash even when its status is ERROR',
      spans: [FETCH, retrieval('2', { source_id: null, content_hash: null }, { status: { status_code: 'ERROR' } })],
      is: { rules: ['G0'], retrievals: 2, chats: 0 },
    },
    {
      title: 'asks no id and hash of a retrieval that is not reached',
      spans: [FETCH, retrieval('2', { source_id: null, content_hash: null }, below('99'))],
      is: { rules: ['G0'], retrievals: 1, chats: 0 },
    },
  ])('$title', ({ spans, is }) => {
    expect(verdict(judged([root('retrieval'), ...spans], reads()))).toEqual(is);
  });
});

describe('judge, over the modes', () => {
  it.each([
    {
      title: 'reports G0 beside the rules of the envelope’s mode when the root names another',
      at: 'retrieval',
      of: 'none',
      rules: ['G0', 'N1'],
    },
    { title: 'reports G0 beside them when the root names none', at: undefined, of: 'none', rules: ['G0', 'N1'] },
    { title: 'reports G0 beside them when the root names no mode at all', at: 'x', of: 'none', rules: ['G0', 'N1'] },
    { title: 'reports G0 beside them when the root’s mode is not a string', at: 7, of: 'none', rules: ['G0', 'N1'] },
    {
      title: 'reports G0 alone when the envelope’s mode is unknown, even if the root agrees',
      at: 'magic',
      of: 'magic',
      rules: ['G0'],
    },
    { title: 'reports G0 alone when the envelope has no mode', at: 'none', of: undefined, rules: ['G0'] },
    { title: 'reports G0 alone when the envelope’s mode is null', at: 'none', of: null, rules: ['G0'] },
    { title: 'reports G0 alone when the envelope’s mode is another case', at: 'none', of: 'None', rules: ['G0'] },
    {
      title: 'reports G0 alone when the envelope’s mode names a prototype',
      at: 'none',
      of: 'constructor',
      rules: ['G0'],
    },
  ])('$title', ({ at, of, rules }) => {
    const report = judged(
      [root('none', {}, { 'dd.grounding_mode': at }), chat('1')],
      envelope(of ?? null, [INPUT], { grounding_mode: of }),
    );
    expect(verdict(report)).toEqual({ rules, retrievals: 0, chats: 1 });
    expect(report.mode).toBe(of === 'none' ? 'none' : null);
  });

  it('keeps the envelope’s mode in the report when there is no root', () => {
    expect(judged([chat('1')], none()).mode).toBe('none');
  });

  it('compares the hash of the root and not its id alone', () => {
    const report = judged([root('none', {}, { 'dd.input_hash': INPUT_HASH.toUpperCase() })], none());
    expect(report.rules).toEqual(['R2']);
  });
});
