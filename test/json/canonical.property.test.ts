import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, composeJson, hashOf, jsonOf, parseJson } from '../../core/json/index.js';

/** A document as a list of members, so that order and layout are ours to choose. */
type Doc =
  | null
  | boolean
  | string
  | { readonly lexeme: string }
  | readonly Doc[]
  | { readonly members: readonly (readonly [string, Doc])[] };

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed()),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '\uffff', '\u{1d49f}'),
);
const lexeme = fc.oneof(
  fc.bigInt().map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((n) => (Number.isInteger(n) ? `${Object.is(n, -0) ? '-0' : n}`.replace(/^(-?\d+)$/, '$1.0') : String(n))),
);

const { doc } = fc.letrec<{ doc: Doc }>((tie) => ({
  doc: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    text,
    lexeme.map((l) => ({ lexeme: l })),
    fc.array(tie('doc'), { maxLength: 5 }),
    fc
      .uniqueArray(fc.tuple(text, tie('doc')), { maxLength: 16, selector: ([key]) => key })
      .map((members) => ({ members })),
  ),
}));

const plain = (value: string): string => JSON.stringify(value);
const escaped = (value: string): string =>
  `"${[...Array(value.length).keys()].map((i) => `\\u${value.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;

/** Writes a document with chosen white space, order and escaping. */
function write(
  value: Doc,
  how: { readonly space: string; readonly reverse: boolean; readonly quote: (text: string) => string },
): string {
  const { space, reverse, quote } = how;
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quote(value);
  if ('lexeme' in value) return value.lexeme;
  if ('members' in value) {
    const members = reverse ? [...value.members].reverse() : value.members;
    return `{${space}${members.map(([key, member]) => `${quote(key)}${space}:${space}${write(member, how)}`).join(`${space},${space}`)}${space}}`;
  }
  return `[${space}${(value as readonly Doc[]).map((item) => write(item, how)).join(`${space},${space}`)}${space}]`;
}

const read = (source: string) => parseJson(Buffer.from(source, 'utf8'), { file: 'property' });
const hash = (source: string): string => hashOf(read(source), 'dd-json-document-v1');

describe('canonical hashes', () => {
  it('do not change when key order, white space or escaping changes', () => {
    fc.assert(
      fc.property(doc, fc.constantFrom('', ' ', '\n\t', '\r\n  '), (value, space) => {
        const tight = write(value, { space: '', reverse: false, quote: plain });
        const loose = write(value, { space, reverse: true, quote: escaped });
        expect(hash(loose)).toBe(hash(tight));
      }),
      { numRuns: 500 },
    );
  });

  it('change when any value changes', () => {
    fc.assert(
      fc.property(doc, doc, (left, right) => {
        const a = read(write(left, { space: '', reverse: false, quote: plain }));
        const b = read(write(right, { space: '', reverse: false, quote: plain }));
        const same =
          Buffer.compare(canonicalBytes(a, 'dd-json-document-v1'), canonicalBytes(b, 'dd-json-document-v1')) === 0;
        expect(hashOf(a, 'dd-json-document-v1') === hashOf(b, 'dd-json-document-v1')).toBe(same);
        expect(same).toBe(equal(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it('change when one leaf of a document is replaced', () => {
    fc.assert(
      fc.property(doc, fc.nat(), text, (value, at, replacement) => {
        const count = leaves(value);
        if (count === 0) return;
        const index = at % count;
        const changed = replaceLeaf(value, { left: index }, `${replacement}!${index}`);
        if (equal(value, changed)) return;
        const how = { space: '', reverse: false, quote: plain };
        expect(hash(write(changed, how))).not.toBe(hash(write(value, how)));
      }),
      { numRuns: 500 },
    );
  });

  it('are those of the text that composeJson writes, indented or not', () => {
    fc.assert(
      fc.property(doc, (value) => {
        const node = read(write(value, { space: ' ', reverse: false, quote: escaped }));
        const expected = hashOf(node, 'dd-json-document-v1');
        for (const indent of [0, 2] as const) {
          const again = parseJson(composeJson({ deeper: [node] }, { indent }), { file: 'again' });
          expect(hashOf(again.locate('/deeper/0') ?? again, 'dd-json-document-v1')).toBe(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('agree with the canonical bytes read again', () => {
    fc.assert(
      fc.property(doc, (value) => {
        const bytes = canonicalBytes(
          read(write(value, { space: '', reverse: true, quote: escaped })),
          'dd-json-document-v1',
        );
        expect(Buffer.from(canonicalBytes(parseJson(bytes, { file: 'c' }), 'dd-json-document-v1'))).toEqual(
          Buffer.from(bytes),
        );
      }),
    );
  });

  it('agree with JSON.stringify for a value of ours', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (value) => {
        expect(jsonOf(value).text()).toBe(JSON.stringify(value));
      }),
    );
  });
});

/** Equality of documents by the contract: integers by digits, other numbers as doubles, objects without order. */
function equal(left: Doc, right: Doc): boolean {
  return key(left) === key(right);
}

function key(value: Doc): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('lexeme' in value) {
    if (!/[.e]/i.test(value.lexeme)) return `i${BigInt(value.lexeme)}`;
    const number = Number(value.lexeme);
    return `f${Object.is(number, -0) ? '-0' : number}`;
  }
  if ('members' in value)
    return `{${value.members
      .map(([k, v]) => `${JSON.stringify(k)}:${key(v)}`)
      .sort()
      .join()}}`;
  return `[${(value as readonly Doc[]).map(key).join()}]`;
}

function leaves(value: Doc): number {
  if (value === null || typeof value !== 'object' || 'lexeme' in value) return 1;
  const children = 'members' in value ? value.members.map(([, child]) => child) : (value as readonly Doc[]);
  return children.reduce((sum, child) => sum + leaves(child), 0);
}

function replaceLeaf(value: Doc, counter: { left: number }, by: string): Doc {
  if (value === null || typeof value !== 'object' || 'lexeme' in value) return counter.left-- === 0 ? by : value;
  if ('members' in value) return { members: value.members.map(([k, v]) => [k, replaceLeaf(v, counter, by)] as const) };
  return (value as readonly Doc[]).map((item) => replaceLeaf(item, counter, by));
}
