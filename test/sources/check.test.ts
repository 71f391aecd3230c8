import { describe, expect, test } from 'vitest';
import { hashOf, jsonOf, parseJson } from '../../core/json/index.js';
import { sourcesText } from '../../core/report/sources-text.js';
import { checkSources, loadSources, NO_COPIES } from '../../core/sources/index.js';
import { memoryFiles, sha256 } from '../support/memory-copy.js';

const NAMES = ['src:a', 'src:b', '__proto__', 'constructor', 'toString', 'input:x', 'é', 'e\u0301', ' '];
const RECORDS = NAMES.map((id, at) => ({ id, at }));
const COPY = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('');
const CONFIGURATION = `sources: [{snapshot_refs: ["v1", "v1 (stale)", "__proto__"], path: c.jsonl, id_field: id, sha256: "${sha256(COPY)}"}]`;
const copies = loadSources(memoryFiles({ 'sources.yaml': CONFIGURATION, 'c.jsonl': COPY }), {
  sourcesPath: 'sources.yaml',
  named: true,
});

const hashOfRecord = (id: string): string => {
  const record = RECORDS.find((candidate) => candidate.id === id);
  return record === undefined ? '0'.repeat(64) : hashOf(jsonOf(record), 'dd-json-document-v1');
};

type Item = Readonly<Record<string, unknown>>;

/** A well-formed evidence item that verifies, with members laid over it; undefined ones are left out. */
function item(overrides: Item = {}): Item {
  const sourceId = overrides['source_id'] ?? 'src:a';
  return {
    source_id: sourceId,
    content_hash: hashOfRecord(String(sourceId)),
    hash_algorithm: 'sha256',
    canonicalisation: 'dd-json-document-v1',
    snapshot_ref: 'v1',
    ...overrides,
  };
}

/** What a check came to, unresolved items as the text lists them. */
interface Seen {
  readonly rules: readonly string[];
  readonly verified: number;
  readonly unresolved: string;
}

function check(evidence: unknown, mode: unknown = 'retrieval'): Seen {
  const text = JSON.stringify({ grounding_mode: mode, evidence });
  const report = checkSources(parseJson(Buffer.from(text), { file: 'envelope.json' }), copies);
  return {
    rules: report.rules,
    verified: report.verified,
    unresolved: sourcesText(report).match(/copy: (.*)\)/)?.[1] ?? '',
  };
}

const VERIFIED: Seen = { rules: [], verified: 1, unresolved: '' };
const S1: Seen = { rules: ['S1'], verified: 0, unresolved: '' };
const S2: Seen = { rules: ['S2'], verified: 0, unresolved: '' };
const unresolved = (label: string): Seen => ({ rules: [], verified: 0, unresolved: label });
const NOTHING: Seen = { rules: [], verified: 0, unresolved: '' };

