import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../core/json/index.js';
import { compareDocuments, isUnbroken, sameTokens } from '../../core/reverify/same-document.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('sameTokens', () => {
  it.each([
    ['{"a": [1, true]}', '{"a":[1,true]}', true],
    ['{"a": "x y"}', '{"a":"x y"}', true],
    ['{"a": "x y"}', '{"a":"xy"}', false],
    ['{"a": "\\" , "}', '{"a":"\\" , "}', true],
    ['{"a": "\\" , "}', '{"a":"\\", "}', false],
    ['{"a": "\\\\", "b": 1}', '{"a":"\\\\","b":1}', true],
    ['[12]', '[1 2]', false],
    ['[true]', '[tr ue]', false],
    ['12', '1 2', false],
    ['["a"]', '[ "a" ]', true],
    ['[1]', '\t[\r\n1 ]\n', true],
    ['[1]', '[1]]', false],
    ['[1]]', '[1]', false],
    ['[1]', '[1', false],
    ['{"a":1}', '{"a":1.0}', false],
    ['{"a":1}', '{"b":1}', false],
  ])('of %j and %j is %j', (left, right, same) => {
    expect(sameTokens(bytes(left), bytes(right))).toBe(same);
  });

  it('is true only for JSON with the same value, wherever bytes were put in', () => {
    const document = fc.json({ maxDepth: 4 });
    const edit = fc.record({ at: fc.nat(), text: fc.constantFrom(' ', '\n', '\t ', '"', '\\', ',', '0', '{', '') });
    fc.assert(
      fc.property(document, fc.array(edit, { maxLength: 3 }), fc.boolean(), (text, edits, pretty) => {
        const left = pretty ? JSON.stringify(JSON.parse(text), null, 2) : text;
        const right = edits.reduce(
          (one, { at, text: put }) => {
            const place = at % (one.length + 1);
            return one.slice(0, place) + put + one.slice(place);
          },
          JSON.stringify(JSON.parse(text)),
        );
        if (!sameTokens(bytes(left), bytes(right))) return;
        expect(JSON.parse(right)).toEqual(JSON.parse(left));
      }),
      { numRuns: 3000 },
    );
  });

  it('is true for every document without its white space', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(sameTokens(bytes(JSON.stringify(value, null, 2)), bytes(JSON.stringify(value)))).toBe(true);
      }),
    );
  });
});

describe('isUnbroken', () => {
  it.each([
    ['{\n  "a": [\n    1\n  ]\n}\n', '{"a": [1]}', true],
    ['{\n  "a": 1,\n\n \t"b": 2}', '{"a": 1,"b": 2}', true],
    ['{"a": "b:  c"}', '{"a": "b:  c"}', true],
    ['{"a": 1}', '{"a":1}', false],
    ['{"a": "b c"}', '{"a": "bc"}', false],
    ['{\n"a": 1}', '{"a": 1} ', false],
    ['{\n"a": 1}', '{"a": 1', false],
    ['{\n"a": 1\n}', '{"a": 12}', false],
    ['{\n"a": 1', '{"a": 1}', false],
    ['', '', true],
  ])('of %j and %j is %j', (envelope, line, unbroken) => {
    expect(isUnbroken(bytes(envelope), bytes(line))).toBe(unbroken);
  });

  it('is true only for lines with the same tokens, and for every envelope without its line breaks', () => {
    const edit = fc.record({ at: fc.nat(), gone: fc.nat(3), text: fc.constantFrom(' ', '\n', '"', ',', '0', '') });
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.option(edit), (text, change) => {
        const envelope = `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
        const line = envelope.replaceAll(/\n */g, '');
        if (change === null) expect(isUnbroken(bytes(envelope), bytes(line))).toBe(true);
        if (change === null) return;
        const at = change.at % (line.length + 1);
        const altered = bytes(line.slice(0, at) + change.text + line.slice(at + change.gone));
        expect(isUnbroken(bytes(envelope), altered) && !sameTokens(bytes(envelope), altered)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('compareDocuments', () => {
  it.each([
    ['{"a":1,"b":"\\u0041"}', '{"b":"A","a":1}', 'same'],
    ['{"a":1}', '{"a":1.0}', 'differs'],
    ['{"a":null}', '{}', 'differs'],
  ])('of %j and %j is %j', (envelope, line, verdict) => {
    expect(parseJson(bytes(envelope), { file: 'x' }).kind).toBe('object');
    expect(compareDocuments(bytes(envelope), bytes(line))).toBe(verdict);
  });

  it.each(['{"a":1', '{"a":1,"a":1}', '{"a":1 2}', ''])('of a line %j that is no document says why', (line) => {
    expect(compareDocuments(bytes('{"a":12}'), bytes(line))).toEqual({ unreadable: expect.any(String) });
  });
});
