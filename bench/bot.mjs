// Webhooks to build/bot.js, so many a second, with a GitHub on the loopback behind it: how long an answer takes, what memory the bot
// needs, and that every pull request ends with one comment for its newest head. The GitHub is the tests', in the process of the bench.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PULLS = 50;
const PER_SECOND = 100;
const LONGEST_REST_SECONDS = 600;

export async function run({ quick = false } = {}) {
  const total = quick ? 200 : 1000;
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-bot-'));
  try {
    const { flood, floodStage, settled, PROJECT } = await translated(join(folder, 'code'));
    const scene = await floodStage({ pulls: PULLS, runs: oneRun(join(folder, 'project'), PROJECT) });
    const startUp = performance.now();
    const bot = await start(scene.environment);
    const startMs = performance.now() - startUp;
    try {
      const { milliseconds, refused } = await flood({ scene, total, perSecond: PER_SECOND, bot: () => bot });
      const begun = performance.now();
      while (settled(scene) < PULLS && performance.now() - begun < LONGEST_REST_SECONDS * 1000) await sleep(200);
      const rest = (performance.now() - begun) / 1000;
      const at = (/** @type {number} */ part) =>
        milliseconds[Math.floor((milliseconds.length - 1) * part)] ?? Number.NaN;
      const what = `${total} webhooks for ${PULLS} pull requests, ${PER_SECOND} a second`;
      return [
        { name: `${what}: lost, doubled or refused`, value: String(PULLS - settled(scene) + refused), target: '0' },
        { name: 'the same: answer, 99th percentile', value: `${at(0.99).toFixed(0)} ms`, target: 'aim under 1,000 ms' },
        { name: 'the same: answer, median', value: `${at(0.5).toFixed(1)} ms`, target: null },
        {
          name: 'the same: until the last verdict, after the last webhook',
          value: `${rest.toFixed(1)} s`,
          target: null,
        },
        { name: 'the same: most memory of the bot', value: `${(peakOf(bot.pid) / 1024).toFixed(0)} MB`, target: null },
        { name: 'the bot from its start to its listening', value: `${startMs.toFixed(0)} ms`, target: null },
      ];
    } finally {
      await bot.stop();
      await scene.server.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tests' GitHub in JavaScript: file by file, since it reads others that stand beside its own. */
async function translated(/** @type {string} */ folder) {
  const sources = ['test/github', 'test/bot', 'test/action', 'bench/bot'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && one.name.endsWith('.ts') && !one.name.endsWith('.test.ts'))
      .map((one) => join(one.parentPath, one.name)),
  );
  await build({
    entryPoints: sources,
    outbase: root,
    outdir: folder,
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  for (const name of ['openapi.json', 'schema.graphql', 'payloads'])
    cpSync(join(root, 'test', 'github', name), join(folder, 'test', 'github', name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return import(pathToFileURL(join(folder, 'bench', 'bot', 'flood.js')).href);
}

/** One run that is in order, made by the command line; its files by their paths in the repository. */
function oneRun(/** @type {string} */ home, /** @type {Readonly<Record<string, string>>} */ project) {
  for (const [path, text] of Object.entries(project)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(root, join(home, 'node_modules', 'grounding-gate'));
  const env = {
    PATH: process.env['PATH'],
    DD_PRINCIPAL_ID: 'mailto:bench@example.org',
    DD_PRINCIPAL_NAME: 'Bench',
    DD_WRITE_CRATE: '0',
  };
  execFileSync(process.execPath, [join(root, 'build', 'cli.js'), 'run'], { cwd: home, env, stdio: 'ignore' });
  const files = readdirSync(join(home, 'runs'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files.map((one) => {
      const file = join(one.parentPath, one.name);
      return [relative(home, file), readFileSync(file, 'utf8')];
    }),
  );
}

async function start(/** @type {Readonly<Record<string, string>>} */ environment) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, [join(root, 'build', 'bot.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event, url: where } = JSON.parse(line);
      if (event === 'the bot listens') resolve(where);
    });
    void ended.then((code) => reject(new Error(`the bot ended with ${code}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Kilobytes that a process has had at most. */
function peakOf(/** @type {number} */ pid) {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}