describe('checkSources, one item', () => {
  const table: readonly (readonly [what: string, evidence: unknown, expected: Seen])[] = [
    ['verified when the record hashes to it', item(), VERIFIED],
    ['verified under another snapshot_ref of the same copy', item({ snapshot_ref: 'v1 (stale)' }), VERIFIED],
    ['verified under a snapshot_ref named __proto__', item({ snapshot_ref: '__proto__' }), VERIFIED],
    ...NAMES.filter((id) => !id.startsWith('input:')).map(
      (id) => [`verified for the id ${JSON.stringify(id)}`, item({ source_id: id }), VERIFIED] as const,
    ),
    ['unresolved without a snapshot_ref', item({ snapshot_ref: undefined }), unresolved('src:a (live)')],
    ['unresolved with a null snapshot_ref', item({ snapshot_ref: null }), unresolved('src:a (live)')],
    ['unresolved with a snapshot_ref that is no string', item({ snapshot_ref: 1 }), unresolved('src:a (live)')],
    ['unresolved under an unknown snapshot_ref', item({ snapshot_ref: 'v2' }), unresolved('src:a (v2)')],
    [
      'unresolved under a snapshot_ref that objects inherit',
      item({ snapshot_ref: 'constructor' }),
      unresolved('src:a (constructor)'),
    ],
    ['unresolved under an empty snapshot_ref', item({ snapshot_ref: '' }), unresolved('src:a ()')],
    [
      'unresolved rather than S2 when both hash and snapshot are wrong',
      item({ snapshot_ref: 'v2', content_hash: '0'.repeat(64) }),
      unresolved('src:a (v2)'),
    ],
    ['S1 when there is no such record', item({ source_id: 'src:z' }), S1],
    ['S1 for an id in another case', item({ source_id: 'SRC:A' }), S1],
    ['S1 for what objects inherit', item({ source_id: 'hasOwnProperty' }), S1],
    ['S1 alone when the algorithm is unknown too', item({ source_id: 'src:z', hash_algorithm: 'md5' }), S1],
    ['S2 when the hash is that of another record', item({ content_hash: hashOfRecord('src:b') }), S2],
    ['S2 for another algorithm', item({ hash_algorithm: 'SHA256' }), S2],
    ['S2 for a missing algorithm', item({ hash_algorithm: undefined }), S2],
    ['S2 for a null algorithm', item({ hash_algorithm: null }), S2],
    ['S2 for an unknown canonicalisation', item({ canonicalisation: 'dd-json-document-v2' }), S2],
    ['S2 for a canonicalisation that objects inherit', item({ canonicalisation: 'constructor' }), S2],
    ['S2 for a missing canonicalisation', item({ canonicalisation: undefined }), S2],
    ['S2 under a projection that keeps other members', item({ canonicalisation: 'json-sorted-utf8-v1' }), S2],
    [
      'S2 although the content agrees with its own hash',
      item({
        content: { id: 'src:a', at: 7 },
        content_hash: hashOf(jsonOf({ id: 'src:a', at: 7 }), 'dd-json-document-v1'),
      }),
      S2,
    ],
    ['nothing for an empty id', item({ source_id: '' }), NOTHING],
    ['nothing for an id that is no string', item({ source_id: 1 }), NOTHING],
    ['nothing for a hash in capitals', item({ content_hash: hashOfRecord('src:a').toUpperCase() }), NOTHING],
    ['nothing for a hash that ends in a line feed', item({ content_hash: `${hashOfRecord('src:a')}\n` }), NOTHING],
    ['nothing for a string', 'src:a', NOTHING],
    ['nothing for null', null, NOTHING],
  ];
  test.each(table)('returns %s', (_, evidence, expected) => {
    expect(check([evidence])).toEqual(expected);
  });

  test.each([[undefined], [null], ['src:a'], [{ source_id: 'src:a' }], [[]]])(
    'returns nothing when evidence is %j',
    (evidence) => {
      expect(check(evidence)).toEqual(NOTHING);
    },
  );

  test('returns S2 when the projection refuses the record', () => {
    const copy = '{"fairsharing_id": "f", "subjects": [1]}\n';
    const files = memoryFiles({
      'sources.yaml': `sources: [{snapshot_refs: [v], path: c, id_field: fairsharing_id, sha256: "${sha256(copy)}"}]`,
      c: copy,
    });
    const held = loadSources(files, { sourcesPath: 'sources.yaml', named: true });
    const evidence = [item({ source_id: 'f', snapshot_ref: 'v', canonicalisation: 'json-sorted-utf8-v1' })];
    expect(checkSources(jsonOf(JSON.parse(JSON.stringify({ evidence }))), held).rules).toEqual(['S2']);
  });
});

