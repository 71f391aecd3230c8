import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../core/json/index.js';
import { recordingName } from '../../core/recordings/index.js';
import { junitFaults, sarifFaults, schemaFaults } from '../report/published.js';
import { type Ended, grounding, ROOT } from './grounding.js';
import { start } from './serving.js';
import { agentModule, BODIES, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

/** Leaves a mark in its folder whenever it is called. */
const CALLED = "const { appendFileSync } = await import('node:fs'); appendFileSync('called.txt', 'x');";

function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return grounding(['run', ...args], { cwd: folder, env: { ...PRINCIPAL, ...env } });
}

const runsIn = (folder: string, runs: string): readonly string[] =>
  existsSync(join(folder, runs)) ? readdirSync(join(folder, runs)).filter((name) => /^[0-9a-f]{8}-/.test(name)) : [];

/** The files of a stored run that a replay under the same settings makes again to the byte. */
const SAME = ['request.json', 'envelope.json', 'spans.jsonl', 'grounding.txt', 'sources.txt'];

function expectSameRuns(folder: string, [first, second]: readonly [string, string]): void {
  const ids = runsIn(folder, first);
  expect(ids.length).toBeGreaterThan(0);
  expect(runsIn(folder, second)).toEqual(ids);
  for (const id of ids)
    for (const file of SAME)
      expect(readFileSync(join(folder, second, id, file), 'utf8')).toBe(
        readFileSync(join(folder, first, id, file), 'utf8'),
      );
}

const recordingOf = (folder: string, fixture: string, repeat = 1): string =>
  join(folder, 'rec', recordingName({ fixture, repeat }));

/** A folder in which one honest agent's fixture is recorded. */
async function recorded(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = workshop({ 'honest.mjs': agentModule('test.honest', CALLED + BODIES.honest), ...more });
  expect((await run(folder, ['--record', 'rec', '--runs', 'live'])).stderr).toBe('');
  return folder;
}

const results = (ended: Ended): { state: string; error: string | null; replayed?: true }[] =>
  JSON.parse(ended.stdout).results;

