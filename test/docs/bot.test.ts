import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, onTestFinished, test } from 'vitest';
import { CONFIG_KEYS, parseGroundingConfig } from '../../bot/config/grounding-config.js';
import { LOG_LEVELS, REQUIRED_SETTINGS, readSettings, SETTING_DEFAULTS } from '../../bot/settings.js';
import { jobsOf } from '../../bot/work/index.js';
import { stage, until } from '../bot/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'bot.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

const block = (language: string, holds: string): string => {
  const found = BLOCKS.filter((one) => one.language === language && one.text.includes(holds));
  if (found[0] === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${language} hold ${holds}`);
  return found[0].text;
};

/** The rows of the table below a heading, as their cells. */
function rows(heading: string): readonly (readonly string[])[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

const bare = (cell = ''): string => cell.replace(/^`(.*)`$/, '$1');

type Manifest = {
  readonly default_permissions: Readonly<Record<string, string>>;
  readonly default_events: readonly string[];
  readonly [key: string]: unknown;
};
const MANIFEST = load(readFileSync(join(ROOT, 'app.yml'), 'utf8')) as Manifest;

test('fills the form in with the permissions and events of app.yml, and nothing else', () => {
  const link = new URL(block('text', 'settings/apps/new').trim());
  const { 'events[]': _, ...given } = Object.fromEntries(link.searchParams);
  const { name, url } = MANIFEST;
  expect(given).toEqual({ name, url, public: 'false', webhook_active: 'true', ...MANIFEST.default_permissions });
  expect(link.searchParams.getAll('events[]')).toEqual(MANIFEST.default_events);
});

test('lists the permissions of app.yml', () => {
  const listed = rows('Permissions').map(([cell = '']) => bare(cell).split(': '));
  expect(Object.fromEntries(listed)).toEqual(MANIFEST.default_permissions);
});

test('asks for the events that the bot works, and for no other', () => {
  const where = { installation: { id: 1 }, repository: { id: 2, name: 'agents', owner: { login: 'octo' } } };
  const head_sha = 'a'.repeat(40);
  const worked: Readonly<Record<string, object>> = {
    pull_request: { action: 'opened', number: 3 },
    workflow_run: { action: 'completed', workflow_run: { id: 4, head_sha } },
    check_run: { action: 'rerequested', check_run: { head_sha } },
    check_suite: { action: 'rerequested', check_suite: { head_sha } },
    issue_comment: {
      action: 'created',
      issue: { number: 3, pull_request: {} },
      comment: { id: 5, body: '/grounding recheck', user: { type: 'User' } },
    },
    merge_group: {
      action: 'checks_requested',
      merge_group: { head_sha, base_sha: head_sha, base_ref: 'refs/heads/main' },
    },
  };
  expect(Object.keys(worked).sort()).toEqual([...MANIFEST.default_events].sort());
  for (const [event, payload] of Object.entries(worked))
    expect(jobsOf(event, { ...where, ...payload }).length, event).toBeGreaterThan(0);
  for (const event of ['push', 'issues', 'status', 'repository', 'ping'])
    expect(jobsOf(event, { ...where, action: 'created' })).toEqual([]);
});

test('lists every setting with its default, and no other', () => {
  const listed = rows('Settings').flatMap(([names = '', standard = '']) =>
    names.split(' or ').map((name) => [bare(name), bare(standard)] as const),
  );
  const required = REQUIRED_SETTINGS.map((name) => [name, ''] as const);
  expect(Object.fromEntries(listed)).toEqual({ ...SETTING_DEFAULTS, ...Object.fromEntries(required) });
  expect(PAGE).toContain(LOG_LEVELS.map((level) => `\`${level}\``).join(', '));
});

