import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ROOT } from './grounding.js';
import { agentModule, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const CLI = join(ROOT, 'build/cli.js');
const ENV = { ...PRINCIPAL, PATH: process.env['PATH'] };

/** What a terminal of this many columns shows of a shell command, from util-linux's `script`. */
async function onTerminal(
  command: string,
  { cwd, columns }: { readonly cwd: string; readonly columns: number },
): Promise<string> {
  const child = spawn('script', ['-qec', `stty cols ${columns}; ${command}`, '/dev/null'], {
    cwd,
    env: ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
  return shown;
}

const run = `'${process.execPath}' '${CLI}' run`;

describe('on a terminal', () => {
  test('shows a bar, then the table in colour', async () => {
    const shown = await onTerminal(run, { cwd: workshop(), columns: 200 });
    expect(shown).toContain('1/1 runs');
    expect(shown).toContain('\u001b[32mok');
  });

  test('shows rate and time left while stored runs are judged', async () => {
    const vectors = join(ROOT, 'test/vectors/stored-runs');
    const shown = await onTerminal(`'${process.execPath}' '${CLI}' reverify --only '01a0c455-bfcb-*'`, {
      cwd: vectors,
      columns: 120,
    });
    expect(shown).toMatch(/1\/1 runs, \d+\/s, \S+ left/);
    expect(shown).toContain('1 run: 1 passed');
  });

  test('shows no line of the table wider than it is', async () => {
    const shown = await onTerminal(run, {
      cwd: workshop({ 'profiles/default.yaml': 'profile_id: t\nversion: 1\nagents: {test.honest: note}\n' }),
      columns: 80,
    });
    const lines = shown
      .slice(shown.lastIndexOf('runs,'))
      .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
      .split(/\r?\n/)
      .slice(1);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('ends when the terminal says that it has no columns', async () => {
    expect(await onTerminal(run, { cwd: workshop(), columns: 0 })).toContain('1 run');
  });

  test('shows no colour with NO_COLOR, and neither bar nor colour when both streams are piped, though CI is set', async () => {
    expect(await onTerminal(`NO_COLOR=1 ${run}`, { cwd: workshop(), columns: 200 })).not.toContain('\u001b[3');
    const folder = workshop();
    await onTerminal(`CI=1 ${run} >out.txt 2>err.txt`, { cwd: folder, columns: 80 });
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).not.toContain('\u001b');
    expect(readFileSync(join(folder, 'err.txt'), 'utf8')).toBe('');
  });

  test('keeps standard output free of the bar when it alone is piped', async () => {
    const folder = workshop();
    expect(await onTerminal(`${run} >out.txt`, { cwd: folder, columns: 80 })).toContain('1/1 runs');
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toMatch(/^result /);
  });
});

/** An agent that says which process it is, then works until it is killed. */
const BUSY = agentModule(
  'test.slow',
  "const { writeFileSync } = await import('node:fs'); writeFileSync('pid', String(process.pid)); for (;;);",
);

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await setTimeout(20);
  expect(condition()).toBe(true);
}

describe('when it is interrupted', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s it ends its agents, leaves no half run and returns %i', async (signal, code) => {
    const folder = workshop({
      'slow.mjs': BUSY,
      'agents.yaml': 'agents: [{ module: slow.mjs }, { module: honest.mjs }]',
      'fixtures/z-slow.json': fixtureFor('slow'),
    });
    const child = spawn(process.execPath, [CLI, 'run', '--jobs', '1'], {
      cwd: folder,
      env: ENV,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    const ended = new Promise((resolve) => child.on('close', resolve));
    await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '');
    const agent = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(isAlive(agent)).toBe(true);

    child.kill(signal);
    expect(await ended).toBe(code);
    await until(() => !isAlive(agent));
    expect(printed).toBe('');
    // The honest run was whole before; of the busy one there is nothing, no reservation either.
    const left = readdirSync(join(folder, 'runs'));
    expect(left.filter((name) => /^[0-9a-f]{8}-/.test(name)).length).toBe(1);
    expect(left.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(readFileSync(join(folder, 'runs/invocations.jsonl'), 'utf8').trimEnd().split('\n').length).toBe(1);
  });
});
