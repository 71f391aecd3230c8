import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stage, until } from '../../test/bot/support.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** One instruction of the Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

const INSTRUCTIONS: readonly Instruction[] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [name = '', ...rest] = line.split(' ');
    return { name, rest: rest.join(' ') };
  });
const SECOND = INSTRUCTIONS.findLastIndex(({ name }) => name === 'FROM');
const STAGES = [INSTRUCTIONS.slice(0, SECOND), INSTRUCTIONS.slice(SECOND)] as const;

/** Someone without rights, as the image's user is. */
const NOBODY = 65534;

test('knows every instruction of the Dockerfile', () => {
  const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'HEALTHCHECK', 'CMD'];
  expect(INSTRUCTIONS.filter(({ name }) => !known.includes(name))).toEqual([]);
  expect(INSTRUCTIONS.filter(({ name }) => name === 'FROM').every(({ rest }) => rest.startsWith('node:20.'))).toBe(
    true,
  );
});

test('builds a bot that starts without rights and says that it is well, by the steps of the Dockerfile', async () => {
  const scene = await stage();
  const home = mkdtempSync(join(tmpdir(), 'grounding-image-'));
  const [build, image] = [join(home, 'build'), join(home, 'image')];
  onTestFinished(() => void execFileSync('rm', ['-rf', home]), 300_000);
  for (const folder of [build, image]) mkdirSync(folder);
  for (const one of STAGES[0]) await perform(one, { home: build, from: ROOT });
  const environment: Record<string, string> = {};
  for (const one of STAGES[1]) {
    if (one.name === 'ENV') {
      const [name = '', value = ''] = one.rest.split('=');
      environment[name] = value;
    } else await perform(one, { home: image, from: build });
  }
  for (const folder of [home, image]) chmodSync(folder, 0o755);
  expect(existsSync(join(image, 'node_modules'))).toBe(false);
  const { rest: command = '' } = STAGES[1].find(({ name }) => name === 'CMD') ?? {};
  const [program = '', ...args] = JSON.parse(command) as string[];
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...environment,
    ...scene.environment,
    PORT: '38417',
    HOST: '127.0.0.1',
  };
  const child = spawn(program, args, { cwd: image, uid: NOBODY, gid: NOBODY, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  await until(() => said.includes('the bot listens') || child.exitCode !== null, 'the bot listens');
  expect(said).toContain('the bot listens');
  const { rest: health = '' } = STAGES[1].find(({ name }) => name === 'HEALTHCHECK') ?? {};
  execFileSync('bash', ['-c', health.replace(/^CMD /, '')], { env });
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 600_000);

/** Does one step as a script: `COPY` of what git knows, as .dockerignore leaves it, or of a file of the stage before. */
async function perform({ name, rest }: Instruction, { home, from }: { home: string; from: string }): Promise<void> {
  if (name === 'RUN') execFileSync('bash', ['-ec', rest], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  if (name !== 'COPY') return;
  const [source = '', target = ''] = rest.replace('--from=build ', '').split(' ');
  const files = source === '.' ? tracked() : [source.replace(/^\/app\//, '')];
  for (const file of files) {
    const to = join(home, source === '.' ? file : target);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(from, file), to, { recursive: true });
  }
}

const tracked = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
