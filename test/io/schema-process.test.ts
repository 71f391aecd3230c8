import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SchemaChecker } from '../../core/contract/ports.js';
import { entryPath } from '../../core/io/entry.js';
import { createSchemaProcess } from '../../core/io/schema-process.js';
import { type Composable, hashOf, type JsonNode, jsonOf, parseJson } from '../../core/json/index.js';

const CASE = { required: ['schema_class'], properties: { schema_class: { enum: ['Case'] } } };
const DOCUMENT = jsonOf({ schema_class: 'Case' });
const classOf = (schema: JsonNode) => ({ schema, digest: hashOf(schema, 'dd-json-document-v1') });
const withProperties = (properties: Composable, more: { readonly [key: string]: Composable } = {}) =>
  classOf(
    jsonOf({
      ...CASE,
      ...more,
      properties: new Map<string, Composable>([
        ['schema_class', { enum: ['Case'] }],
        ['it', properties],
      ]),
    }),
  );
const read = (text: string) => parseJson(new TextEncoder().encode(text), { file: 'document.json' });

let checker: SchemaChecker;
beforeAll(() => {
  checker = createSchemaProcess({ deadlineMs: 1500, memoryMb: 96 });
});
afterAll(() => checker.close());

const verdict = async (schema: Composable, it: string) => {
  const found = await checker.validate({
    schema: withProperties(schema),
    document: read(`{"schema_class":"Case","it":${it}}`),
  });
  return found.kind === 'refused' ? `refused ${found.reason}` : found.kind;
};

describe('createSchemaProcess, honest schemas', () => {
  it.each<[string, Composable, string, string]>([
    ['a string fits', { type: 'string' }, '"x"', 'valid'],
    ['a number is no string', { type: 'string' }, '1', 'invalid'],
    ['an integer is written 3.0', { type: 'integer' }, '3.0', 'valid'],
    ['an enum holds an object in another key order', { enum: [{ a: 1, b: [2] }] }, '{"b":[2],"a":1}', 'valid'],
    ['an enum lacks the object', { enum: [{ a: 1 }] }, '{"a":2}', 'invalid'],
    ['a constant list differs', { const: [1, 2] }, '[2,1]', 'invalid'],
    ['a value brings its own valueOf', { const: { valueOf: 1 } }, '{"valueOf":1}', 'valid'],
    ['a value brings another constructor', { const: { constructor: 'a' } }, '{"constructor":"b"}', 'invalid'],
    ['items repeat', { uniqueItems: true }, '[{"a":1,"b":2},{"b":2,"a":1}]', 'invalid'],
    ['items look alike', { uniqueItems: true }, '[1,"1",[1],{"1":1},null,"null"]', 'valid'],
    ['a required name is inherited', { required: ['toString'] }, '{}', 'invalid'],
    ['a required name is __proto__ and absent', { required: ['__proto__'] }, '{}', 'invalid'],
    ['a required name is __proto__ and present', { required: ['__proto__'] }, '{"__proto__":1}', 'valid'],
    ['a member is called __proto__ and none is allowed', { additionalProperties: false }, '{"__proto__":1}', 'invalid'],
    ['a format is broken', { format: 'date' }, '"2026-02-30"', 'invalid'],
    ['a format is unknown', { format: 'mood' }, '"x"', 'valid'],
    ['a pattern escapes what the u flag forbids', { pattern: '^a\\_b$' }, '"a_b"', 'valid'],
    ['a pattern counts code points', { pattern: '^.$' }, '"\u{1f600}"', 'valid'],
    ['a keyword is unknown', { metamodel_version: '1.7.0' }, '1', 'valid'],
  ])('returns the right verdict when %s', async (_, schema, it, expected) => {
    expect(await verdict(schema, it)).toBe(expected);
  });

  it('returns valid when a recursive class stands behind its reference and names a later draft', async () => {
    const schema = classOf(
      jsonOf({
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $ref: '#/$defs/Case',
        $defs: { Case: { ...CASE, properties: { ...CASE.properties, next: { $ref: '#/$defs/Case' } } } },
      }),
    );
    expect(
      await checker.validate({ schema, document: jsonOf({ schema_class: 'Case', next: { schema_class: 'Case' } }) }),
    ).toEqual({ kind: 'valid' });
    const wrong = await checker.validate({ schema, document: jsonOf({ schema_class: 'Case', next: {} }) });
    expect(wrong.kind === 'invalid' && wrong.faults.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ['required', '/next'],
    ]);
  });
});

