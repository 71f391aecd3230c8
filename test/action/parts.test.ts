import { expect, test } from 'vitest';
import { parseInputs, readInputs } from '../../action/inputs.js';
import { redactedFile } from '../../action/redact.js';
import { createRedactor } from '../../action/secrets.js';
import { changedRuns, loosenings, pinFinder, placeFindings } from '../../core/change/index.js';
import { type Expectation, NO_EXPECTATION } from '../../core/fixtures/index.js';
import { blobSha } from '../../core/github/index.js';
import { makeFinding } from '../../core/report/index.js';

const inputs = (given: Readonly<Record<string, string>>) =>
  parseInputs(
    readInputs(
      Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ),
  );

test.each(['true', 'True', 'TRUE'])('takes %s for true', (value) => {
  expect(inputs({ 'fail-on-new': value }).failOnNew).toBe(true);
});

test.each(['yes', 'on', '1', 'tRue', 'y'])('refuses %s where true or false is meant', (value) => {
  expect(() => inputs({ 'fail-on-new': value })).toThrow(expect.objectContaining({ code: 'input-value' }));
});

test('takes an empty input for an absent one', () => {
  expect(inputs({ mode: '', jobs: ' ', sources: '', 'timeout-minutes': '' })).toMatchObject({
    mode: 'run',
    jobs: null,
    timeoutMinutes: 30,
    sources: { sourcesPath: 'sources.yaml', named: false },
  });
  expect(inputs({ sources: 'other.yaml' }).sources).toEqual({ sourcesPath: 'other.yaml', named: true });
});

test.each([
  ['fail-on', 'unexpected, drifted'],
  ['fail-on', ', ,'],
  ['mode', 'Run'],
  ['comment', 'on_failure'],
  ['unresolved', 'ignore'],
  ['jobs', '2.5'],
  ['retention-days', '0'],
  ['upload', 'a/b'],
])('names the input %s when it is %s', (name, value) => {
  expect(() => inputs({ [name]: value })).toThrow(`input ${name} is ${JSON.stringify(value)}`);
});

const expected = (more: Partial<Expectation>): Expectation => ({ ...NO_EXPECTATION, ...more });

test.each<[string, Partial<Expectation>, Partial<Expectation>, string]>([
  ['another status', { status: 'succeeded' }, { status: 'abstained' }, 'status'],
  ['no status any more', { status: 'succeeded' }, {}, 'status'],
  ['a failure where none was named', {}, { status: 'failed' }, 'status'],
  ['a violation', {}, { problem: 'grounding-violation' }, 'problem'],
  ['another problem', { problem: 'agent-error' }, { problem: 'input-not-accepted' }, 'problem'],
  ['no reason any more', { status: 'abstained', reasonCode: 'not_applicable' }, { status: 'abstained' }, 'reason_code'],
  [
    'other rules',
    { problem: 'grounding-violation', rules: ['G2'] },
    { problem: 'grounding-violation', rules: ['G3'] },
    'rules',
  ],
  ['fewer verified', { verified: 2 }, { verified: 1 }, 'verified'],
  ['more unresolved', { unresolved: 0 }, {}, 'unresolved'],
  ['fewer repeats', { repeat: 5 }, { repeat: 1 }, 'repeat'],
  ['no witnesses any more', { require: 'witnessed' }, {}, 'require'],
])('calls it looser to expect %s', (_, base, head, key) => {
  expect(loosenings(expected(base), expected(head)).join()).toContain(`${key}:`);
});

test.each<[string, Partial<Expectation>, Partial<Expectation>]>([
  ['the same', { status: 'failed', problem: 'agent-error' }, { status: 'failed', problem: 'agent-error' }],
  ['one of the statuses that were allowed', {}, { status: 'referred' }],
  ['witnesses besides', {}, { require: 'witnessed' }],
  ['a reason besides', { status: 'abstained' }, { status: 'abstained', reasonCode: 'not_applicable' }],
  ['more verified, fewer unresolved, more repeats', { verified: 1 }, { verified: 2, unresolved: 0, repeat: 3 }],
  [
    'the rules in another order',
    { problem: 'grounding-violation', rules: ['G2', 'G4'] },
    { problem: 'grounding-violation', rules: ['G4', 'G2'] },
  ],
])('does not call it looser to expect %s', (_, base, head) => {
  expect(loosenings(expected(base), expected(head))).toEqual([]);
});

