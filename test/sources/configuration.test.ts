import { expect, test } from 'vitest';
import { parseSourcesConfiguration } from '../../core/sources/index.js';
import { codeOf } from '../support/code-of.js';

const PIN = 'a'.repeat(64);
const read = (text: string) => parseSourcesConfiguration(new TextEncoder().encode(text), { file: 'sources.yaml' });
const entry = (overrides: Readonly<Record<string, string>> = {}): string => {
  const members = { snapshot_refs: '[v1]', path: 'c.jsonl', id_field: 'id', sha256: `"${PIN}"`, ...overrides };
  return `sources:\n  - ${Object.entries(members)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n    ')}\n`;
};

test('returns the entries when the file is as the reference writes it', () => {
  const { entries } = read(
    `sources:\n  - snapshot_refs: ["v1", "v1 (stale)"]\n    path: data/c.jsonl\n    id_field: fairsharing_id\n    sha256: ${PIN}\n`,
  );
  expect(entries).toMatchObject([
    {
      snapshotRefs: ['v1', 'v1 (stale)'],
      path: 'data/c.jsonl',
      idField: 'fairsharing_id',
      sha256: PIN,
      place: { line: 2, column: 5 },
    },
  ]);
});

test('returns references and id fields that name prototypes as they are', () => {
  expect(read(entry({ snapshot_refs: '[__proto__, constructor]', id_field: '__proto__' })).entries).toMatchObject([
    { snapshotRefs: ['__proto__', 'constructor'], idField: '__proto__' },
  ]);
});

test('returns no entry when the list is empty', () => {
  expect(read('sources: []').entries).toEqual([]);
});

test.each([
  ['an unknown key beside sources', `${entry()}source: []\n`, 'config-unknown-key', 6, 1],
  ['an unknown key of an entry', entry({ url: 'x' }), 'config-unknown-key', 6, 5],
  ['a __proto__ key', '__proto__: []\nsources: []', 'config-unknown-key', 1, 1],
  ['no sources', '{}', 'config-missing-key', 1, 1],
  ['sources left empty', 'sources:\n', 'config-missing-key', 1, 1],
  ['sources that are a mapping', 'sources: {}', 'config-type', 1, 10],
  ['an entry that is a string', 'sources: [x]', 'config-type', 1, 11],
  ['an unquoted pin of 64 digits', entry({ sha256: '1'.repeat(64) }), 'config-type', 5, 13],
  [
    'an unquoted pin that YAML reads as a power of ten',
    entry({ sha256: `${'9'.repeat(60)}e123` }),
    'config-type',
    5,
    13,
  ],
  ['a pin in capitals', entry({ sha256: PIN.toUpperCase() }), 'config-value', 5, 13],
  ['a pin with its algorithm', entry({ sha256: `"sha256:${PIN}"` }), 'config-value', 5, 13],
  ['a pin that is too short', entry({ sha256: PIN.slice(1) }), 'config-value', 5, 13],
  ['no references', entry({ snapshot_refs: '[]' }), 'config-value', 2, 20],
  ['one reference that is no list', entry({ snapshot_refs: 'v1' }), 'config-type', 2, 20],
  ['a reference that is a number', entry({ snapshot_refs: '[2026]' }), 'config-type', 2, 21],
  ['an empty path', entry({ path: '""' }), 'config-value', 3, 11],
  ['an id field that is a boolean', entry({ id_field: 'true' }), 'config-type', 4, 15],
  ['a reference listed twice in one entry', entry({ snapshot_refs: '[v1, v1]' }), 'source-duplicate-ref', 2, 5],
  ['a reference listed in two entries', entry() + entry().replace('sources:\n', ''), 'source-duplicate-ref', 6, 5],
  ['__proto__ listed twice', entry({ snapshot_refs: '[__proto__, __proto__]' }), 'source-duplicate-ref', 2, 5],
  [
    'the same entry again by an alias',
    `sources:\n  - &a {snapshot_refs: [v], path: c, id_field: i, sha256: "${PIN}"}\n  - *a\n`,
    'source-duplicate-ref',
    2,
    8,
  ],
])('refuses %s', (_, text, code, line, column) => {
  expect(codeOf(() => read(text))).toMatchObject({ code, blame: 'configuration', file: 'sources.yaml', line, column });
});

test('tells the author of an unquoted pin to quote it', () => {
  expect(codeOf(() => read(entry({ sha256: '1'.repeat(64) }))).remedy).toContain(`"${'1'.repeat(64)}"`);
});
