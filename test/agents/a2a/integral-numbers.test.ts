import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberLostOnTheWire, withIntegralNumbers } from '../../../core/agents/a2a/integral-numbers.js';
import { hashOf, jsonOf, parseJson } from '../../../core/json/index.js';
import { throughStruct } from '../../interop/reference/python.js';

const node = (text: string) => parseJson(Buffer.from(text), { file: 'document' });

describe('withIntegralNumbers', () => {
  it.each([
    ['{"a": 1.0, "b": [2.0, -3.0]}', '{"a": 1, "b": [2, -3]}'],
    ['1e2', '100'],
    ['-0.0', '0'],
    ['1e+20', '100000000000000000000'],
    ['[1.5, 1e-5, 5e-324, "1.0", "\\"1.0", "a\\\\", 2.0]', '[1.5, 1e-5, 5e-324, "1.0", "\\"1.0", "a\\\\", 2]'],
    ['{"1.0": 1.0}', '{"1.0": 1}'],
  ])('returns %s as %s', (text, expected) => {
    expect(withIntegralNumbers(node(text)).text()).toBe(expected);
  });

  it('returns a part of a document when it is given one', () => {
    const part = node('{"other": 1.0, "content": {"n": 2.0}}').get('content');
    expect(part && withIntegralNumbers(part).text()).toBe('{"n": 2}');
  });

  it('returns what hashes as the original for everything of safe integers and fractions that crossed a Struct', () => {
    const number = fc.oneof(
      fc.integer(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
        .filter((one) => !Number.isInteger(one)),
    );
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        number,
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    })).tree;
    fc.assert(
      fc.property(value, (one) => {
        const original = jsonOf({ one } as never);
        const crossed = node(throughStruct({ one } as never));
        expect(hashOf(withIntegralNumbers(crossed), 'dd-json-document-v1')).toBe(
          hashOf(original, 'dd-json-document-v1'),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('numberLostOnTheWire', () => {
  it.each([
    ['{"a": [1, {"b": 1.0}]}', '1.0'],
    ['[9007199254740993]', '9007199254740993'],
    ['[-9007199254740992]', '-9007199254740992'],
    ['1e3', '1e3'],
    ['-0.0', '-0.0'],
  ])('returns the number of %s', (text, lost) => {
    expect(numberLostOnTheWire(node(text))).toBe(lost);
  });

  it.each(['{}', '[1, -2, 0, 9007199254740991]', '[0.1, 1e-7]', '["1.0", "9007199254740993"]', '{"1.0": "x"}'])(
    'returns nothing for %s',
    (text) => {
      expect(numberLostOnTheWire(node(text))).toBeUndefined();
    },
  );
});
