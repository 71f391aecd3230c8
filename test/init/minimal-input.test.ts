import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { draftInput } from '../../core/init/index.js';
import { type Composable, composeJson, jsonOf } from '../../core/json/index.js';

const CLASS = { schema_class: { enum: ['Wish'] } };
const plain = (input: Composable): unknown => JSON.parse(Buffer.from(composeJson(input)).toString('utf8'));

function draft(members: { readonly [key: string]: Composable }, required: readonly string[] = Object.keys(members)) {
  const schema = { type: 'object', required: ['schema_class', ...required], properties: { ...CLASS, ...members } };
  const { kind, input } = draftInput(jsonOf(schema), 'Wish');
  return {
    kind,
    input: plain(input),
    fits: new Ajv({ strict: false, validateFormats: false }).validate(schema, plain(input)),
  };
}

describe('an input that fits the class', () => {
  test.each<[string, { readonly [key: string]: Composable }]>([
    ['nothing', {}],
    ['texts', { a: { type: 'string' }, b: { type: 'string', minLength: 30 }, c: { type: 'string', format: 'date' } }],
    ['numbers', { a: { type: 'integer' }, b: { type: 'number', minimum: 2.5 }, c: { type: 'integer', maximum: -3 } }],
    ['others', { a: { type: 'boolean' }, b: { type: 'null' }, c: { enum: ['x', 'y'] }, d: { const: { z: 1 } } }],
    ['lists', { a: { type: 'array' }, b: { type: 'array', minItems: 2, items: { type: 'string' } } }],
    [
      'objects',
      { a: { type: 'object', required: ['b'], properties: { b: { type: 'string' }, c: { type: 'string' } } } },
    ],
    ['examples', { a: { type: 'string', pattern: '^rec:', examples: ['rec:1'] }, b: { type: 'string', default: 'd' } }],
    ['choices', { a: { oneOf: [{ type: 'integer' }, { type: 'string' }] }, b: { type: ['string', 'null'] } }],
  ])('is returned where it requires %s', (_what, members) => {
    expect(draft(members)).toMatchObject({ kind: 'complete', fits: true });
  });

  test('is returned where parts are referred to, and leaves out what is not required', () => {
    const schema = jsonOf({
      type: 'object',
      required: ['schema_class', 'a'],
      properties: { ...CLASS, a: { $ref: '#/definitions/name' }, more: { type: 'string' } },
      definitions: { name: { type: 'string', minLength: 1 } },
    });
    expect(plain(draftInput(schema, 'Wish').input)).toEqual({ schema_class: 'Wish', a: 'example' });
  });

  test("is the class's own example where it has one", () => {
    const example = { schema_class: 'Wish', a: 'rec:7' };
    const schema = jsonOf({ type: 'object', required: ['schema_class', 'a'], properties: CLASS, examples: [example] });
    expect(draftInput(schema, 'Wish')).toMatchObject({ kind: 'complete' });
    expect(plain(draftInput(schema, 'Wish').input)).toEqual(example);
  });
});

test.each<[string, { readonly [key: string]: Composable }]>([
  ['a pattern', { a: { type: 'string', pattern: '^rec:' } }],
  ['a format that is not known', { a: { type: 'string', format: 'iban' } }],
  ['a list of unknown things', { a: { type: 'array', minItems: 1 } }],
  ['anything at all', { a: {} }],
])('returns a template that says what to fill in where the class requires %s', (_what, members) => {
  const { kind, input } = draft(members);
  expect(kind).toBe('template');
  expect(JSON.stringify(input)).toContain('FILL IN: ');
});

test('ends on a class that refers to itself', () => {
  const schema = jsonOf({
    type: 'object',
    required: ['schema_class', 'next'],
    properties: { ...CLASS, next: { $ref: '#' }, a: { $ref: '#/nowhere' } },
  });
  expect(draftInput(schema, 'Wish').kind).toBe('template');
});