describe('a replay', () => {
  test('returns every file of every run to the byte, whatever the run came to, and calls no agent', async () => {
    const folder = await recorded({
      'fixtures/abstains.json': fixtureFor('abstains'),
      'fixtures/miscites.json': fixtureFor('miscites'),
      'fixtures/miscites.expect.yaml': 'problem: grounding-violation\n',
      'fixtures/throws.json': fixtureFor('throws'),
      'fixtures/throws.expect.yaml': 'problem: agent-error\n',
      'fixtures/other.json': JSON.stringify({ agent_id: 'test.honest', input: { schema_class: 'Other' } }),
      'fixtures/other.expect.yaml': 'problem: input-not-accepted\n',
      'fixtures/honest.expect.yaml': 'repeat: 3\n',
    });
    expect(readFileSync(join(folder, 'called.txt'), 'utf8')).toBe('xxx');
    const names = readdirSync(join(folder, 'rec'));
    expect(names.length).toBe(7);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expectSameRuns(folder, ['live', 'again']);
    expect(readFileSync(join(folder, 'called.txt'), 'utf8')).toBe('xxx');
    expect(ended.stdout.match(/ replayed$/gm)?.length).toBe(7);
    expect(ended.stdout).toContain('7 runs were judged again from recordings, no agent was called');
    const reverified = await grounding(['reverify', 'again'], { cwd: folder });
    expect(reverified.code).toBe(0);
  });

  test('says so in every format and in the crate', async () => {
    const folder = await recorded({ 'fixtures/miscites.json': fixtureFor('miscites') });
    const told = async (format: string): Promise<string> => {
      const ended = await run(folder, ['--replay', 'rec', '--runs', format, '--format', format]);
      expect(ended.code).toBe(1);
      return ended.stdout;
    };
    const json = await told('json');
    expect(JSON.parse(json).results.map((one: { replayed?: true }) => one.replayed)).toEqual([true, true]);
    expect(schemaFaults('report')(JSON.parse(json))).toEqual([]);
    const junit = await told('junit');
    expect(junit.match(/<system-out>replayed from a recording/g)?.length).toBe(2);
    expect(await junitFaults(junit)).toEqual([]);
    const sarif = await told('sarif');
    const [log] = JSON.parse(sarif).runs;
    expect(log.properties).toEqual({ replayed: 2 });
    expect(log.results[0].properties.replayed).toBe(true);
    expect(sarifFaults(JSON.parse(sarif))).toEqual([]);
    expect(await told('markdown')).toContain('**Replayed**: 2 runs judged again from recordings');
    const [id = ''] = runsIn(folder, 'json');
    const crate = readFileSync(join(folder, 'json', id, 'crate/ro-crate-metadata.json'), 'utf8');
    expect(crate).toContain('"@id": "#replayed"');
    expect(readFileSync(join(folder, 'live', id, 'crate/ro-crate-metadata.json'), 'utf8')).not.toContain('#replayed');
  });

  test('judges by the profile, pins and expectations of today, and names whom it is made for today', async () => {
    const folder = await recorded();
    const other = { DD_PRINCIPAL_ID: 'mailto:other@example.org', DD_PRINCIPAL_NAME: 'Other' };
    expect((await run(folder, ['--replay', 'rec', '--runs', 'a'], other)).code).toBe(0);
    const [id = ''] = runsIn(folder, 'a');
    expect(readFileSync(join(folder, 'a', id, 'envelope.json'), 'utf8')).toContain('other@example.org');
    writeFileSync(join(folder, 'profiles/default.yaml'), 'profile_id: tests\nversion: 2\nagents: {}\n');
    const refused = await run(folder, ['--replay', 'rec', '--runs', 'b']);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('agent-not-permitted');
  });

  test('returns the recorded runs of services, those that we start and those that we do not, the latter offline', async () => {
    const free = 20_000 + (process.pid % 20_000);
    const cli = JSON.stringify(join(ROOT, 'build/cli.js')).slice(1, -1);
    const folder = workshop({ 'fixtures/abstains.json': fixtureFor('abstains') });
    const served = await start(['serve-agent', 'abstains.mjs'], { cwd: folder });
    const agents = (url: string): string =>
      `agents:\n  - url: http://127.0.0.1:${free}\n    start: '"${process.execPath}" "${cli}" serve-agent honest.mjs --port ${free}'\n  - url: ${url}\n`;
    writeFileSync(join(folder, 'agents.yaml'), agents(served.url));
    expect(await run(folder, ['--record', 'rec', '--runs', 'live'])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(folder, ['--replay', 'rec', '--runs', 'near'])).toMatchObject({ code: 0, stderr: '' });
    expectSameRuns(folder, ['live', 'near']);
    await served.stop();
    const far = await run(folder, ['--replay', 'rec', '--runs', 'far']);
    expect(far).toMatchObject({ code: 0, stderr: '' });
    expect(far.stdout).toContain('note: the service of test.abstains cannot be asked what it is today');
    expectSameRuns(folder, ['live', 'far']);
    // Another service is not the one that was recorded, however alike.
    writeFileSync(join(folder, 'agents.yaml'), agents('http://127.0.0.1:9'));
    const moved = await run(folder, ['--replay', 'rec', '--runs', 'moved', '--format', 'json']);
    expect(results(moved).map(({ state }) => state)).toEqual(['not-judged', 'as-expected']);
    expect(results(moved)[0]?.error).toContain('[agent-unknown]');
  });

  test('needs no variable that agents.yaml gives an agent', async () => {
    const folder = workshop({ 'agents.yaml': 'agents: [{ module: honest.mjs, env: [SOME_KEY] }]\n' });
    expect((await run(folder, ['--record', 'rec', '--runs', 'live'], { SOME_KEY: 'k' })).code).toBe(0);
    expect((await run(folder, ['--record', 'rec', '--runs', 'live2'])).stderr).toContain('[agent-environment]');
    expect((await run(folder, ['--replay', 'rec', '--runs', 'again'])).code).toBe(0);
  });

  test('returns what `offline: true` was recorded with, and refuses what was recorded with a network', async () => {
    const folder = await recorded({ 'fixtures/honest.expect.yaml': 'offline: true\n' });
    expect((await run(folder, ['--replay', 'rec', '--runs', 'a'])).code).toBe(0);
    writeFileSync(join(folder, 'fixtures/honest.expect.yaml'), 'status: succeeded\n');
    expect((await run(folder, ['--record', 'rec', '--runs', 'b'])).code).toBe(0);
    writeFileSync(join(folder, 'fixtures/honest.expect.yaml'), 'offline: true\n');
    expect((await run(folder, ['--replay', 'rec', '--runs', 'c'])).stdout).toContain('[recording-stale]');
  });
});

