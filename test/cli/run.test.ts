import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, grounding } from './grounding.js';
import { agentModule, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const RUN_FILES = ['crate', 'envelope.json', 'grounding.txt', 'request.json', 'sources.txt', 'spans.jsonl'];

function run(folder: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return grounding(['run', ...args], { cwd: folder, env: { ...PRINCIPAL, ...env } });
}

const storedRuns = (folder: string, runs = 'runs'): readonly string[] =>
  existsSync(join(folder, runs)) ? readdirSync(join(folder, runs)).filter((name) => /^[0-9a-f]{8}-/.test(name)) : [];

test('prints a table on standard output alone, stores every run whole, and returns 0 when all is as expected', async () => {
  const folder = workshop({ 'fixtures/deeper/abstains.json': fixtureFor('abstains') });
  const ended = await run(folder);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^ok +fixtures\/deeper\/abstains\.json +test\.abstains +input_only +abstained/m);
  expect(ended.stdout).toMatch(/^ok +fixtures\/honest\.json +test\.honest +input_only +succeeded +passed/m);
  expect(ended.stdout).toContain('declared, not checked');
  expect(ended.stdout).not.toContain('\u001b');
  const ids = storedRuns(folder);
  expect(ids.length).toBe(2);
  for (const id of ids) expect(readdirSync(join(folder, 'runs', id)).sort()).toEqual(RUN_FILES);
  expect(readFileSync(join(folder, 'runs/invocations.jsonl'), 'utf8').trimEnd().split('\n').length).toBe(2);
});

test('returns 0 and adds to the runs when it is run a second time', async () => {
  const folder = workshop();
  expect((await run(folder)).code).toBe(0);
  expect((await run(folder)).code).toBe(0);
  expect(storedRuns(folder).length).toBe(2);
});