test('takes a secret out of a text in every form that it may be printed in', () => {
  const secret = 'p@ss "word"/1234';
  const { scrub } = createRedactor(
    { MY_TOKEN: secret, PLAIN: 'public-value', SHORT_SECRET: 'abc' },
    { token: '', agentVariables: [] },
  );
  const bytes = Buffer.from(secret);
  for (const form of [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('hex'),
  ])
    expect(scrub(`before ${form} after`)).toMatch(/^before "?\*\*\*=*"? after$/);
  expect(scrub('public-value abc')).toBe('public-value abc');
});

test('takes what agents were given out of a text, and each line of a key', () => {
  const environment = { DEPLOY: 'key-line-one\nkey-line-two', PATH: '/usr/local/bin' };
  const { scrub } = createRedactor(environment, { token: 'ghs_0123456789', agentVariables: ['DEPLOY', 'PATH'] });
  expect(scrub('key-line-two /usr/local/bin ghs_0123456789')).toBe('*** /usr/local/bin ***');
});

test('redacts nothing into the open: what cannot be read is left out', () => {
  expect(redactedFile('request.json', Buffer.from('{}'))).toBeNull();
  expect(redactedFile('spans.jsonl', Buffer.from('{}'))).toBeNull();
  expect(redactedFile('envelope.json', Buffer.from('{"payload": 1, "payload": 2}'))).toBeNull();
  const envelope = {
    payload: { secret: 1 },
    acting_for: {},
    evidence: [{ source_id: 'input:1', content: { secret: 1 } }],
    kept: 1.5,
  };
  const redacted = redactedFile('envelope.json', Buffer.from(JSON.stringify(envelope)));
  expect(JSON.parse(Buffer.from(redacted ?? []).toString())).toEqual({
    evidence: [{ source_id: 'input:1' }],
    kept: 1.5,
  });
});

test('finds the runs that a change touches by their folders and by their index lines', () => {
  const line = (id: string, more = 1) => JSON.stringify({ invocation_id: id, more });
  const change = changedRuns({
    folder: 'data/runs',
    changedPaths: ['data/runs/a/envelope.json', 'data/runs/schemas/x.json', 'data/runs/invocations.jsonl', 'other/b/c'],
    indexBefore: Buffer.from([line('a'), line('b'), line('gone'), line('same')].join('\n')),
    indexAfter: Buffer.from([line('a'), line('b', 2), line('same'), '{'].join('\n')),
    isThere: (run) => run !== 'gone',
  });
  expect([...change.touched].sort()).toEqual(['a', 'b', 'gone']);
  expect(change.removed).toEqual(['gone']);
});

test('places a finding by its path from the root, whatever separators the system has', async () => {
  const bytes = Buffer.from('{}');
  const place = { file: 'fixtures\\deep\\one.json', line: null, column: null };
  const finding = makeFinding({ rule: 'unexpected', level: 'error', message: 'x', place, fixture: place.file });
  const path = 'projects/a/fixtures/deep/one.json';
  const world = {
    prefix: 'projects/a',
    read: () => bytes,
    headBlobs: async () => new Map([[path, blobSha(bytes)]]),
    pinOf: () => null,
  };
  expect(await placeFindings([finding], world)).toMatchObject([{ place: { file: path, line: 1 } }]);
  const moved = { ...world, headBlobs: async () => new Map([[path, blobSha(Buffer.from('{ }'))]]) };
  expect(await placeFindings([finding], moved)).toMatchObject([{ place: { file: path, line: null } }]);
});

test('places a finding on the pin of its source when its fixture is not at the head', async () => {
  const sources = Buffer.from(
    ['a', 'b']
      .map((name) => `  - {snapshot_refs: [${name}], path: ${name}.jsonl, id_field: id, sha256: "${'0'.repeat(64)}"}\n`)
      .join('')
      .replace(/^/, 'sources:\n'),
  );
  const pinOf = pinFinder({ file: 'p/sources.yaml', named: 'sources.yaml', bytes: sources });
  const place = { file: 'fixtures/gone.json', line: null, column: null };
  const finding = makeFinding({
    rule: 'S2',
    level: 'error',
    message: 'hashes to x in "b.jsonl"',
    place,
    fixture: place.file,
  });
  const world = {
    prefix: 'p',
    read: () => sources,
    headBlobs: async () => new Map([['p/sources.yaml', blobSha(sources)]]),
    pinOf,
  };
  expect(await placeFindings([finding], world)).toMatchObject([{ place: { file: 'p/sources.yaml', line: 3 } }]);
});
