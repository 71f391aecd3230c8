import { describe, expect, it } from 'vitest';
import { parseSpecification } from '../../core/agents/parse-specification.js';
import { type Composable, hashOf, jsonOf, parseJson } from '../../core/json/index.js';

type Members = Record<string, Composable | undefined>;

const schemaOf = (name: string, more: Members = {}): Members => ({
  required: ['schema_class', 'grounded_on'],
  properties: { schema_class: { enum: [name] } },
  ...more,
});

const withDigest = (schema: Members): Members => ({
  digest: hashOf(jsonOf(schema), 'dd-json-document-v1'),
  json_schema: schema,
});

const sound: Members = {
  agent_id: 'a.b',
  version: '0.1.0',
  description: 'What it does.',
  action_class: 'advise',
  accepts: ['Question', 'Message'],
  grounding_mode: 'input_only',
  payload: 'Answer',
  derivations: {
    text: { how: 'model', recorded_in: null },
    'parts.note': { how: 'lexical', recorded_in: 'note_derivation' },
  },
  contract_version: '0.7.0',
  schemas: { Question: withDigest(schemaOf('Question')), Answer: withDigest(schemaOf('Answer')) },
};

const faultsOf = (changes: Members): unknown => {
  try {
    parseSpecification(jsonOf({ ...sound, ...changes }), { label: 'a.b' });
    return null;
  } catch (error) {
    return error;
  }
};

const answerSchema = (schema: Members): Members => ({
  schemas: { Question: withDigest(schemaOf('Question')), Answer: withDigest(schema) },
});

describe('parseSpecification', () => {
  it('returns the narrowed specification when it is sound', () => {
    const specification = parseSpecification(jsonOf(sound), { label: 'a.b' });
    expect(specification).toMatchObject({
      agentId: 'a.b',
      accepts: ['Question', 'Message'],
      groundingMode: 'input_only',
    });
    expect(specification.derivations.get('parts.note')).toEqual({ how: 'lexical', recordedIn: 'note_derivation' });
    expect(specification.schemas.get('Answer')?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([{ payload: null }, { payload: 'Reply' }, { contract_version: '0.7.9' }, { derivations: undefined }])(
    'accepts %j',
    (changes) => {
      expect(faultsOf(changes)).toBeNull();
    },
  );

  it.each<[string, Members]>([
    ['no grounding mode', { grounding_mode: undefined }],
    ['a null grounding mode', { grounding_mode: null }],
    ['an unknown grounding mode', { grounding_mode: 'Retrieval' }],
    ['no agent id', { agent_id: undefined }],
    ['an empty agent id', { agent_id: '' }],
    ['a number as action class', { action_class: 1 }],
    ['a version with leading zeros', { version: '1.02.0' }],
    ['a version of two numbers', { version: '1.0' }],
    ['nothing accepted', { accepts: [] }],
    ['a class accepted twice', { accepts: ['Question', 'Question'] }],
    ['a number among the classes', { accepts: ['Question', 1] }],
    ['no payload', { payload: undefined }],
    ['an unknown key', { acting_for: 'x' }],
    ['a key named __proto__', { ['__proto__']: 'x' }],
    ['a contract of another minor version', { contract_version: '0.8.0' }],
    ['a contract of another major version', { contract_version: '1.7.0' }],
    ['an unknown derivation', { derivations: { text: { how: 'guess', recorded_in: null } } }],
    ['a derivation with another key', { derivations: { text: { how: 'model', recorded_in: null, by: 'x' } } }],
    ['a class without a schema', { accepts: ['Question', 'toString'] }],
    [
      'a digest of another schema',
      {
        schemas: {
          Question: withDigest(schemaOf('Question')),
          Answer: { ...withDigest(schemaOf('Answer')), digest: '0'.repeat(64) },
        },
      },
    ],
    ['a schema that is a string', answerSchema('x' as never)],
    [
      'a payload schema that does not require grounded_on',
      answerSchema(schemaOf('Answer', { required: ['schema_class'] })),
    ],
    ['a schema that does not require schema_class', answerSchema(schemaOf('Answer', { required: ['grounded_on'] }))],
    ['a schema of another class', answerSchema(schemaOf('Other'))],
    [
      'a schema with two class names',
      answerSchema(schemaOf('Answer', { properties: { schema_class: { enum: ['Answer', 'Other'] } } })),
    ],
    [
      'a schema with a remote reference',
      answerSchema(schemaOf('Answer', { allOf: [{ $ref: 'https://example.org/schema' }] })),
    ],
    [
      'a schema with a relative reference',
      answerSchema(schemaOf('Answer', { definitions: { a: { $ref: 'other.json#/x' } } })),
    ],
  ])('throws when it has %s', (_, changes) => {
    expect(faultsOf(changes)).toMatchObject({ code: 'agent-specification', blame: 'configuration' });
  });

  it('names every fault of its shape at once when there are several', () => {
    const { message } = faultsOf({ grounding_mode: undefined, version: 'x', extra: 1 }) as Error;
    for (const name of ['grounding_mode', 'version', 'extra']) expect(message).toContain(name);
  });

  it('takes the core class from the contract when an agent brings one of its own', () => {
    const message = withDigest({ ...schemaOf('Message'), required: ['schema_class'] });
    expect(faultsOf({ schemas: { ...(sound['schemas'] as Members), Message: message } })).toBeNull();
  });

  it.each(['null', '[]', '"x"', '{}'])('throws when it is %s', (text) => {
    expect(() => parseSpecification(parseJson(Buffer.from(text), { file: 'x' }), { label: 'x' })).toThrowError(
      expect.objectContaining({ code: 'agent-specification' }),
    );
  });

  it.each<[string, Members, string]>([
    ['a payload class that does not require grounded_on', schemaOf('Answer', { required: ['schema_class'] }), ''],
    ['a class of another name', schemaOf('Other'), ''],
    [
      'a $ref at the top',
      { $ref: '#/$defs/a', $defs: { a: { properties: { schema_class: { enum: ['Answer'] } } } } },
      '/$defs/a',
    ],
    ['an asynchronous schema', schemaOf('Answer', { $async: true }), '/$async'],
    ['a reference that leaves it', schemaOf('Answer', { not: { $ref: 'https://x/y' } }), '/not/$ref'],
  ])('says once where the fault stands when the specification has %s', (_, schema, pointer) => {
    const message = String((faultsOf(answerSchema(schema)) as Error).message);
    const pointers = message.match(/(?<=[:;] )\/[^\s:]*/g);
    expect(new Set(pointers)).toEqual(new Set([`/schemas/Answer/json_schema${pointer}`]));
  });
});