test('lists every key of the configuration with its default', () => {
  const listed = rows('`.github/grounding.yml`').map(
    ([key = '', standard = '']) => [bare(key), bare(standard)] as const,
  );
  expect(listed.map(([key]) => key)).toEqual([...CONFIG_KEYS]);
  const defaults = listed.filter(([, value]) => !['none', 'everything'].includes(value));
  const written = defaults.map(([key, value]) => `${key}: ${value}\n`).join('');
  expect(parseGroundingConfig(Buffer.from(written))).toEqual(parseGroundingConfig(Buffer.from('{}')));
});

test('shows a configuration and a workflow that fit each other and the Action', () => {
  const config = parseGroundingConfig(Buffer.from(block('yaml', 'artifact:')));
  expect(config.workflow).toBe('grounding.yml');
  const workflow = load(block('yaml', 'runs-on')) as {
    readonly jobs: Record<string, { readonly steps: readonly { readonly uses?: string; readonly with?: object }[] }>;
  };
  const step = workflow.jobs['runs']?.steps.find(({ uses }) => uses?.includes('grounding-gate') === true);
  const action = load(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as { readonly inputs: object };
  expect(step?.with).toEqual({ comment: 'never', redact: false });
  for (const input of Object.keys(step?.with ?? {})) expect(Object.keys(action.inputs)).toContain(input);
});

test('makes a secret with the command that it names', () => {
  const { stdout } = spawnSync('bash', ['-c', block('sh', 'openssl rand')], { encoding: 'utf8' });
  expect(stdout.trim()).toMatch(/^[0-9a-f]{64}$/);
});

test('starts with the settings as the page writes them down, by the page its own commands', async () => {
  const scene = await stage();
  const home = temporaryFolder({
    'grounding.pem': scene.app.privateKey,
    'bot.env': block('sh', 'APP_ID=').replace('123456', String(scene.app.id)),
  });
  readSettings({ ...envOf(block('sh', 'APP_ID=')) }, () => null);
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', scripts: packageOf().scripts }));
  symlinkSync(join(ROOT, 'build'), join(home, 'build'));
  const commands = block('sh', 'npm run bot').replace('npm ci\n', '').replace('npm run bot', 'exec node build/bot.js');
  expect(packageOf().scripts['bot']).toBe('node build/bot.js');
  const port = await start(commands, { home, environment: { GITHUB_API_URL: scene.server.url, PORT: '0' } });
  const curl = block('sh', 'curl').replace('3000', String(port));
  expect(spawnSync('bash', ['-c', curl], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: 'ready\n' });
});

test('serves as middleware by the module that it shows', async () => {
  const scene = await stage();
  const home = temporaryFolder({ 'server.mjs': block('js', 'createBotMiddleware').replace('3000', '0') });
  writeFileSync(join(home, 'package.json'), '{"type": "module"}');
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(ROOT, join(home, 'node_modules', 'grounding-gate'));
  // The module says nothing of where it listens.
  const told = `${readFileSync(join(home, 'server.mjs'), 'utf8')}
server.once('listening', () => console.log(JSON.stringify({ event: 'the bot listens', url: 'http://x:' + server.address().port })));
`;
  writeFileSync(join(home, 'server.mjs'), told);
  const port = await start('exec node server.mjs', { home, environment: { ...scene.environment, LOG_LEVEL: 'error' } });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(404);
});

/** Runs commands that end in a bot, until the test's end; resolves with its port. */
async function start(
  commands: string,
  { home, environment }: { readonly home: string; readonly environment: Readonly<Record<string, string>> },
): Promise<number> {
  const child = spawn('bash', ['-ec', commands], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const line = () => /"url":"[^"]*:(\d+)".*"event":"the bot listens"|"event":"the bot listens".*:(\d+)"/.exec(said);
  await until(() => line() !== null || child.exitCode !== null, 'the bot listens');
  const [, port, other] = line() ?? [];
  if (port === undefined && other === undefined) throw new Error(`the bot did not start: ${said}`);
  return Number(port ?? other);
}

function packageOf(): { readonly scripts: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

function envOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );
}
