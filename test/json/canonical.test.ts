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
