import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CopyIndex, indexCopy, RECORD_BYTES_LIMIT } from '../../core/sources/index-copy.js';
import { PinnedCopy } from '../../core/sources/pinned-copy.js';
import { memoryCopy, sha256 } from '../support/memory-copy.js';

const SECRET = 'a secret of the test';

function indexed(content: string | Uint8Array, windowBytes?: number): CopyIndex & { readonly pinned: PinnedCopy } {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const source = {
    copy: memoryCopy(bytes),
    label: 'c.jsonl',
    idField: 'id',
    secret: SECRET,
    ...(windowBytes === undefined ? {} : { windowBytes }),
  };
  const index = indexCopy(source);
  return { ...index, pinned: new PinnedCopy(source, index) };
}

describe('indexCopy, what it reads', () => {
  test.each([
    ['JSON Lines', '{"id": "a"}\n{"id": "b"}\n'],
    ['JSON Lines without a last line feed', '{"id": "a"}\n{"id": "b"}'],
    ['JSON Lines with blank lines and CR LF', '\n\r\n{"id": "a"}\r\n \t\r\n{"id": "b"}\r\n\n'],
    ['indented lines', '   {"id": "a"}  \n\t{"id": "b"}\t'],
    ['one array', '[{"id": "a"}, {"id": "b"}]'],
    ['one array over many lines', '\n\n[\n  {\n    "id": "a"\n  },\n  {"id": "b"}\n]\n\n'],
    [
      'brackets, quotes and escapes in strings',
      '[{"x": "]}\\"[{\\\\", "id": "a"}, {"y": ["}", {"z": "\\\\\\""}], "id": "b"}]',
    ],
    ['an id written with an escape', '{"id": "\\u0061"}\n{"\\u0069d": "b"}'],
    ['U+2028 within a string', '{"id": "a", "t": "x\u2028y\u0085z"}\n{"id": "b"}'],
  ])('finds every record of %s', (_, text) => {
    const { fault, sha256: digest, pinned } = indexed(text);
    expect(fault).toBeNull();
    expect(digest).toBe(sha256(text));
    expect(pinned.records).toBe(2);
    expect(pinned.find('a')?.kind).toBe('object');
    expect(pinned.find('b')?.kind).toBe('object');
    for (const other of ['', 'A', 'id', '__proto__', 'constructor']) expect(pinned.find(other)).toBeUndefined();
  });

  test('takes an empty array for a copy without records', () => {
    expect(indexed(' [ ] ')).toMatchObject({ fault: null });
  });

  test('finds records by ids that name prototypes, and an empty one', () => {
    const ids = ['__proto__', 'constructor', 'toString', '', '\u0000', '\u{1f600}'];
    const { fault, pinned } = indexed(ids.map((id) => JSON.stringify({ id, text: `record ${id}` })).join('\n'));
    expect(fault).toBeNull();
    for (const id of ids) expect(pinned.find(id)?.get('text')?.string()).toBe(`record ${id}`);
  });

  test('keeps number lexemes of a record', () => {
    expect(indexed('[{"id": "a", "n": 1.0}]').pinned.find('a')?.get('n')?.lexeme()).toBe('1.0');
  });
});

