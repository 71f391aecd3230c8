import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { pinFor } from '../action/project.js';
import { grounding, ROOT } from './grounding.js';
import { agentModule, BODIES, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const CLI = join(ROOT, 'build/cli.js');
const READY = 'watching; Ctrl-C ends it\n';

/** A watch that goes on until it is told to end. */
function watching(folder: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [CLI, 'run', '--watch', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...PRINCIPAL },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  let out = '';
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const rounds = (): number => err.split(READY).length - 1;
  let seen = 0;
  return {
    /** What the next round tells; fails when there is none. */
    async round(): Promise<{ fixtures: readonly string[]; err: string }> {
      for (let i = 0; i < 1000 && rounds() <= seen; i++) await setTimeout(20);
      expect(rounds()).toBeGreaterThan(seen);
      seen = rounds();
      const told = {
        fixtures: [...out.matchAll(/^(?:ok|FAILED|NOT JUDGED) {2,}(\S+)/gm)].map(([, name]) => name ?? ''),
        err,
      };
      out = '';
      err = '';
      seen = 0;
      return told;
    },
    rounds,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended,
  };
}

const RECORDS = '{"id":"rec:1"}\n';

/** A module that imports the agent library as a package, as a user's does: what is installed is not watched. */
const asUsersDo = (source: string): string =>
  source.replace(JSON.stringify(join(ROOT, 'build/agent.js')), "'grounding-gate/agent'");

/** Two agents, one of which imports a file, and a fixture of each. */
function setup(): string {
  const honest = agentModule('test.honest', BODIES.honest.replace("'Noted.'", 'text'));
  const folder = workshop({
    'agents.yaml': 'agents:\n  - module: honest.mjs\n  - module: abstains.mjs\n',
    'honest.mjs': asUsersDo(`import { text } from './lib/text.mjs';\n${honest}`),
    'abstains.mjs': asUsersDo(agentModule('test.abstains', BODIES.abstains)),
    'lib/text.mjs': "export const text = 'Noted.';\n",
    'fixtures/other.json': fixtureFor('abstains'),
    'records.jsonl': RECORDS,
    'sources.yaml': pinFor(RECORDS),
  });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/grounding-gate'));
  return folder;
}

test('runs everything, then what each change touches, and ends with 0 at Ctrl-C', async () => {
  const folder = setup();
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const watch = watching(folder);
  expect((await watch.round()).fixtures).toEqual(['fixtures/honest.json', 'fixtures/other.json']);

  write('fixtures/other.expect.yaml', 'status: abstained\n');
  expect((await watch.round()).fixtures).toEqual(['fixtures/other.json']);

  write('lib/text.mjs', "export const text = 'Noted again.';\n");
  expect((await watch.round()).fixtures).toEqual(['fixtures/honest.json']);

  // As editors save: written beside, the old one moved away, the new one moved into its place.
  write('abstains.mjs.tmp', readFileSync(join(folder, 'abstains.mjs'), 'utf8').replace('Nothing.', 'None.'));
  renameSync(join(folder, 'abstains.mjs'), join(folder, 'abstains.mjs~'));
  renameSync(join(folder, 'abstains.mjs.tmp'), join(folder, 'abstains.mjs'));
  expect((await watch.round()).fixtures).toEqual(['fixtures/other.json']);
  // And once more, since the file is another one now.
  appendFileSync(join(folder, 'abstains.mjs'), '// x\n');
  expect((await watch.round()).fixtures).toEqual(['fixtures/other.json']);

  mkdirSync(join(folder, 'fixtures/new/deep'), { recursive: true });
  write('fixtures/new/deep/one.json', fixtureFor('honest'));
  expect((await watch.round()).fixtures).toEqual(['fixtures/new/deep/one.json']);

  write('profiles/default.yaml', `${readFileSync(join(folder, 'profiles/default.yaml'), 'utf8')}# more\n`);
  expect((await watch.round()).fixtures.length).toBe(3);

  watch.kill('SIGINT');
  expect(await watch.ended).toBe(0);
  expect(existsSync(join(folder, 'runs'))).toBe(true);
});

test('goes on after a run that was refused, says why, and takes the next change for one of everything', async () => {
  const folder = setup();
  const watch = watching(folder);
  await watch.round();
  writeFileSync(join(folder, 'records.jsonl'), `${RECORDS}{"id":"rec:2"}\n`);
  expect((await watch.round()).err).toContain('[source-pin-mismatch]');
  const pinned = await grounding(['pin', 'records.jsonl', '--ref', 'records-1', '--id-field', 'id'], { cwd: folder });
  expect(pinned.code).toBe(0);
  expect((await watch.round()).fixtures.length).toBe(2);
  writeFileSync(join(folder, 'honest.mjs'), 'export default (');
  expect((await watch.round()).err).toContain('[agent-module]');
  watch.kill('SIGTERM');
  expect(await watch.ended).toBe(2);
});

test('runs nothing for what no run rests on, and takes changes that come together for one', async () => {
  const folder = setup();
  const watch = watching(folder);
  await watch.round();
  writeFileSync(join(folder, 'README.md'), 'x');
  rmSync(join(folder, 'throws.mjs'));
  await setTimeout(600);
  for (let i = 0; i < 20; i++) {
    appendFileSync(join(folder, 'fixtures/other.json'), '\n');
    appendFileSync(join(folder, 'fixtures/honest.json'), '\n');
  }
  const { fixtures, err } = await watch.round();
  expect(fixtures).toEqual(['fixtures/honest.json', 'fixtures/other.json']);
  expect(err.match(/^changed: /gm)).toEqual(['changed: ']);
  watch.kill('SIGINT');
  expect(await watch.ended).toBe(0);
});

test('never makes two runs at once: what changes meanwhile runs next', async () => {
  const folder = setup();
  const body =
    "const { appendFileSync } = await import('node:fs'); appendFileSync('log.txt', '('); await new Promise((end) => setTimeout(end, 1200)); appendFileSync('log.txt', ')'); return ctx.abstained({ statement: '', reason_code: 'not_applicable' });";
  writeFileSync(join(folder, 'abstains.mjs'), agentModule('test.abstains', body));
  const watch = watching(folder, ['fixtures/other.json']);
  await watch.round();
  writeFileSync(join(folder, 'fixtures/other.expect.yaml'), 'status: abstained\n');
  const log = (): string => readFileSync(join(folder, 'log.txt'), 'utf8');
  for (let i = 0; i < 500 && log() !== '()('; i++) await setTimeout(20);
  writeFileSync(join(folder, 'fixtures/other.expect.yaml'), 'status: succeeded\n');
  await watch.round();
  for (let i = 0; i < 500 && watch.rounds() === 0; i++) await setTimeout(20);
  expect(log()).toBe('()()()');
  watch.kill('SIGINT');
  // The last run did not end as its fixture expects by then.
  expect(await watch.ended).toBe(1);
});

test('ends at once, with its agents, when it is interrupted in the middle of a run', async () => {
  const folder = setup();
  writeFileSync(
    join(folder, 'abstains.mjs'),
    agentModule(
      'test.abstains',
      "const { writeFileSync } = await import('node:fs'); writeFileSync('pid', String(process.pid)); for (;;);",
    ),
  );
  const watch = watching(folder, ['fixtures/other.json']);
  for (let i = 0; i < 500 && !existsSync(join(folder, 'pid')); i++) await setTimeout(20);
  watch.kill('SIGINT');
  expect(await watch.ended).toBe(2);
  const stat = `/proc/${readFileSync(join(folder, 'pid'), 'utf8')}/stat`;
  const isAlive = (): boolean => existsSync(stat) && !readFileSync(stat, 'utf8').includes(') Z ');
  for (let i = 0; i < 200 && isAlive(); i++) await setTimeout(20);
  expect(isAlive()).toBe(false);
});

test.each(['--replay', '--format', '--output'])('returns 2 for --watch with %s', async (flag) => {
  const folder = setup();
  const ended = await grounding(['run', '--watch', flag, flag === '--format' ? 'json' : 'x'], {
    cwd: folder,
    env: PRINCIPAL,
  });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('[usage]');
});