describe('a replay of a delegating agent', () => {
  const module = (name: string): string => JSON.stringify(join(ROOT, 'examples/agents', `${name}.js`));
  const profile = (more: string): string =>
    `profile_id: tests\nversion: 1\nagents: {orchestrator.stub: orchestrate, example.hello: converse${more}}\n`;
  const task = (text: string, agent = 'example.hello') => ({
    agent_id: agent,
    input: { schema_class: 'Message', message_text: text },
  });

  function delegating(): string {
    const input = { schema_class: 'Assignment', tasks: [task('Good morning'), task('Good night')] };
    return workshop({
      'agents.yaml': `agents: [{module: ${module('orchestrator')}}, {module: ${module('hello')}}]\n`,
      'profiles/default.yaml': profile(''),
      'fixtures/honest.json': JSON.stringify({ agent_id: 'orchestrator.stub', input }),
    });
  }

  test('returns it and its children to the byte, under another principal and profile as well', async () => {
    const folder = delegating();
    expect(await run(folder, ['--record', 'rec', '--runs', 'live'])).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(folder, 'rec')).length).toBe(1);
    expect(runsIn(folder, 'live').length).toBe(3);
    expect((await run(folder, ['--replay', 'rec', '--runs', 'again'])).code).toBe(0);
    expectSameRuns(folder, ['live', 'again']);
    expect(readFileSync(join(folder, 'again/invocations.jsonl'), 'utf8').split('\n').length).toBe(4);
    writeFileSync(join(folder, 'profiles/default.yaml'), profile(', test.more: note'));
    const other = { DD_PRINCIPAL_NAME: 'Another' };
    expect((await run(folder, ['--replay', 'rec', '--runs', 'other'], other)).code).toBe(0);
    expect((await grounding(['reverify', 'other'], { cwd: folder })).code).toBe(0);
  });

  test('is refused when a child ends otherwise than it did, since its parent answered to that', async () => {
    const folder = delegating();
    expect((await run(folder, ['--record', 'rec', '--runs', 'live'])).code).toBe(0);
    writeFileSync(
      join(folder, 'profiles/default.yaml'),
      'profile_id: tests\nversion: 1\nagents: {orchestrator.stub: orchestrate}\n',
    );
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again']);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toMatch(/delegated to example\.hello ends otherwise .*\[recording-stale\]/);
  });
});

