import { describe, expect, it } from 'vitest';
import { classSchemaFaults, classSchemaOf, MAX_CLASS_SCHEMA_BYTES } from '../../core/contract/class-schema.js';
import { type Composable, hashOf, type JsonNode, jsonOf, parseJson } from '../../core/json/index.js';

const INPUT_CLASS = {
  type: 'object',
  required: ['schema_class'],
  properties: { schema_class: { enum: ['Case'] } },
};
const read = (text: string) => parseJson(new TextEncoder().encode(text), { file: 'schema.json' });
const rulesOf = (schema: JsonNode, payload = false) =>
  classSchemaFaults(schema, { name: 'Case', payload }).map(({ rule, pointer }) => `${rule} ${pointer}`);

describe('classSchemaFaults', () => {
  it('returns pointers and places of the schema when it stands within another document', () => {
    const within = read('{"a": [\n  {"required": [], "not":\n    {"$ref": "https://x/y"}}]}').locate('/a/0');
    const faults = within === undefined ? [] : classSchemaFaults(within, { name: 'Case', payload: false });
    const placed = new Map(faults.map(({ pointer, place }) => [pointer, [place?.line, place?.column]]));
    expect([...placed]).toEqual([
      ['', [2, 3]],
      ['/required', [2, 16]],
      ['/not/$ref', [3, 14]],
    ]);
  });

  it.each<[string, Composable, boolean]>([
    ['an input class names itself', INPUT_CLASS, false],
    ['a payload class requires grounded_on', { ...INPUT_CLASS, required: ['grounded_on', 'schema_class'] }, true],
    ['references stay inside', { ...INPUT_CLASS, definitions: { a: {} }, allOf: [{ $ref: '#/definitions/a' }] }, false],
    ['the class stands behind a reference', { $ref: '#/$defs/Case', $defs: { Case: INPUT_CLASS } }, false],
    ['a property is called $ref', { ...INPUT_CLASS, properties: { ...INPUT_CLASS.properties, $ref: {} } }, false],
  ])('returns nothing when %s', (_, schema, payload) => {
    expect(rulesOf(jsonOf(schema), payload)).toEqual([]);
  });

  it.each<[string, Composable, string]>([
    ['it is no object', [], 'type '],
    ['it is a boolean', true, 'type '],
    ['it requires nothing', { properties: INPUT_CLASS.properties }, 'required '],
    ['it does not require schema_class', { ...INPUT_CLASS, required: ['other'] }, 'contains /required'],
    ['it has no properties', { required: ['schema_class'] }, 'required '],
    [
      'schema_class has no enum',
      { ...INPUT_CLASS, properties: { schema_class: {} } },
      'required /properties/schema_class',
    ],
    [
      'schema_class is a constant',
      { ...INPUT_CLASS, properties: { schema_class: { const: 'Case' } } },
      'class-schema-name ',
    ],
    [
      'it has the name of another',
      { ...INPUT_CLASS, properties: { schema_class: { enum: ['Other'] } } },
      'class-schema-name ',
    ],
    [
      'it has two names',
      { ...INPUT_CLASS, properties: { schema_class: { enum: ['Case', 'Other'] } } },
      'maxItems /properties/schema_class/enum',
    ],
    ['it is of another type', { ...INPUT_CLASS, type: 'array' }, 'enum /type'],
    [
      'a reference is remote',
      { ...INPUT_CLASS, not: { $ref: 'https://example.org/s.json' } },
      'class-schema-remote-ref /not/$ref',
    ],
    [
      'a reference leads to the meta-schema',
      { ...INPUT_CLASS, allOf: [{ $ref: 'http://json-schema.org/draft-07/schema#' }] },
      'class-schema-remote-ref /allOf/0/$ref',
    ],
    [
      'a reference leads to a file',
      { ...INPUT_CLASS, allOf: [{ $ref: 'other.json' }] },
      'class-schema-remote-ref /allOf/0/$ref',
    ],
    ['it is asynchronous', { ...INPUT_CLASS, $async: true }, 'class-schema-async /$async'],
    ['the class stands behind a loop', { $ref: '#' }, 'required '],
    [
      'the class stands behind two references that meet',
      { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } },
      'required /a',
    ],
  ])('returns a fault when %s', (_, schema, fault) => {
    expect(rulesOf(jsonOf(schema))).toContain(fault);
  });

  it('returns a fault when a payload class does not require grounded_on', () => {
    expect(rulesOf(jsonOf(INPUT_CLASS), true)).toEqual(['class-schema-grounded-on ']);
  });

  it('returns a fault when a member is called __proto__, which the compiler passes over', () => {
    const schema = read(
      '{"required":["schema_class"],"properties":{"schema_class":{"enum":["Case"]},"__proto__":{"type":"string"}}}',
    );
    expect(rulesOf(schema)).toEqual(['class-schema-reserved-key /properties/__proto__']);
  });

  it('returns one fault in good time when the schema is larger than is read', () => {
    const schema = jsonOf({ ...INPUT_CLASS, description: 'x'.repeat(MAX_CLASS_SCHEMA_BYTES) });
    expect(rulesOf(schema)).toEqual(['class-schema-size ']);
  });

  it('returns in good time when a schema is full of remote references', () => {
    const schema = jsonOf({ ...INPUT_CLASS, allOf: Array.from({ length: 50_000 }, () => ({ $ref: 'http://a' })) });
    expect(rulesOf(schema)).toHaveLength(20);
  });
});

describe('classSchemaOf', () => {
  it('returns the schema of the contract for a core class, whatever an agent declares', () => {
    const declared = { digest: 'f'.repeat(64), schema: jsonOf({}) };
    for (const [name, payload] of [
      ['Message', false],
      ['Reply', true],
    ] as const) {
      const found = classSchemaOf(name, new Map([[name, declared]]));
      expect(found?.digest).toBe(found && hashOf(found.schema, 'dd-json-document-v1'));
      expect(found && classSchemaFaults(found.schema, { name, payload })).toEqual([]);
    }
  });

  it('returns what the agent declares for a class of its own, and nothing for an unknown one', () => {
    const declared = { digest: 'f'.repeat(64), schema: jsonOf(INPUT_CLASS) };
    expect(classSchemaOf('Case', new Map([['Case', declared]]))).toBe(declared);
    expect(classSchemaOf('toString', new Map())).toBeUndefined();
  });
});
