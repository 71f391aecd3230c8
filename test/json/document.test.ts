import { describe, expect, it } from 'vitest';
import {
  byCodePoint,
  canonicalBytes,
  composeJson,
  hashOf,
  isCanonicalisation,
  type JsonNode,
  parseJson,
  parseJsonLines,
  registerCanonicalisation,
} from '../../core/json/index.js';
import { pythonFloat } from '../../core/json/number.js';
import { GateError } from '../../core/model/errors.js';

const read = (source: string | Uint8Array): JsonNode =>
  parseJson(typeof source === 'string' ? Buffer.from(source, 'utf8') : source, { file: 'doc.json' });

function refusalOf(work: () => unknown): { code: string; line: number | undefined; column: number | undefined } {
  try {
    work();
  } catch (error) {
    if (error instanceof GateError) return { code: error.code, line: error.place?.line, column: error.place?.column };
    throw error;
  }
  throw new Error('was read');
}

describe('the strict reader', () => {
  const refused: [string, string | Uint8Array, { code: string; line: number; column: number }][] = [
    ['nothing', '', { code: 'json-empty', line: 1, column: 1 }],
    ['white space', ' \n\t', { code: 'json-empty', line: 2, column: 2 }],
    ['a byte order mark', '\ufeff{}', { code: 'json-encoding', line: 1, column: 1 }],
    ['UTF-16 with a mark', Buffer.from('\ufeff{}', 'utf16le'), { code: 'json-encoding', line: 1, column: 1 }],
    [
      'invalid UTF-8 on line 2',
      Buffer.from([0x5b, 0x0a, 0x22, 0xc3, 0x28, 0x22, 0x5d]),
      { code: 'json-encoding', line: 2, column: 2 },
    ],
    ['NaN', '[\n NaN]', { code: 'json-nonfinite', line: 2, column: 2 }],
    ['Infinity', '[Infinity]', { code: 'json-nonfinite', line: 1, column: 2 }],
    ['-Infinity', '[-Infinity]', { code: 'json-nonfinite', line: 1, column: 2 }],
    ['1e400', '{"a": 1e400}', { code: 'json-nonfinite', line: 1, column: 7 }],
    ['400 digits with a point', `[${'9'.repeat(400)}.0]`, { code: 'json-nonfinite', line: 1, column: 2 }],
    ['an integer of 4,301 digits', `[${'9'.repeat(4301)}]`, { code: 'json-long-integer', line: 1, column: 2 }],
    ['a lone low surrogate', '["\\udc00"]', { code: 'json-lone-surrogate', line: 1, column: 3 }],
    ['a lone high surrogate', '["\\ud800x"]', { code: 'json-lone-surrogate', line: 1, column: 3 }],
    ['two high surrogates', '["\\ud800\\ud800"]', { code: 'json-lone-surrogate', line: 1, column: 3 }],
    ['trailing data', '{} {}', { code: 'json-trailing', line: 1, column: 4 }],
    ['a duplicate key', '{"a":1,\n"a":1}', { code: 'json-duplicate-key', line: 2, column: 1 }],
    ['an escaped duplicate key', '{"b":0,"a":1,"\\u0061":1}', { code: 'json-duplicate-key', line: 1, column: 14 }],
    ['a deep duplicate key', '{"z":[{"y":{"k":1,"j":2,"k":3}}]}', { code: 'json-duplicate-key', line: 1, column: 25 }],
    ['a duplicate __proto__', '{"__proto__":1,"__proto__":2}', { code: 'json-duplicate-key', line: 1, column: 16 }],
    ['1,001 levels', `${'['.repeat(1001)}${']'.repeat(1001)}`, { code: 'json-depth', line: 1, column: 1001 }],
    ['100,000 levels', '['.repeat(100_000), { code: 'json-depth', line: 1, column: 1001 }],
    ['a cut string', '["abc', { code: 'json-syntax', line: 1, column: 6 }],
    ['a cut escape', '["\\u12', { code: 'json-syntax', line: 1, column: 3 }],
    ['a raw line feed in a string', '["a\nb"]', { code: 'json-syntax', line: 1, column: 4 }],
    ['a mixed close', '{"a":[1}', { code: 'json-syntax', line: 1, column: 8 }],
    ['a trailing comma', '[1,]', { code: 'json-syntax', line: 1, column: 4 }],
    ['a leading comma', '[,1]', { code: 'json-syntax', line: 1, column: 2 }],
    ['a comma in an empty object', '{,}', { code: 'json-syntax', line: 1, column: 2 }],
    ['a comment', '{} // x', { code: 'json-trailing', line: 1, column: 4 }],
    ['a column in UTF-16 units', '["😀", x]', { code: 'json-syntax', line: 1, column: 8 }],
  ];
  it.each(refused)('refuses %s', (_name, source, where) => {
    expect(refusalOf(() => read(source))).toEqual(where);
  });

  it('finds a duplicate among many keys in linear time, whatever the order', () => {
    const keys = Array.from({ length: 200_000 }, (_, i) => `"k${(i * 7919) % 200_000}":0`);
    const started = performance.now();
    expect(read(`{${keys.join()}}`).size).toBe(200_000);
    expect(refusalOf(() => read(`{${keys.join()},"k5":1}`)).code).toBe('json-duplicate-key');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('reads 1,000 levels, a 4,300-digit integer and an exponent that underflows', () => {
    expect(read(`${'['.repeat(1000)}${']'.repeat(1000)}`).kind).toBe('array');
    expect(read('9'.repeat(4300)).lexeme()?.length).toBe(4300);
    expect(read('1e-400').lexeme()).toBe('1e-400');
  });
});

describe('JsonNode', () => {
  it('treats __proto__, constructor and toString as ordinary keys', () => {
    const node = read('{"__proto__":{"x":1},"a":{}}');
    expect(node.get('__proto__')?.get('x')?.integer()).toBe(1);
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(node.get('a')?.get(key)).toBeUndefined();
    const plain = node.toPlain() as Record<string, unknown>;
    expect(Object.getPrototypeOf(plain)).toBeNull();
    expect(Object.keys(plain)).toEqual(['__proto__', 'a']);
  });

  it('finds keys whether they are escaped, non-ASCII or prefixes of each other', () => {
    const node = read('{"a":1,"ab":2,"\\u00e9":3,"ключ":4,"é2":5,"":6}');
    expect(['a', 'ab', 'é', 'ключ', 'é2', ''].map((key) => node.get(key)?.integer())).toEqual([1, 2, 3, 4, 5, 6]);
    expect(node.get('abc')).toBeUndefined();
    expect(node.get('кл')).toBeUndefined();
  });

  it('keeps number lexemes and names integers only when a double holds them', () => {
    const node = read('[1.0, 1e2, 9007199254740993, -0, 12]');
    expect(node.items().map((item) => item.lexeme())).toEqual(['1.0', '1e2', '9007199254740993', '-0', '12']);
    expect(node.items().map((item) => item.integer())).toEqual([undefined, undefined, undefined, -0, 12]);
  });

  it('gives place and pointer of any value, and finds it again by the pointer', () => {
    const node = read('{\n  "a/b": [1, {"~": "x"}],\n  "é": [[], {"k": 1}, true]\n}');
    const visit = (at: JsonNode): JsonNode[] => [
      at,
      ...at.items().flatMap(visit),
      ...at.entries().flatMap(([, value]) => visit(value)),
    ];
    for (const value of visit(node)) expect(node.locate(value.pointer())?.index).toBe(value.index);
    expect(node.locate('/a~1b/1/~0')?.place()).toEqual({ file: 'doc.json', line: 2, column: 20 });
    expect(node.locate('/é/2')?.place()).toEqual({ file: 'doc.json', line: 3, column: 23 });
    for (const pointer of ['/a~1b/2', '/a~1b/01', '/a~1b/-', 'x', '/nothing'])
      expect(node.locate(pointer)).toBeUndefined();
  });

  it('tells a null member from a present one', () => {
    const node = read('{"a":null,"b":false}');
    expect([node.has('a'), node.present('a'), node.present('b')?.boolean()]).toEqual([true, undefined, false]);
  });
});

describe('parseJsonLines', () => {
  it('splits on U+000A only, skips blank lines and counts every line', () => {
    const source = Buffer.from('{"a":"x\u2028y"}\r\n\n  \n{"b":\u00201}', 'utf8');
    const nodes = [...parseJsonLines(source, { file: 'lines.jsonl' })];
    expect(nodes.map((node) => node.place().line)).toEqual([1, 4]);
    expect(nodes[1]?.get('b')?.place()).toEqual({ file: 'lines.jsonl', line: 4, column: 7 });
  });
  it('refuses a document that runs over a line end, naming the line', () => {
    expect(refusalOf(() => [...parseJsonLines(Buffer.from('{}\n{"a":\n1}'), { file: 'l' })])).toEqual({
      code: 'json-syntax',
      line: 2,
      column: 6,
    });
  });
});

describe('numbers in canonical bytes', () => {
  // Python's json.dumps of the same literals.
  const table: [string, string][] = [
    ['1.0', '1.0'],
    ['1e2', '100.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['0e5', '0.0'],
    ['1e16', '1e+16'],
    ['1e15', '1000000000000000.0'],
    ['1e-7', '1e-07'],
    ['1e-4', '0.0001'],
    ['0.00001', '1e-05'],
    ['1e22', '1e+22'],
    ['100000000000000000000.0', '1e+20'],
    ['12345678901234567890', '12345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.0', '9007199254740992.0'],
    ['3.0e0', '3.0'],
    ['1.5e300', '1.5e+300'],
    ['5e-324', '5e-324'],
    ['1E+2', '100.0'],
    ['123456789012345678.0', '1.2345678901234568e+17'],
    ['0.1', '0.1'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['-1e-10', '-1e-10'],
    ['1e-400', '0.0'],
    ['-1e-400', '-0.0'],
  ];
  it.each(table)('writes %s as %s', (literal, written) => {
    expect(Buffer.from(canonicalBytes(read(literal), 'dd-json-document-v1')).toString()).toBe(written);
  });
  it('always gives a text that reads back as the same double', () => {
    for (let e = -324; e <= 308; e++)
      for (const m of ['1', '1.5', '9.999999999999999']) {
        const value = Number(`${m}e${e}`);
        if (Number.isFinite(value)) expect(Number(pythonFloat(value))).toBe(value);
      }
  });
});

describe('canonicalisations', () => {
  it('order keys by code point, not by UTF-16 unit', () => {
    expect(
      Buffer.from(canonicalBytes(read('{"\u{1d49f}":1,"\uffff":2,"z":3}'), 'dd-json-document-v1')).toString(),
    ).toBe('{"z":3,"\uffff":2,"\u{1d49f}":1}');
    expect(['\u{1d49f}', '\uffff', '\ue000', 'a', 'ab', ''].sort(byCodePoint)).toEqual([
      '',
      'a',
      'ab',
      '\ue000',
      '\uffff',
      '\u{1d49f}',
    ]);
  });
  it('project a FAIRsharing record once and for all', () => {
    const record = read('{"subjects":["b","\u{1d49f}","\uffff","a"],"name":null,"extra":1,"status":1.0,"domains":[]}');
    const bytes = canonicalBytes(record, 'json-sorted-utf8-v1');
    expect(Buffer.from(bytes).toString()).toBe(
      '{"abbreviation":null,"description":null,"doi":null,"domains":[],"fairsharing_id":null,"name":null,"record_type":null,"status":1.0,"subjects":["a","b","\uffff","\u{1d49f}"]}',
    );
    expect(Buffer.from(canonicalBytes(parseJson(bytes, { file: 'again' }), 'json-sorted-utf8-v1'))).toEqual(
      Buffer.from(bytes),
    );
  });
  it.each([
    ['a list item that is a number', '{"subjects":[1]}'],
    ['a list item that is null', '{"name":[null]}'],
    ['an array', '[]'],
    ['a string', '"x"'],
  ])('refuse %s under json-sorted-utf8-v1', (_name, source) => {
    expect(refusalOf(() => hashOf(read(source), 'json-sorted-utf8-v1')).code).toBe('projection-refused');
  });
  it.each(['', '__proto__', 'toString', 'dd-input-json-v2'])('refuse the unknown name %j', (name) => {
    expect(refusalOf(() => hashOf(read('{}'), name)).code).toBe('canonicalisation-unknown');
  });
  it('can be added once, by the user of the library', () => {
    registerCanonicalisation('test-title-only-v1', (record) => ({ title: record.get('title') ?? null }));
    expect(isCanonicalisation('test-title-only-v1')).toBe(true);
    expect(Buffer.from(canonicalBytes(read('{"b":1,"title":1e2}'), 'test-title-only-v1')).toString()).toBe(
      '{"title":100.0}',
    );
    expect(refusalOf(() => registerCanonicalisation('test-title-only-v1', (record) => record)).code).toBe(
      'canonicalisation-taken',
    );
    expect(refusalOf(() => registerCanonicalisation('dd-input-json-v1', (record) => record)).code).toBe(
      'canonicalisation-taken',
    );
  });
});

describe('composeJson', () => {
  it('indents, leaves out undefined members and keeps the lexemes of what was read', () => {
    const node = read('{"n":[1.0,1E2,{}],"s":"\\u0041"}');
    expect(
      Buffer.from(composeJson({ a: undefined, b: node, c: [], d: new Map([['__proto__', null]]) })).toString(),
    ).toBe(
      '{\n  "b": {\n    "n": [\n      1.0,\n      1E2,\n      {}\n    ],\n    "s": "\\u0041"\n  },\n  "c": [],\n  "d": {\n    "__proto__": null\n  }\n}',
    );
    expect(Buffer.from(composeJson({ b: node.get('n') }, { indent: 0 })).toString()).toBe('{"b":[1.0,1E2,{}]}');
  });
  it('refuses what JSON cannot hold', () => {
    expect(() => composeJson(Number.NaN)).toThrow(RangeError);
    expect(() => composeJson('\ud800')).toThrow(TypeError);
  });
});
