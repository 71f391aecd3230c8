import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, hashOf, parseJson } from '../../core/json/index.js';

const folder = new URL('../vectors/canonical/', import.meta.url);
const rows = readFileSync(new URL('expected.jsonl', folder), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Record<string, string> & { file: string; canonical: string });

describe('the canonical vectors', () => {
  it('are whole', () => expect(rows.length).toBe(60));
  it.each(rows.map((row) => [row.file, row] as const))('writes and hashes %s as the reference does', (file, row) => {
    const node = parseJson(readFileSync(new URL(`docs/${file}`, folder)), { file });
    expect(Buffer.from(canonicalBytes(node, 'dd-json-document-v1')).toString('utf8')).toBe(row.canonical);
    for (const [name, digest] of Object.entries(row)) {
      if (name !== 'file' && name !== 'canonical') expect([name, hashOf(node, name)]).toEqual([name, digest]);
    }
  });
});

describe('the escapes of a string', () => {
  const written = (text: string): string =>
    Buffer.from(canonicalBytes(parseJson(Buffer.from(text), { file: 'x' }), 'dd-json-document-v1')).toString('utf8');

  it.each([
    ['"\\" \\\\ \\b \\f \\n \\r \\t é \u2028"', '"\\" \\\\ \\b \\f \\n \\r \\t é \u2028"'],
    ['"\\/"', '"/"'],
    ['"\\\\\\/"', '"\\\\/"'],
    ['"\\\\u0041 \\u0041"', '"\\\\u0041 A"'],
    ['"\\u000a\\u0022\\u005c\\u001F\\u007f"', '"\\n\\"\\\\\\u001f\u007f"'],
    ['"\\n\\ud83d\\ude00"', '"\\n😀"'],
    ['{"b\\/":1,"\\u0061":2,"b":3,"\uffff":4,"\\ud83d\\ude00":5}', '{"a":2,"b":3,"b/":1,"\uffff":4,"😀":5}'],
  ])('of %j are those of %j', (text, canonical) => {
    expect(written(text)).toBe(canonical);
  });
});