test('runs nothing and returns 2 when --output cannot be written', async () => {
  const folder = workshop();
  const ended = await run(folder, ['--output', 'missing/report.txt']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('[output-unwritable]');
  expect(storedRuns(folder)).toEqual([]);
});

test('returns rows in fixture order as JSON, whatever order the runs end in', async () => {
  const slow = agentModule(
    'test.slow',
    `await new Promise((end) => setTimeout(end, 700)); ${'return ctx.abstained({ statement: "", reason_code: "not_applicable" });'}`,
  );
  const folder = workshop({
    'slow.mjs': slow,
    'agents.yaml': 'agents: [{ module: slow.mjs }, { module: honest.mjs }]',
    'fixtures/a-slow.json': fixtureFor('slow'),
  });
  const ended = await run(folder, ['--format', 'json', '--jobs', '2']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(ended.stdout);
  expect(report).toMatchObject({
    conclusion: 'passed',
    exit_code: 0,
    profile: 'profile:tests@v1',
    counts: { runs: 2, as_expected: 2 },
  });
  expect(report.results.map((row: { fixture: string }) => row.fixture)).toEqual([
    'fixtures/a-slow.json',
    'fixtures/honest.json',
  ]);
  expect(report.results[1]).toMatchObject({
    agent_id: 'test.honest',
    state: 'as-expected',
    grounding_mode: 'input_only',
    outcome: { status: 'succeeded', problem: null },
    grounding: { passed: true, rules: [], violations: [], retrievals: 0, chats: 0 },
    sources: { passed: true, verified: 0, unresolved: [] },
    declared_derivations: [{ field: 'text', how: 'template', recorded_in: null, checked: false }],
  });
  expect(storedRuns(folder)).toContain(report.results[1].invocation_id);
});

describe('the exit code', () => {
  test.each([
    ['1 when a fixture breaks a rule that it does not expect', { 'fixtures/m.json': fixtureFor('miscites') }, [], 1],
    ['1 when an agent fails', { 'fixtures/t.json': fixtureFor('throws') }, [], 1],
    ['1 when a fixture could not be judged while others were', { 'fixtures/n.json': fixtureFor('nobody') }, [], 1],
    ['1 when a fixture is no JSON while others were judged', { 'fixtures/bad.json': '{"agent_id": NaN}' }, [], 1],
    ['2 when none could be judged', { 'fixtures/honest.json': fixtureFor('nobody') }, [], 2],
    ['2 when the only fixture is no JSON', { 'fixtures/honest.json': '{' }, [], 2],
    [
      '0 when a withheld run is what the fixture expects',
      {
        'fixtures/m.json': fixtureFor('miscites'),
        'fixtures/m.expect.yaml': 'problem: grounding-violation\nrules: [R2, R3]\n',
      },
      [],
      0,
    ],
    [
      '1 when other rules break than the fixture expects',
      {
        'fixtures/m.json': fixtureFor('miscites'),
        'fixtures/m.expect.yaml': 'problem: grounding-violation\nrules: [R3]\n',
      },
      [],
      1,
    ],
    [
      '1 when a fixture ends well and expects otherwise',
      { 'fixtures/honest.expect.yaml': 'status: abstained\n' },
      [],
      1,
    ],
  ])('is %s', async (_what, files, args, code) => {
    expect((await run(workshop(files), args)).code).toBe(code);
  });
});

describe('a refused configuration returns 2 on one line, prints no table and stores nothing', () => {
  test.each([
    ['no fixture is found', { 'fixtures/honest.json': '' }, ['--only', '**/none*.json'], {}, 'fixtures-none'],
    ['a named fixture is missing', {}, ['fixtures/none.json'], {}, 'config-missing'],
    ['nobody is named', {}, [], { DD_PRINCIPAL_ID: '' }, 'principal-missing'],
    ['the principal has no name', {}, [], { DD_PRINCIPAL_NAME: '' }, 'principal-missing'],
    ['the principal is no IRI', {}, [], { DD_PRINCIPAL_ID: 'me' }, 'principal-malformed'],
    ['the kind of principal is unknown', {}, [], { DD_PRINCIPAL_KIND: 'robot' }, 'principal-malformed'],
    [
      'the profile has an unknown key',
      { 'profiles/default.yaml': 'profile_id: a\nversion: 1\nagents: {}\nallow_all: true\n' },
      [],
      {},
      'config-unknown-key',
    ],
    ['the profile is missing', {}, ['--profile', 'none.yaml'], {}, 'config-missing'],
    ['an agent module exports no agent', { 'honest.mjs': 'export const agent = 1;\n' }, [], {}, 'agent-module'],
    ['an agent module does not exist', { 'agents.yaml': 'agents: [{ module: none.mjs }]' }, [], {}, 'agent-module'],
    ['no agent is registered', { 'agents.yaml': 'agents: []' }, [], {}, 'agents-none'],
    [
      'a pin does not match',
      {
        'copy.jsonl': '{"id":"a"}\n',
        'sources.yaml': `sources: [{ snapshot_refs: [s], path: copy.jsonl, id_field: id, sha256: ${'ab'.repeat(32)} }]`,
      },
      [],
      {},
      'source-pin-mismatch',
    ],
    [
      'a pin has no quotes',
      {
        'sources.yaml': `sources: [{ snapshot_refs: [s], path: copy.jsonl, id_field: id, sha256: ${'12'.repeat(32)} }]`,
      },
      [],
      {},
      'config-type',
    ],
    ['a named sources file is missing', {}, ['--sources', 'none.yaml'], {}, 'config-missing'],
    [
      'an expectation has an unknown key',
      { 'fixtures/honest.expect.yaml': 'state: succeeded\n' },
      [],
      {},
      'config-unknown-key',
    ],
    [
      'an expectation has no fixture',
      { 'fixtures/other.expect.yaml': 'status: succeeded\n' },
      [],
      {},
      'fixture-orphan',
    ],
    ['--jobs is 0', {}, ['--jobs', '0'], {}, 'usage'],
    ['--jobs is no number', {}, ['--jobs', 'many'], {}, 'usage'],
    ['DD_WRITE_CRATE is neither 0 nor 1', {}, [], { DD_WRITE_CRATE: 'yes' }, 'usage'],
  ])('when %s', async (_what, files, args, env, code) => {
    const folder = workshop(files);
    const ended = await run(folder, args, env);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^error: [^\n]+ \\[${code}\\]\n$`));
    expect(storedRuns(folder)).toEqual([]);
  });
});

test('runs only what --only matches, and the fixtures that are named', async () => {
  const folder = workshop({
    'fixtures/abstains.json': fixtureFor('abstains'),
    'other/honest.json': fixtureFor('honest'),
  });
  const names = async (args: readonly string[]): Promise<readonly string[]> =>
    JSON.parse((await run(folder, [...args, '--format', 'json'])).stdout).results.map(
      (row: { fixture: string }) => row.fixture,
    );
  expect(await names(['--only', '**/abs*.json'])).toEqual(['fixtures/abstains.json']);
  expect(await names(['other/honest.json', 'fixtures'])).toEqual([
    'fixtures/abstains.json',
    'fixtures/honest.json',
    'other/honest.json',
  ]);
});

test('starts nothing after the first run that was not as expected with --fail-fast', async () => {
  const folder = workshop({ 'fixtures/a.json': fixtureFor('throws'), 'fixtures/z.json': fixtureFor('abstains') });
  const ended = await run(folder, ['--fail-fast', '--jobs', '1', '--format', 'json']);
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout).results.map((row: { state: string }) => row.state)).toEqual([
    'unexpected',
    'not-judged',
    'not-judged',
  ]);
  expect(storedRuns(folder).length).toBe(1);
});

test('runs a fixture as often as it asks to be repeated', async () => {
  const ended = await run(workshop({ 'fixtures/honest.expect.yaml': 'repeat: 3\n' }), ['--format', 'json']);
  expect(JSON.parse(ended.stdout).results.map((row: { repeat: number }) => row.repeat)).toEqual([1, 2, 3]);
});

test('does not judge a fixture twice that names its invocation_id', async () => {
  const id = '0193b0f0-0000-7000-8000-00000000000a';
  const fixture = JSON.stringify({ ...JSON.parse(fixtureFor('honest')), invocation_id: id });
  const folder = workshop({ 'fixtures/honest.json': fixture });
  expect((await run(folder)).code).toBe(0);
  expect(storedRuns(folder)).toEqual([id]);
  const again = await run(folder);
  expect(again.code).toBe(2);
  expect(again.stdout).toContain('[invocation-stored]');
});

describe('--unresolved', () => {
  const fetches = agentModule(
    'test.fetches',
    "const read = await ctx.retrieval({ source_id: 'src:live', canonicalisation: 'dd-json-document-v1' }, () => ({ id: 'src:live' })); return ctx.succeeded({ statement: '', payload: { grounded_on: [ctx.cite(read)] } });",
    'retrieval',
  );
  const files = {
    'fetches.mjs': fetches,
    'agents.yaml': 'agents: [{ module: fetches.mjs }]',
    'fixtures/honest.json': fixtureFor('fetches'),
  };

  test.each([
    ['allow', 0, true],
    ['warn', 0, true],
    ['fail', 1, false],
  ])('%s returns %i when evidence is unresolved', async (policy, code, passed) => {
    const ended = await run(workshop(files), ['--unresolved', policy, '--format', 'json']);
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout).results[0].sources).toMatchObject({
      passed,
      rules: [],
      unresolved: ['src:live (live)'],
    });
  });

  test('lists the items under warn', async () => {
    expect((await run(workshop(files))).stdout).toContain('src:live (live)');
  });
});

test('takes flags over the environment, and the environment over the defaults', async () => {
  const folder = workshop();
  expect((await run(folder, [], { DD_RUNS_DIR: 'from-env', DD_WRITE_CRATE: '0' })).code).toBe(0);
  const [id = ''] = storedRuns(folder, 'from-env');
  expect(readdirSync(join(folder, 'from-env', id)).sort()).toEqual(RUN_FILES.slice(1));
  expect((await run(folder, ['--runs', 'from-flag'], { DD_RUNS_DIR: 'from-env' })).code).toBe(0);
  expect(storedRuns(folder, 'from-flag').length).toBe(1);
  expect(storedRuns(folder)).toEqual([]);
});

test('writes the report to --output and nothing to standard output', async () => {
  const folder = workshop();
  const ended = await run(folder, ['--format', 'json', '--output', 'report.json']);
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({ exit_code: 0 });
});

test('notes what the repair of the runs folder did to half a line of a killed process', async () => {
  const folder = workshop();
  expect((await run(folder)).code).toBe(0);
  appendFileSync(join(folder, 'runs/invocations.jsonl'), '{"invocation_id":');
  const ended = await run(folder);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^note: runs: /m);
  expect(readFileSync(join(folder, 'runs/invocations.jsonl'), 'utf8').trimEnd().split('\n').length).toBe(2);
});

test('notes a missing default sources file', async () => {
  const folder = workshop();
  const ended = await run(folder, ['--sources', 'sources.yaml']);
  expect(ended.stderr).toBe('');
  const without = await grounding(
    [
      'run',
      '--agents',
      join(folder, 'agents.yaml'),
      '--profile',
      join(folder, 'profiles/default.yaml'),
      '--runs',
      join(folder, 'runs'),
      join(folder, 'fixtures/honest.json'),
    ],
    {
      cwd: join(folder, 'runs'),
      env: PRINCIPAL,
    },
  );
  expect(without).toMatchObject({ code: 0 });
  expect(without.stdout).toContain('note: ');
});

test('notes an agent that the profile enables and nobody registered, and which one may be meant', async () => {
  const profile = 'profile_id: tests\nversion: 1\nagents:\n  test.honest: note\n  test.hones: note\n';
  const ended = await run(workshop({ 'profiles/default.yaml': profile }));
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^note: profiles\/default\.yaml:5: .*"test\.hones".*did you mean "test\.honest"\?$/m);
});
