import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DOCTOR_CHECKS } from '../../core/doctor/index.js';
import { PULL_REQUEST_WORKFLOW } from '../../core/init/index.js';
import { unwritableBecause } from '../../core/io/setup-files.js';
import { ERROR_CODES } from '../../core/model/error-codes.js';
import { pinFor } from '../action/project.js';
import { type Ended, grounding, ROOT } from './grounding.js';
import { agentModule, BODIES, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const RECORDS = '{"id":"rec:1","title":"T"}\n';

/** A setup in which nothing is to be found. */
const SOUND = {
  'agents.yaml': 'agents:\n  - module: honest.mjs\n',
  'profiles/default.yaml': 'profile_id: tests\nversion: 1\nagents:\n  test.honest: note\n',
  'records.jsonl': RECORDS,
  'sources.yaml': pinFor(RECORDS),
  '.github/workflows/grounding.yml': PULL_REQUEST_WORKFLOW,
} as const;

const setup = (more: Readonly<Record<string, string>> = {}): string => workshop({ ...SOUND, ...more });

interface Finding {
  readonly check: string;
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
  readonly remedy: string;
}

async function doctor(folder: string, args: readonly string[] = []): Promise<{ ended: Ended; findings: Finding[] }> {
  const ended = await grounding(['doctor', '--format', 'json', ...args], { cwd: folder });
  expect(ended.stderr).toBe('');
  return { ended, findings: JSON.parse(ended.stdout).findings };
}

test('returns 0 where nothing is to be found, changes nothing, and runs no agent', async () => {
  const folder = setup();
  expect(await grounding(['doctor'], { cwd: folder })).toEqual({
    code: 0,
    stdout: 'nothing found that would make the gate blind or red\n',
    stderr: '',
  });
  expect((await doctor(folder)).findings).toEqual([]);
});

describe('an agent that is to be isolated, where that cannot be', () => {
  /** The doctor of a machine on which no program is found but Node. */
  async function bare(agents: string): Promise<Finding[]> {
    const folder = setup({ 'agents.yaml': agents });
    const path = join(folder, 'bin');
    mkdirSync(path);
    symlinkSync(process.execPath, join(path, 'node'));
    const ended = await grounding(['doctor', '--format', 'json'], { cwd: folder, env: { PATH: path } });
    expect(ended.stderr).toBe('');
    return JSON.parse(ended.stdout).findings;
  }

  test.each([
    ['true', /does not run here: .*ENOENT/, /isolate: if-possible/],
    ['if-possible', /in the open here: .*ENOENT/, /^run the gate on Linux/],
  ])('is told with the reason and a remedy, on its line, when isolate is %s', async (isolate, message, remedy) => {
    const findings = await bare(`agents:\n  - module: honest.mjs\n    isolate: ${isolate}\n`);
    const [first] = findings.filter(({ check }) => check === 'agent-not-isolated');
    expect(first).toMatchObject({ file: 'agents.yaml', line: 3 });
    expect(first?.message).toMatch(message);
    expect(first?.remedy).toMatch(remedy);
    expect(findings.map(({ check }) => check)).not.toContain('agent-unreachable');
  });

  test('is told of a service that is isolated by what the whole file says, and that nobody here starts', async () => {
    const findings = await bare('isolate: true\nagents:\n  - url: http://127.0.0.1:9\n    name: far\n');
    expect(findings).toContainEqual(expect.objectContaining({ check: 'agent-not-isolated', line: 3 }));
  });
});

test('looks at an agent whose model calls pass through, and calls no model', async () => {
  const folder = setup({
    'agents.yaml': 'agents:\n  - module: honest.mjs\n    models: {openai: "http://127.0.0.1:9/v1"}\n',
  });
  expect((await doctor(folder)).findings).toEqual([]);
});

const input = (more: object): string =>
  JSON.stringify({ agent_id: 'test.honest', input: { schema_class: 'Note', ...more } });

test.each<[string, Readonly<Record<string, string>>, readonly [check: string, file: string, line: number | null][]]>([
  [
    'a pinned copy that changed',
    { 'records.jsonl': `${RECORDS}{"id":"rec:2"}\n` },
    [['source-pin-mismatch', 'sources.yaml', 2]],
  ],
  ['no pinned copy', { 'sources.yaml': 'sources: []\n' }, [['sources-none', 'sources.yaml', null]]],
  [
    'two pins of copies that are not there',
    {
      'sources.yaml': ['a', 'b']
        .map((name) => pinFor(RECORDS, name).replace('records.jsonl', `${name}.jsonl`))
        .join('')
        .replace(/\nsources:/, '\n'),
    },
    [
      ['config-missing', 'sources.yaml', 3],
      ['config-missing', 'sources.yaml', 8],
    ],
  ],
  ['a sources file with a fault', { 'sources.yaml': 'sources: {}\n' }, [['config-type', 'sources.yaml', 1]]],
  [
    'an agent that cannot be reached',
    { 'agents.yaml': `${SOUND['agents.yaml']}  - url: http://127.0.0.1:9\n    name: far\n` },
    [['agent-unreachable', 'agents.yaml', null]],
  ],
  [
    'agents whose modules give none, each for itself',
    { 'agents.yaml': `${SOUND['agents.yaml']}  - module: none.mjs\n  - module: nothing.mjs\n` },
    [
      ['agent-module', 'agents.yaml', 3],
      ['agent-module', 'agents.yaml', 4],
    ],
  ],
  [
    'an agent whose class has no schema',
    {
      'odd.mjs': agentModule('test.odd', BODIES.honest).replace("accepts: ['Note']", "accepts: ['Other']"),
      'agents.yaml': `${SOUND['agents.yaml']}  - module: odd.mjs\n`,
    },
    [['agent-specification', 'agents.yaml', 3]],
  ],
  [
    'a variable that is not set',
    { 'agents.yaml': 'agents:\n  - module: honest.mjs\n    env: [NOT_SET_ANYWHERE]\n' },
    [['agent-environment', 'agents.yaml', 3]],
  ],
  [
    'an agent twice',
    { 'agents.yaml': `${SOUND['agents.yaml']}  - module: honest.mjs\n` },
    [['agent-duplicate', 'agents.yaml', 3]],
  ],
  [
    'an entry of the profile for an agent that is misspelt',
    { 'profiles/default.yaml': `${SOUND['profiles/default.yaml']}  test.hones: note\n` },
    [['profile-unknown-agent', 'profiles/default.yaml', 5]],
  ],
  [
    'an agent under another class of action',
    { 'profiles/default.yaml': SOUND['profiles/default.yaml'].replace('note', 'publish') },
    [['agent-not-enabled', 'profiles/default.yaml', 4]],
  ],
  [
    'an agent without a fixture, which the profile does not enable either',
    { 'agents.yaml': `${SOUND['agents.yaml']}  - module: abstains.mjs\n` },
    [
      ['agent-not-enabled', 'profiles/default.yaml', null],
      ['agent-without-fixture', 'agents.yaml', null],
    ],
  ],
  ['a fixture that is no JSON', { 'fixtures/a.json': '{\n "agent_id": }' }, [['json-syntax', 'fixtures/a.json', 2]]],
  [
    'a fixture with an unknown member',
    { 'fixtures/a.json': '{"agent": 1}' },
    [['fixture-shape', 'fixtures/a.json', 1]],
  ],
  [
    'expectations without fixtures, and one that nothing reads',
    {
      'fixtures/x.expect.yaml': 'repeat: 2\n',
      'fixtures/y.expect.yaml': 'repeat: 2\n',
      'fixtures/honest.expect.yml': 'repeat: 2\n',
    },
    [
      ['fixture-orphan', 'fixtures/honest.expect.yml', null],
      ['fixture-orphan', 'fixtures/x.expect.yaml', null],
      ['fixture-orphan', 'fixtures/y.expect.yaml', null],
    ],
  ],
  [
    'an expectation with a fault',
    { 'fixtures/honest.expect.yaml': 'a: 1\n' },
    [
      ['config-unknown-key', 'fixtures/honest.expect.yaml', 1],
      ['agent-without-fixture', 'agents.yaml', null],
    ],
  ],
  [
    'a fixture for an unknown agent',
    { 'fixtures/a.json': fixtureFor('nobody') },
    [['fixture-agent', 'fixtures/a.json', 1]],
  ],
  [
    'an input of another class',
    { 'fixtures/a.json': input({ schema_class: 'Other' }) },
    [['fixture-class', 'fixtures/a.json', 1]],
  ],
  [
    'an input that does not fit its class',
    {
      'honest.mjs': agentModule('test.honest', BODIES.honest).replace("open('Note', [])", "open('Note', ['text'])"),
      'fixtures/honest.json': input({ text: 1 }),
      'fixtures/a.json': input({}),
    },
    [['fixture-input', 'fixtures/a.json', 1]],
  ],
  [
    'a template of init',
    { 'fixtures/a.json': input({ a: [{ b: 'FILL IN: a value' }] }) },
    [['fixture-template', 'fixtures/a.json', 1]],
  ],
  [
    'no fixture at all',
    { 'fixtures/honest.json': '' },
    [
      ['json-empty', 'fixtures/honest.json', 1],
      ['agent-without-fixture', 'agents.yaml', null],
    ],
  ],
  ['an empty profile', { 'profiles/default.yaml': '' }, [['yaml-empty', 'profiles/default.yaml', 1]]],
  [
    'a repository without a workflow of the gate',
    { '.github/workflows/grounding.yml': 'on: push\njobs: {}\n' },
    [['workflow-none', '.github/workflows', null]],
  ],
  [
    'a workflow that hands over what is not there',
    { '.github/workflows/grounding.yml': `${PULL_REQUEST_WORKFLOW}        with:\n          fixtures: nowhere\n` },
    [['workflow-path', '.github/workflows/grounding.yml', 42]],
  ],
])('finds %s', async (_what, files, expected) => {
  const { ended, findings } = await doctor(setup(files));
  expect(ended.code).toBe(1);
  expect(findings.map(({ check, file, line }) => [check, file, line])).toEqual(expected);
  for (const { check, message, remedy } of findings) {
    expect(Object.hasOwn(DOCTOR_CHECKS, check) || Object.hasOwn(ERROR_CODES, check)).toBe(true);
    expect(message).not.toBe('');
    expect(remedy).not.toBe('');
  }
});

test('says which agent may be meant', async () => {
  const { findings } = await doctor(
    setup({ 'fixtures/a.json': JSON.stringify({ agent_id: 'test.honset', input: {} }) }),
  );
  expect(findings[0]?.remedy).toBe('did you mean "test.honest"?');
});

test('finds nothing in an input that is meant not to fit', async () => {
  const more = {
    'fixtures/a.json': input({ schema_class: 'Other' }),
    'fixtures/a.expect.yaml': 'problem: input-not-accepted\n',
  };
  expect((await doctor(setup(more))).findings).toEqual([]);
});

test('finds agents.yaml, profile and fixtures missing, in lines for people', async () => {
  const folder = setup();
  for (const name of ['agents.yaml', 'profiles/default.yaml', 'fixtures'])
    rmSync(join(folder, name), { recursive: true });
  const ended = await grounding(['doctor'], { cwd: folder });
  expect(ended.code).toBe(1);
  expect(ended.stdout.split('\n').filter((line) => line.endsWith(']'))).toEqual([
    expect.stringMatching(/^agents\.yaml: no such file; .* \[config-missing\]$/),
    expect.stringMatching(/^profiles\/default\.yaml: no such file; .* \[config-missing\]$/),
    expect.stringMatching(/^fixtures: no fixture is found.*; .* \[fixtures-none\]$/),
  ]);
  expect(ended.stdout).toMatch(/\n3 findings\n$/);
});

describe('recordings', () => {
  test('that fit are no finding; one that is missing, stale or of nothing is', async () => {
    const folder = setup({ 'fixtures/honest.expect.yaml': 'repeat: 2\n' });
    const recorded = await grounding(['run', '--record', 'recordings'], { cwd: folder, env: PRINCIPAL });
    expect(recorded.code).toBe(0);
    expect((await doctor(folder)).findings).toEqual([]);
    writeFileSync(join(folder, 'recordings/more.json'), '{}');
    writeFileSync(join(folder, 'fixtures/honest.expect.yaml'), 'repeat: 3\n');
    const module = readFileSync(join(folder, 'honest.mjs'), 'utf8');
    writeFileSync(join(folder, 'honest.mjs'), module.replace("version: '1.0.0'", "version: '2.0.0'"));
    expect((await doctor(folder)).findings.map(({ check }) => check)).toEqual([
      'recording-stale',
      'recording-stale',
      'recording-missing',
      'recording-orphan',
    ]);
  });
});

describe('the runs folder', () => {
  test('is a finding where it is a file', async () => {
    const { findings } = await doctor(setup({ runs: '' }));
    expect(findings.map(({ check, file }) => [check, file])).toEqual([['runs-unwritable', 'runs']]);
  });

  test('cannot be written where this user may not, there or above, and nothing is left where it can', () => {
    const folder = setup();
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'closed'), { mode: 0o555 });
    // The superuser may write everywhere.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(65_534);
    try {
      expect(unwritableBecause(join(folder, 'closed'))).toBe('EACCES');
      expect(unwritableBecause(join(folder, 'closed/a/b'))).toBe('EACCES');
    } finally {
      if (root) process.seteuid?.(0);
    }
    expect(unwritableBecause(join(folder, 'new/runs'))).toBe(null);
  });
});

test('returns 2 where it could not look, and for arguments that make no call', async () => {
  const folder = setup();
  // A folder in the place of a file is a finding; a file that the system does not let be read hides what is in it.
  rmSync(join(folder, 'sources.yaml'));
  mkdirSync(join(folder, 'sources.yaml'));
  expect((await doctor(folder)).findings.map(({ check }) => check)).toEqual(['config-not-a-file']);
  expect((await grounding(['doctor', '--format', 'xml'], { cwd: folder })).code).toBe(2);
  rmSync(join(folder, 'profiles'), { recursive: true });
  writeFileSync(join(folder, 'profiles'), '');
  const unread = await doctor(folder, ['--profile', '/proc/self/mem']);
  expect(unread.ended.code).toBe(2);
  expect(unread.findings.map(({ check }) => check)).toContain('config-unreadable');
});

test('explains every check on its page', () => {
  const page = readFileSync(join(ROOT, 'docs/first-steps.md'), 'utf8');
  for (const [check, { means }] of Object.entries(DOCTOR_CHECKS)) expect(page).toContain(`| \`${check}\` | ${means} |`);
});