describe('createSchemaProcess, schemas that do not compile', () => {
  it.each<[string, Composable]>([
    ['a type is unknown', { type: 'text' }],
    ['a keyword has the wrong shape', { minimum: '5' }],
    ['a subschema is a number', { properties: { a: 5 } }],
    ['an enum is empty', { enum: [] }],
    ['a pattern does not parse', { pattern: '(' }],
    ['a reference leads nowhere', { $ref: '#/definitions/none' }],
    ['a reference leads to the meta-schema', { $ref: 'http://json-schema.org/draft-07/schema#' }],
    ['a reference leads to the network', { $ref: 'http://127.0.0.1:9/s.json' }],
    ['a keyword would restrict by a later draft', { unevaluatedProperties: false }],
    ['a keyword would widen by OpenAPI', { type: 'string', nullable: true }],
    ['a subschema is asynchronous', { $async: true, type: 'string' }],
  ])('returns a refusal when %s', async (_, schema) => {
    const found = await checker.compile(withProperties(schema));
    expect(found).toMatchObject({ kind: 'refused', reason: 'does-not-compile' });
  });

  it('returns a refusal when the whole schema is asynchronous, whose validator would always answer yes', async () => {
    const found = await checker.validate({
      schema: withProperties({ type: 'string' }, { $async: true }),
      document: read('{"schema_class":"Case","it":1}'),
    });
    expect(found).toMatchObject({ kind: 'refused', reason: 'does-not-compile' });
  });
});

describe('createSchemaProcess, hostile schemas', () => {
  it('returns a refusal at the deadline when a pattern backtracks for ever, and works on', async () => {
    expect(await verdict({ pattern: '^(a+)+$' }, `"${'a'.repeat(40)}!"`)).toBe('refused deadline');
    expect(await verdict({ type: 'string' }, '"x"')).toBe('valid');
  });

  it('returns a refusal when a schema calls itself without end', async () => {
    expect(await verdict({ allOf: [{ $ref: '#/properties/it' }] }, '1')).toBe('refused recursion');
  });

  it('returns a refusal when references double at each of forty levels', async () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/definitions/d${i + 1}` }, { $ref: `#/definitions/d${i + 1}` }] },
      ]),
    );
    const schema = withProperties(
      { $ref: '#/definitions/d0' },
      { definitions: { ...definitions, d40: { type: 'string' } } },
    );
    expect(await checker.validate({ schema, document: read('{"schema_class":"Case","it":"x"}') })).toMatchObject({
      kind: 'refused',
    });
    expect(await verdict({ type: 'string' }, '"x"')).toBe('valid');
  });

  it('returns a verdict and keeps the worker when a schema is nested 990 levels deep', async () => {
    let deep: Composable = {};
    const text = `${'{"not":'.repeat(980)}{}${'}'.repeat(980)}`;
    deep = read(text);
    const found = await checker.compile(withProperties(deep));
    expect(['valid', 'refused']).toContain(found.kind);
    expect(await verdict({ type: 'string' }, '"x"')).toBe('valid');
  });

  it('returns a refusal without starting a job when the schema is 100 MB long', async () => {
    const bytes = Buffer.alloc(100 * 1024 * 1024, 'x');
    bytes.write('{"description":"');
    bytes.write('"}', bytes.length - 2);
    const schema = parseJson(bytes, { file: 'big.json' });
    expect(await checker.compile({ schema, digest: '' })).toMatchObject({ kind: 'refused', reason: 'too-large' });
  });

  it('returns a fault when a document is too large to be checked', async () => {
    const document = jsonOf({ schema_class: 'Case', it: 'x'.repeat(33 * 1024 * 1024) });
    const found = await checker.validate({ schema: withProperties({}), document });
    expect(found).toMatchObject({ kind: 'invalid', faults: [{ rule: 'document-size' }] });
  });

  it('returns a refusal when the worker runs out of memory, and works on', async () => {
    const small = createSchemaProcess({ deadlineMs: 20_000, memoryMb: 24 });
    try {
      const document = jsonOf({ schema_class: 'Case', it: Array.from({ length: 400_000 }, (_, i) => ({ i })) });
      const found = await small.validate({
        schema: withProperties({ uniqueItems: true, items: { type: 'string' } }),
        document,
      });
      expect(found).toMatchObject({ kind: 'refused', reason: 'died' });
      expect(await small.validate({ schema: withProperties({}), document: DOCUMENT })).toEqual({ kind: 'valid' });
    } finally {
      await small.close();
    }
  });
});

