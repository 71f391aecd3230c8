import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { GateError } from '../../core/model/errors.js';

// A reader that knows the keys of thousands of documents must say the same of the next one as a reader that knows none.
const RUNS = new URL('../vectors/stored-runs/runs/', import.meta.url);
const SUITE = new URL('../vectors/json-test-suite/test_parsing/', import.meta.url);
/** What is written into documents at random places. */
const SNIPS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '\n',
  '0',
  '-',
  '.5',
  'e9',
  'null',
  '\\u0061',
  '\\ud800',
  'é',
].concat([
  '"a":1,',
  '"name": 1, ',
  '"source_id": "x", ',
  '"invocation_id": 2,',
  '"\\u006eame": 1, ',
  '"": 0, ',
  '{"a":1,"b":2,"a":3}',
]);

type Reader = typeof import('../../core/json/index.js');

async function newReader(): Promise<Reader> {
  vi.resetModules();
  return import('../../core/json/index.js');
}

/** All that a reader says of bytes: every value with its bytes, or the refusal with its place. */
function said(reader: Reader, bytes: Uint8Array): string {
  try {
    const root = reader.parseJson(bytes, { file: 'f' });
    const texts: string[] = [];
    const nodes = [root];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      texts.push(`${node.kind} ${node.size} ${node.start} ${node.end}`);
      for (const [key, value] of node.entries()) {
        texts.push(key);
        nodes.push(value);
      }
      nodes.push(...node.items());
    }
    return `${texts.join('\n')}\n${reader.hashOf(root, 'dd-json-document-v1')}`;
  } catch (error) {
    // Each reader has an error class of its own.
    const { code, place, message } = error as GateError;
    expect(error).toHaveProperty('blame', 'unreadable');
    return JSON.stringify([code, place, message]);
  }
}

/** The same numbers every time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function mutated(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const snip = SNIPS[random(SNIPS.length)] ?? '';
  const keys = [...text.matchAll(/"[^"\\\n]{0,30}"(?=\s*:)/g)];
  const [one, other] = [keys[random(keys.length)], keys[random(keys.length)]];
  switch (random(5)) {
    case 0:
      return text.slice(0, at) + snip + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(3));
    case 2:
      return one === undefined ? text : text.slice(0, one.index) + snip + text.slice(one.index);
    case 3:
      // A key in place of another one: an unknown sequence, or one that stands twice.
      if (one === undefined || other === undefined) return text;
      return text.slice(0, one.index) + other[0] + text.slice(one.index + one[0].length);
    default:
      return text;
  }
}

function documents(): readonly string[] {
  const names = readdirSync(RUNS).filter((name) => !name.endsWith('.jsonl'));
  return names.slice(0, 60).flatMap((name) => {
    const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, RUNS), 'utf8');
    return [read('envelope.json'), read('request.json'), ...read('spans.jsonl').trimEnd().split('\n')];
  });
}

describe('a reader that remembers sequences of keys', () => {
  it('says the same of a mutated document as a reader that remembers none', { timeout: 120_000 }, async () => {
    const known = await newReader();
    const texts = documents();
    for (const text of texts) said(known, Buffer.from(text));
    const random = randomFrom(17);
    for (let round = 0; round < 40; round++) {
      const fresh = await newReader();
      for (let i = 0; i < 25; i++) {
        const bytes = Buffer.from(mutated(texts[random(texts.length)] ?? '', random));
        expect(said(known, bytes)).toBe(said(fresh, bytes));
      }
    }
  });

  it('says the same of the public test suite, however often it has read it', { timeout: 120_000 }, async () => {
    const known = await newReader();
    const files = readdirSync(SUITE).map((name) => readFileSync(join(fileURLToPath(SUITE), name)));
    const first = files.map((bytes) => said(known, bytes));
    expect(files.map((bytes) => said(known, bytes))).toEqual(first);
  });

  it('refuses a key that stands twice when more sequences were met than it remembers', async () => {
    const known = await newReader();
    const text = (i: number): string => `{"k${i % 40}":{"a${i}":1,"b${i}":2,"c":{"d${i}":0,"e":1}},"z":1}`;
    for (let i = 0; i < 9000; i++) known.parseJson(Buffer.from(text(i)), { file: 'f' });
    for (const i of [0, 39, 8999]) {
      const twice = text(i).replace('"e":1', `"e":1,"d${i}":2`);
      expect(said(known, Buffer.from(twice))).toContain('json-duplicate-key');
      expect(said(known, Buffer.from(text(i)))).toBe(said(await newReader(), Buffer.from(text(i))));
    }
  });

  it('reads a document that outgrows its tape between known keys', async () => {
    const known = await newReader();
    const row = '{"id":"x","list":[{"a":1,"b":{"c":2}}],"z":null}';
    for (const rows of [1, 700, 1400, 9000]) {
      const bytes = Buffer.from(`{"rows":[${Array.from({ length: rows }, () => row).join(',')}],"after":{"z":1}}`);
      expect(said(known, bytes)).toBe(said(await newReader(), bytes));
      const root = known.parseJson(bytes, { file: 'f' });
      expect(root.toPlain()).toEqual(JSON.parse(bytes.toString()));
    }
  });
});
