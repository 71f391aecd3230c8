import { describe, expect, it } from 'vitest';
import { restoreIntegers } from '../../core/contract/restore-integers.js';
import { jsonOf, parseJson } from '../../core/json/index.js';

const restore = (document: string, schema: object) =>
  restoreIntegers(parseJson(Buffer.from(document), { file: 'document' }), jsonOf(schema as never)).text();
const integer = { type: 'integer' };
const of = (properties: object) => ({ type: 'object', properties });

describe('restoreIntegers', () => {
  it.each<[string, string, object, string]>([
    ['a member', '{"n": 3.0}', of({ n: integer }), '{"n": 3}'],
    ['an exponent', '{"n": 1e2, "m": -0.0}', of({ n: integer, m: integer }), '{"n": 100, "m": 0}'],
    ['what a union of types allows', '{"n": 3.0}', of({ n: { type: ['integer', 'null'] } }), '{"n": 3}'],
    ['items of a list', '{"n": [1.0, 2.0]}', of({ n: { items: integer } }), '{"n": [1, 2]}'],
    ['items by their place', '[1.0, 2.0, 3.0]', { items: [integer, {}], additionalItems: integer }, '[1, 2.0, 3]'],
    ['further members', '{"a": 1.0}', { additionalProperties: integer }, '{"a": 1}'],
    [
      'behind a reference',
      '{"n": 1.0}',
      { ...of({ n: { $ref: '#/definitions/a%20b' } }), definitions: { 'a b': integer } },
      '{"n": 1}',
    ],
    ['within combinations', '{"n": 1.0}', { allOf: [{ anyOf: [of({ n: { oneOf: [integer] } })] }] }, '{"n": 1}'],
    [
      'in a circle of references',
      '{"n": 1.0, "next": {"n": 2.0}}',
      {
        $ref: '#/definitions/node',
        definitions: {
          node: {
            allOf: [{ $ref: '#/definitions/node' }],
            ...of({ n: integer, next: { $ref: '#/definitions/node' } }),
          },
        },
      },
      '{"n": 1, "next": {"n": 2}}',
    ],
  ])('returns integers for %s', (_, document, schema, expected) => {
    expect(restore(document, schema)).toBe(expected);
  });

  it.each<[string, string, object]>([
    ['the schema says number', '{"n": 3.0}', of({ n: { type: 'number' } })],
    ['the schema allows both', '{"n": 3.0}', of({ n: { type: ['integer', 'number'] } })],
    ['the schema says nothing', '{"n": 3.0}', {}],
    ['there is a fraction', '{"n": 3.5}', of({ n: integer })],
    ['it is an integer already', '{"n": 3}', of({ n: integer })],
    ['it is a string', '{"n": "3.0"}', of({ n: integer })],
    ['a name is one of every object', '{"__proto__": 3.0, "toString": 1.0}', of({ n: integer })],
  ])('returns the same document when %s', (_, document, schema) => {
    expect(restore(document, schema)).toBe(document);
  });

  it('returns in time when document and schema are as deep as can be read', () => {
    const depth = 990;
    const document = `${'{"a":'.repeat(depth)}1.0${'}'.repeat(depth)}`;
    const schema = { properties: { a: { $ref: '#' } }, type: 'integer' };
    expect(restore(document, schema)).toContain(':1}');
  });
});
