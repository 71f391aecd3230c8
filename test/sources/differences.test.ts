import { expect, test } from 'vitest';
import { jsonOf, parseJson } from '../../core/json/index.js';
import { differencesText } from '../../core/sources/differences.js';

const WHOLE = 'dd-json-document-v1';
const read = (text: string) => parseJson(Buffer.from(text), { file: 'record' });
const told = (content: unknown, record: string, canonicalisation = WHOLE) =>
  differencesText(jsonOf({ content } as never), { record: read(record), canonicalisation });

test('names the members that differ, also those that one side lacks', () => {
  expect(told({ a: 1, b: 2 }, '{"a":1,"b":3}')).toContain('"b"');
  expect(told({ a: 1, b: 2 }, '{"a":1,"b":3}')).not.toContain('"a"');
  expect(told({ a: 1 }, '{"a":1,"c":null}')).toContain('"c"');
  expect(told({ a: 1, d: 1 }, '{"a":1}')).toContain('"d"');
});

test('tells a number whose text was lost on the way, the likeliest honest mistake', () => {
  expect(
    differencesText(read('{"content":{"height":30}}'), { record: read('{"height":30.0}'), canonicalisation: WHOLE }),
  ).toContain('"height"');
});

test('names three members and counts the others', () => {
  const text = told({}, '{"a":1,"b":1,"c":1,"d":1,"e":1}');
  expect(text).toContain('"a", "b", "c" and 2 more');
});

test('says nothing without content, for content that agrees, or past a thousand members', () => {
  expect(differencesText(read('{}'), { record: read('{"a":1}'), canonicalisation: WHOLE })).toBe('');
  expect(told({ a: 1 }, '{"a":1}')).toBe('');
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, i]));
  expect(told(many, '{"a":1}')).toBe('');
  expect(told({ a: 1 }, JSON.stringify(many))).toBe('');
});

test('compares as the canonicalisation sees both: order of lists and members that it drops do not differ', () => {
  const record = '{"subjects":["b","a"],"status":"ready","extra":1}';
  expect(told({ subjects: ['a', 'b'], status: 'ready' }, record, 'json-sorted-utf8-v1')).toBe('');
  expect(told({ subjects: ['a', 'b'], status: 'deprecated' }, record, 'json-sorted-utf8-v1')).toContain('"status"');
  expect(told({ subjects: [1] }, record, 'json-sorted-utf8-v1')).toContain('6 more');
});

test('hashes a record once, however many items cite it', () => {
  const record = read(JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, i]))));
  const item = jsonOf({ content: { k1: 2 } });
  const started = performance.now();
  for (let i = 0; i < 1000; i++) differencesText(item, { record, canonicalisation: WHOLE });
  expect(performance.now() - started).toBeLessThan(5000);
});