describe('createSchemaProcess, workers that misbehave', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gate-schema-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const withWorker = async (source: string) => {
    const entry = join(folder, `${source.length}.mjs`);
    writeFileSync(entry, source);
    const odd = createSchemaProcess({ deadlineMs: 100, entry });
    try {
      return await odd.compile(withProperties({}));
    } finally {
      await odd.close();
    }
  };

  it('returns a refusal when the worker never answers, and kills it', async () => {
    const stuck = "process.on('message', () => { for (;;); }); process.send('ready');";
    expect(await withWorker(stuck)).toMatchObject({ kind: 'refused', reason: 'deadline' });
  });

  it('returns a refusal when the worker ends in the middle of a job', async () => {
    const gone = "process.on('message', () => process.exit(7)); process.send('ready');";
    expect(await withWorker(gone)).toMatchObject({ kind: 'refused', reason: 'died' });
  });

  it('returns the verdict when the machine gave no processor time until the deadline was over', async () => {
    const entry = join(folder, 'starved.mjs');
    const jobs = pathToFileURL(entryPath('schema-worker'));
    // It stands still for longer than the deadline in the middle of its first check, and is still at work when it wakes up.
    writeFileSync(
      entry,
      `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const { test } = RegExp.prototype;
      let stops = 0;
      RegExp.prototype.test = function (text) {
        if (text === 'starved') {
          writeFileSync(${JSON.stringify(join(folder, 'times'))}, String((stops += 1)));
          if (stops === 1) {
            spawn('sh', ['-c', \`sleep 1.2; kill -CONT \${process.pid}\`], { stdio: 'ignore' });
            process.kill(process.pid, 'SIGSTOP');
            for (const end = Date.now() + 300; Date.now() < end; );
          }
        }
        return test.call(this, text);
      };
      await import(${JSON.stringify(jobs.href)});`,
    );
    const busy = createSchemaProcess({ deadlineMs: 1000, entry });
    try {
      const schema = withProperties({ pattern: '^starved$' });
      const document = jsonOf({ schema_class: 'Case', it: 'starved' });
      expect(await busy.validate({ schema, document })).toEqual({ kind: 'valid' });
      expect(readFileSync(join(folder, 'times'), 'utf8')).toBe('2');
    } finally {
      await busy.close();
    }
  });

  it('rejects when the worker does not start', async () => {
    await expect(withWorker('process.exit(3);')).rejects.toThrow(/did not start/);
  });

  it('returns every verdict when many jobs are asked for at once', async () => {
    const schema = withProperties({ type: 'integer' });
    const documents = Array.from({ length: 200 }, (_, i) =>
      jsonOf({ schema_class: 'Case', it: i % 2 === 0 ? i : 'odd' }),
    );
    const found = await Promise.all(documents.map((document) => checker.validate({ schema, document })));
    expect(found.map(({ kind }) => kind)).toEqual(documents.map((_, i) => (i % 2 === 0 ? 'valid' : 'invalid')));
  });
});