describe('a recording is refused, with file, reason and remedy,', () => {
  const INPUT = JSON.stringify({ agent_id: 'test.honest', input: { schema_class: 'Note', more: 1 } });
  const REQUEST = JSON.stringify({
    agent_id: 'test.honest',
    input: { schema_class: 'Note' },
    requirement_ids: ['R-1'],
  });
  const edited = (from: string, to: string) => (folder: string) => {
    const file = join(folder, 'honest.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  };
  const altered = (change: (text: string) => string) => (folder: string) => {
    const file = recordingOf(folder, 'fixtures/honest.json');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };

  test.each<[string, (folder: string) => void, string, RegExp]>([
    ['its input', (folder) => writeFileSync(join(folder, 'fixtures/honest.json'), INPUT), 'recording-stale', /input/],
    [
      'its request',
      (folder) => writeFileSync(join(folder, 'fixtures/honest.json'), REQUEST),
      'recording-stale',
      /beside/,
    ],
    [
      'its agent',
      (folder) => writeFileSync(join(folder, 'fixtures/honest.json'), fixtureFor('throws')),
      'recording-stale',
      /asks for the agent/,
    ],
    [
      'the version',
      edited("version: '1.0.0'", "version: '1.0.1'"),
      'recording-stale',
      /version was 1\.0\.0 and is 1\.0\.1/,
    ],
    [
      'an input class',
      edited("Note: open('Note', [])", "Note: { ...open('Note', []), title: 'x' }"),
      'recording-stale',
      /class "Note"/,
    ],
    [
      'the payload class',
      edited("open('Noted', ['grounded_on'])", "open('Noted', ['grounded_on', 'text'])"),
      'recording-stale',
      /class "Noted"/,
    ],
    ['a value in it', altered((text) => text.replace('Noted.', 'Proved.')), 'recording-refused', /altered/],
    ['its end', altered((text) => text.slice(0, -200)), 'recording-refused', /cannot be read/],
    ['all of it', altered(() => ''), 'recording-refused', /cannot be read/],
    [
      'its shape',
      altered((text) => text.replace('"repeat": 1', '"repeat": 1, "more": 1')),
      'recording-refused',
      /no recording/,
    ],
    [
      'its format',
      altered((text) => text.replace('"recording_version": 1', '"recording_version": 2')),
      'recording-refused',
      /version 2/,
    ],
    [
      'its being there',
      (folder) => rmSync(recordingOf(folder, 'fixtures/honest.json')),
      'recording-missing',
      /no recording of/,
    ],
  ])('when %s has changed', async (_what, change, code, reason) => {
    const folder = await recorded();
    change(folder);
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again', '--format', 'json']);
    expect(ended.code).toBe(2);
    const [row] = results(ended);
    expect(row?.state).toBe('not-judged');
    expect(row?.error).toMatch(reason);
    expect(row?.error).toMatch(new RegExp(`^rec/[0-9a-f]{64}\\.json: .*; record .* \\[${code}\\]$`));
    expect(runsIn(folder, 'again')).toEqual([]);
  });

  test('when it stands in the place of another, or is a link out of the repository', async () => {
    const folder = await recorded({ 'fixtures/other.json': fixtureFor('abstains') });
    const other = recordingOf(folder, 'fixtures/other.json');
    writeFileSync(recordingOf(folder, 'fixtures/honest.json'), readFileSync(other));
    rmSync(other);
    const outside = join(workshop({ 'secret.json': '{"a": 1}' }), 'secret.json');
    symlinkSync(outside, other);
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again', '--format', 'json']);
    expect(results(ended)[0]?.error).toContain('[recording-stale]');
    expect(results(ended)[1]?.error).toContain('[config-outside]');
  });

  test('alone: other fixtures are judged, and the exit code is 1', async () => {
    const folder = await recorded({ 'fixtures/other.json': fixtureFor('abstains') });
    rmSync(recordingOf(folder, 'fixtures/other.json'));
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again', '--format', 'json']);
    expect(ended.code).toBe(1);
    expect(results(ended).map(({ state }) => state)).toEqual(['as-expected', 'not-judged']);
  });

  test('when its agent was not called then and would be now', async () => {
    const folder = workshop({ 'profiles/default.yaml': 'profile_id: tests\nversion: 1\nagents: {}\n' });
    expect((await run(folder, ['--record', 'rec', '--runs', 'live'])).code).toBe(1);
    writeFileSync(
      join(folder, 'profiles/default.yaml'),
      'profile_id: tests\nversion: 1\nagents: {test.honest: note}\n',
    );
    const ended = await run(folder, ['--replay', 'rec', '--runs', 'again', '--format', 'json']);
    expect(results(ended)[0]?.error).toContain('was not called then');
    expect(results(ended)[0]?.error).toContain('[recording-stale]');
    expect(readdirSync(join(folder, 'again')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('a call is refused as a whole', () => {
  test.each<[string, readonly string[], string]>([
    ['the runs folder holds runs', ['--replay', 'rec', '--runs', 'live'], 'replay-runs'],
    ['the runs folder holds anything', ['--replay', 'rec', '--runs', 'fixtures'], 'replay-runs'],
    ['the runs folder is a file', ['--replay', 'rec', '--runs', 'agents.yaml'], 'replay-runs'],
    ['there is no folder of recordings', ['--replay', 'none', '--runs', 'again'], 'recording-missing'],
    ['recordings go where a file stands', ['--record', 'agents.yaml/x'], 'recording-unwritable'],
    ['it records and replays', ['--replay', 'rec', '--record', 'rec'], 'usage'],
    ['a path is empty', ['--replay', '', '--runs', 'again'], 'usage'],
  ])('when %s', async (_what, args, code) => {
    const folder = await recorded();
    const ended = await run(folder, args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^error: [^\\n]+ \\[${code}\\]\\n$`));
  });
});

test('a recording is the same file again when it is written again, and never half a file', async () => {
  const folder = await recorded();
  const [first] = readdirSync(join(folder, 'rec'));
  appendFileSync(join(folder, 'rec', first ?? ''), 'x');
  expect((await run(folder, ['--record', 'rec', '--runs', 'live2'])).code).toBe(0);
  expect(readdirSync(join(folder, 'rec'))).toEqual([first]);
  expect(() => parseJson(readFileSync(join(folder, 'rec', first ?? '')), { file: 'rec' })).not.toThrow();
  // A file-size limit ends the write in the middle, as a full disk does.
  const before = readFileSync(join(folder, 'rec', first ?? ''), 'utf8');
  const small = spawnSync(
    'bash',
    [
      '-c',
      `trap '' XFSZ; ulimit -f 0; exec "${process.execPath}" "${join(ROOT, 'build/cli.js')}" run --record rec --runs live3`,
    ],
    { cwd: folder, env: { ...PRINCIPAL, PATH: process.env['PATH'] }, encoding: 'utf8' },
  );
  expect(small.status).toBe(2);
  expect(readdirSync(join(folder, 'rec'))).toEqual([first]);
  expect(readFileSync(join(folder, 'rec', first ?? ''), 'utf8')).toBe(before);
});