describe('checkSources, evidence of the run itself', () => {
  const own = [item({ source_id: 'input:x' }), item({ source_id: 'invocation:y', snapshot_ref: undefined })];
  test.each(['input_only', 'none', 'delegation'])('skips it in the mode %s', (mode) => {
    expect(check(own, mode)).toEqual(NOTHING);
  });
  test.each([['retrieval'], ['constructor'], ['Delegation'], [null], [undefined], [1]])(
    'leaves it unresolved in the mode %j',
    (mode) => {
      const text = JSON.stringify({ grounding_mode: mode, evidence: own });
      const report = checkSources(parseJson(Buffer.from(text), { file: 'e' }), copies);
      expect(report).toMatchObject({ passed: true, verified: 0, rules: [] });
      expect(report.unresolved).toEqual([
        { sourceId: 'input:x', snapshotRef: 'v1' },
        { sourceId: 'invocation:y', snapshotRef: null },
      ]);
    },
  );
  test('checks an id that only looks like one of them', () => {
    expect(check([item({ source_id: 'INPUT:x' })], 'input_only')).toEqual(S1);
  });
});

describe('checkSources, many items', () => {
  test('counts every item for itself and lists violations in the order of the envelope', () => {
    const text = `{"evidence": [\n${[item(), item({ source_id: 'src:z' }), item(), item({ hash_algorithm: 'x' }), item({ snapshot_ref: 'v9' })].map((one) => JSON.stringify(one)).join(',\n')}\n]}`;
    const report = checkSources(parseJson(Buffer.from(text), { file: 'envelope.json' }), copies);
    expect(report).toMatchObject({
      passed: false,
      verified: 2,
      unresolved: [{ sourceId: 'src:a', snapshotRef: 'v9' }],
      rules: ['S1', 'S2'],
      violations: [
        {
          rule: 'S1',
          sourceId: 'src:z',
          contentHash: '0'.repeat(64),
          pointer: '/evidence/1',
          place: { file: 'envelope.json', line: 3, column: 1 },
        },
        { rule: 'S2', sourceId: 'src:a', pointer: '/evidence/3', place: { file: 'envelope.json', line: 5, column: 1 } },
      ],
    });
  });

  test('judges 50,000 false items within seconds', () => {
    const evidence = Array.from({ length: 50_000 }, () => item({ hash_algorithm: 'x' }));
    expect(check(evidence)).toEqual({ rules: ['S2'], verified: 0, unresolved: '' });
  });

  test('leaves everything unresolved without copies', () => {
    const report = checkSources(
      jsonOf(JSON.parse(JSON.stringify({ evidence: [item(), item({ source_id: 'q' })] }))),
      NO_COPIES,
    );
    expect(report).toMatchObject({ passed: true, verified: 0 });
    expect(report.unresolved).toHaveLength(2);
  });
});

describe('sourcesText', () => {
  const violation = { rule: 'S1' as const, message: 'no such record' };
  test.each([
    [
      { passed: true, verified: 3, unresolved: [{ sourceId: 'src:a', snapshotRef: null }], rules: [], violations: [] },
      'sources: 3 verified, 1 unresolved (no independent copy: src:a (live))\n',
    ],
    [
      { passed: false, verified: 1, unresolved: [], rules: ['S1' as const], violations: [violation] },
      'sources: 1 verified, 0 unresolved; FAILED\n  - S1: no such record\n',
    ],
    [
      {
        passed: false,
        verified: 0,
        unresolved: [
          { sourceId: 'a', snapshotRef: 'v1' },
          { sourceId: 'b', snapshotRef: null },
        ],
        rules: ['S1' as const],
        violations: [violation, violation],
      },
      'sources: 0 verified, 2 unresolved (no independent copy: a (v1), b (live)); FAILED\n  - S1: no such record\n',
    ],
    // `--unresolved fail` changes `passed` and the exit, never the text (contract 9).
    [
      { passed: false, verified: 0, unresolved: [{ sourceId: 'a', snapshotRef: 'v1' }], rules: [], violations: [] },
      'sources: 0 verified, 1 unresolved (no independent copy: a (v1))\n',
    ],
    [
      {
        passed: true,
        verified: 0,
        unresolved: [{ sourceId: 'a\n::error::\u202e', snapshotRef: null }],
        rules: [],
        violations: [],
      },
      'sources: 0 verified, 1 unresolved (no independent copy: a\\u000a::error::\\u202e (live))\n',
    ],
  ])('returns the text of contract 6', (report, text) => {
    expect(sourcesText(report)).toBe(text);
  });
});