describe('indexCopy, what it refuses', () => {
  test.each([
    ['an empty file', '', 'json-empty', 1, 1],
    ['only blank lines', ' \n\n', 'json-empty', 1, 1],
    ['a byte order mark', '\ufeff{"id": "a"}', 'json-encoding', 1, 1],
    [
      'a Git LFS pointer',
      'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      'source-lfs-pointer',
      1,
      1,
    ],
    ['a record without the id', '{"id": "a"}\n{"key": "b"}\n', 'source-record-id', 2, 1],
    ['a record whose id is a number', '{"id": "a"}\n\n  {"id": 7}\n', 'source-record-id', 3, 3],
    ['a record whose id is null', '[{"id": null}]', 'source-record-id', 1, 2],
    ['an inherited id', '{"__proto__": {"id": "a"}}', 'source-record-id', 1, 1],
    ['the same id twice', '{"id": "a"}\n{"id": "b"}\n{"id": "a"}\n', 'source-duplicate-id', 3, 1],
    ['the same id twice, once escaped', '{"id": "a"}\n{"id": "\\u0061"}\n', 'source-duplicate-id', 2, 1],
    [
      'the same id twice in an array',
      '[\n {"id": "a"}, {"id": "é"},\n {"id": "ü"}, {"id": "a"}]',
      'source-duplicate-id',
      3,
      15,
    ],
    ['a duplicate key', '{"id": "a"}\n{"id": "b", "x": 1, "x": 2}', 'json-duplicate-key', 2, 21],
    [
      'a duplicate key, escaped, deep in an array',
      '[{"id": "a"},\n {"id": "b", "x": [{"k": 1, "\\u006b": 2}]}]',
      'json-duplicate-key',
      2,
      29,
    ],
    ['the id key twice', '{"id": "a", "id": "b"}', 'json-duplicate-key', 1, 13],
    ['a line that is a string', '{"id": "a"}\n"b"\n', 'source-record-shape', 2, 1],
    ['a line that is an array', '{"id": "a"}\n[{"id": "b"}]\n', 'source-record-shape', 2, 1],
    ['an element that is a string', '[{"id": "a"},\n "b"]', 'source-record-shape', 2, 2],
    ['an element that is an array', '[[{"id": "a"}]]', 'source-record-shape', 1, 2],
    ['two objects on a line', '{"id": "a"} {"id": "b"}', 'json-trailing', 1, 13],
    ['an object over two lines', '{"id":\n "a"}', 'json-syntax', 1, 7],
    ['broken JSON', '{"id": "a"}\n{"id": "b",}', 'json-syntax', 2, 12],
    ['NaN', '{"id": "a", "n": NaN}', 'json-nonfinite', 1, 18],
    ['a number beyond the doubles', '{"id": "a", "n": 1e400}', 'json-nonfinite', 1, 18],
    ['a lone surrogate', '{"id": "\\ud800"}', 'json-lone-surrogate', 1, 9],
    ['an array that is not closed', '[{"id": "a"}', 'json-syntax', 1, 13],
    ['an element that is not closed', '[{"id": "a"', 'json-syntax', 1, 12],
    ['a string that is not closed', '[{"id": "a}]', 'json-syntax', 1, 13],
    ['a trailing comma', '[{"id": "a"},]', 'json-syntax', 1, 14],
    ['two commas', '[{"id": "a"},,{"id": "b"}]', 'json-syntax', 1, 14],
    ['a missing comma', '[{"id": "a"} {"id": "b"}]', 'json-syntax', 1, 14],
    ['a comma at the start', '[,{"id": "a"}]', 'json-syntax', 1, 2],
    ['mismatched brackets', '[{"id": "a"]]', 'json-syntax', 1, 12],
    ['text behind the array', '[{"id": "a"}]\nx', 'json-trailing', 2, 1],
    ['a second array', '[{"id": "a"}]\n[]', 'json-trailing', 2, 1],
  ])('refuses %s', (_, text, code, line, column) => {
    for (const windowBytes of [undefined, 64]) {
      const { fault, sha256: digest } = indexed(text, windowBytes);
      expect(fault).toMatchObject({ code, blame: 'configuration', place: { file: 'c.jsonl', line, column } });
      expect(digest).toBe(sha256(text));
    }
  });

  test.each([
    ['a byte that is not UTF-8', [...Buffer.from('{"id": "a"}\n{"id": "é'), 0xff, 0x22, 0x7d], 2, 10],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x22, 0x00], 1, 1],
    ['an encoded surrogate', [...Buffer.from('[{"id": "'), 0xed, 0xa0, 0x80, 0x22, 0x7d, 0x5d], 1, 10],
  ])('refuses %s', (_, bytes, line, column) => {
    const { fault } = indexed(Uint8Array.from(bytes));
    expect(fault?.place).toMatchObject({ line, column });
    expect(['json-encoding', 'json-syntax']).toContain(fault?.code);
  });

  test('reads as many levels as one document may have, in both forms', () => {
    const nested = (levels: number): string => `{"id": "a", "x": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(indexed(nested(999)).fault).toBeNull();
    expect(indexed(nested(1000)).fault?.code).toBe('json-depth');
    expect(indexed(`[${nested(998)}]`).fault).toBeNull();
    expect(indexed(`[${nested(999)}]`).fault?.code).toBe('json-depth');
    expect(indexed(`[${nested(100_000)}]`).fault?.code).toBe('json-depth');
  });

  test('refuses a record past the size limit, and reads one that fills many windows', () => {
    const long = (size: number): string => `{"id": "a", "t": "${'x'.repeat(size)}"}`;
    expect(indexed(long(10_000), 64)).toMatchObject({ fault: null });
    expect(indexed(`[${long(10_000)}]`, 64)).toMatchObject({ fault: null });
    expect(indexed(long(RECORD_BYTES_LIMIT + 1)).fault?.code).toBe('source-record-too-large');
  });
});

describe('indexCopy, whatever the windows', () => {
  const record = fc.record({
    id: fc.string({ unit: 'grapheme', maxLength: 12 }),
    value: fc.jsonValue({ maxDepth: 3 }),
  });
  const records = fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 40 });

  test('finds exactly the records of any copy in both forms', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 64, max: 300 }), fc.boolean(), (rows, windowBytes, asArray) => {
        const lines = rows.map((row) => JSON.stringify(row));
        const text = asArray ? JSON.stringify(rows, null, 1) : `{"id": "the first"}\n${lines.join('\n')}`;
        const { fault, pinned, sha256: digest } = indexed(text, windowBytes);
        if (rows.some(({ id }) => id === 'the first')) return;
        expect(fault).toBeNull();
        expect(digest).toBe(sha256(text));
        expect(pinned.records).toBe(rows.length + (asArray ? 0 : 1));
        for (const row of rows)
          expect(JSON.parse(pinned.find(row.id)?.text() ?? '')).toEqual(JSON.parse(JSON.stringify(row)));
      }),
      { numRuns: 300 },
    );
  });

  test('finds 200,000 records and no other', () => {
    const text = Array.from({ length: 200_000 }, (_, at) => `{"id":"r${at}"}\n`).join('');
    const { fault, pinned } = indexed(text);
    expect(fault).toBeNull();
    expect(pinned.records).toBe(200_000);
    for (let at = 0; at < 200_000; at += 997) expect(pinned.find(`r${at}`)?.text()).toBe(`{"id":"r${at}"}`);
    for (let at = 0; at < 1000; at += 1) expect(pinned.find(`s${at}`)).toBeUndefined();
  });
});

test('refuses a record that was changed after the pass, and still finds the others', () => {
  const bytes = new TextEncoder().encode('{"id": "a", "n": 1}\n{"id": "b", "n": 2}\n');
  const { pinned } = indexed(bytes);
  bytes[37] = 0x33;
  expect(pinned.find('a')?.get('n')?.lexeme()).toBe('1');
  expect(() => pinned.find('b')).toThrow(
    expect.objectContaining({
      code: 'source-record-changed',
      blame: 'configuration',
      place: { file: 'c.jsonl', line: 2, column: 1 },
    }),
  );
});
