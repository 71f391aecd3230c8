// The Action's bundle as a runner starts it: its own time over the example fixtures, its start-up, and its memory over many runs. GitHub is
// a server here that refuses everything at once: what its answers take is not the Action's time.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FIXTURES = 20;
const MANY = 500;

export async function run({ quick = false } = {}) {
  /** @type {{ overhead: number, startUp: number }[]} */
  const times = [];
  for (let turn = 0; turn < (quick ? 2 : 5); turn += 1) times.push(await overFixtures());
  const best = (/** @type {'overhead' | 'startUp'} */ key) => Math.min(...times.map((time) => time[key]));
  const rows = [
    {
      name: `the Action over ${FIXTURES} fixtures, beside the time of the runs themselves`,
      value: `${best('overhead').toFixed(0)} ms`,
      target: 'under 1,500 ms',
    },
    {
      name: 'the Action from its start to its first request',
      value: `${best('startUp').toFixed(0)} ms`,
      target: 'under 400 ms',
    },
  ];
  const many = quick ? MANY / 5 : MANY;
  const memory = await overMany(many);
  const growth = memory.last / memory.first;
  return [
    ...rows,
    {
      name: `memory of the Action over ${many} fixtures, after the last tenth over after the first`,
      value: `${growth.toFixed(2)} times (${(memory.last / 1024).toFixed(0)} MB)`,
      target: quick ? null : 'at most 1.2 times',
    },
  ];
}

/** Wall time less the time of the runs, which one job does one after the other, and the time until GitHub is first asked. */
async function overFixtures() {
  const names = readdirSync(join(root, 'examples', 'fixtures'))
    .filter((name) => name.endsWith('.json'))
    .sort();
  const fixtures = names.slice(0, FIXTURES).map((name) => `examples/fixtures/${name}`);
  return inWorkspace({}, async (workspace) => {
    const { wall, startUp, report } = await perform(workspace, { fixtures: fixtures.join('\n'), jobs: '1' });
    if (report.counts.runs < FIXTURES || report.counts.not_judged > 0)
      throw new Error('the bench judged less than it meant to');
    const runs = report.results.reduce(
      (/** @type {number} */ sum, /** @type {{ time_ms: number }} */ row) => sum + row.time_ms,
      0,
    );
    return { overhead: wall - runs, startUp };
  });
}

/** Kilobytes of the process while the second tenth and the last tenth of many runs are made. */
async function overMany(/** @type {number} */ count) {
  const words = JSON.parse(readFileSync(join(root, 'examples', 'fixtures', 'hello-words.json'), 'utf8'));
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`many/${String(at).padStart(4, '0')}.json`, JSON.stringify(words)]),
  );
  return inWorkspace(files, async (workspace) => {
    /** @type {{ done: number, kilobytes: number }[]} */
    const samples = [];
    const watch = (/** @type {number} */ pid) =>
      setInterval(() => samples.push({ done: runsIn(workspace), kilobytes: residentOf(pid) }), 20);
    await perform(workspace, { fixtures: 'many' }, watch);
    const between = (/** @type {number} */ from, /** @type {number} */ to) => {
      const some = samples.filter(({ done, kilobytes }) => done >= count * from && done <= count * to && kilobytes > 0);
      if (some.length === 0) throw new Error('the runs were too quick to be watched');
      return some.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / some.length;
    };
    return { first: between(0.1, 0.2), last: between(0.9, 1) };
  });
}

function runsIn(/** @type {string} */ workspace) {
  try {
    return readdirSync(join(workspace, 'runs')).filter((name) => /^[0-9a-f]{8}-/.test(name)).length;
  } catch {
    return 0;
  }
}

function residentOf(/** @type {number} */ pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * A checkout of the examples with a commit of its own, removed afterwards.
 * @template T
 * @param {Readonly<Record<string, string>>} files
 * @param {(workspace: string) => Promise<T>} work
 */
async function inWorkspace(files, work) {
  const home = mkdtempSync(join(tmpdir(), 'gg-bench-action-'));
  const workspace = join(home, 'work');
  try {
    for (const name of ['examples', 'profiles', 'agents.yaml', 'sources.yaml', 'package.json'])
      cpSync(join(root, name), join(workspace, name), { recursive: true });
    mkdirSync(join(workspace, 'node_modules'));
    symlinkSync(root, join(workspace, 'node_modules', 'grounding-gate'));
    symlinkSync(join(root, 'node_modules', 'minisearch'), join(workspace, 'node_modules', 'minisearch'));
    // The examples name the package that they are part of; here it is one that they use.
    writeFileSync(join(workspace, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), text);
    }
    git(workspace, ['init', '--quiet']);
    git(workspace, ['add', '--all', '--', 'examples', 'profiles', 'agents.yaml', 'sources.yaml']);
    git(workspace, [
      '-c',
      'user.name=bench',
      '-c',
      'user.email=bench@example.org',
      'commit',
      '--quiet',
      '--message',
      'bench',
    ]);
    return await work(workspace);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function git(/** @type {string} */ folder, /** @type {readonly string[]} */ args) {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
}

/**
 * Starts the bundle for a push of the workspace's commit and waits for its end.
 * @param {string} workspace
 * @param {Readonly<Record<string, string>>} inputs
 * @param {(pid: number) => NodeJS.Timeout} [watch]
 */
async function perform(workspace, inputs, watch) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked ||= performance.now();
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"not here"}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  const home = dirname(workspace);
  const file = (/** @type {string} */ name, text = '') => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  mkdirSync(join(home, 'temp'), { recursive: true });
  const output = file('output');
  const begun = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist', 'index.js')], {
    cwd: workspace,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      GITHUB_EVENT_NAME: 'push',
      GITHUB_EVENT_PATH: file('event.json', '{"repository":{"private":true}}'),
      GITHUB_REPOSITORY: 'octo/agents',
      GITHUB_SERVER_URL: url,
      GITHUB_API_URL: url,
      GITHUB_GRAPHQL_URL: `${url}/graphql`,
      GITHUB_SHA: git(workspace, ['rev-parse', 'HEAD']),
      GITHUB_REF: 'refs/heads/main',
      GITHUB_ACTOR: 'bench',
      GITHUB_WORKSPACE: workspace,
      GITHUB_RUN_ID: '1',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: file('summary'),
      RUNNER_TEMP: join(home, 'temp'),
      INPUT_TOKEN: 'ghs_bench00000000',
      INPUT_UPLOAD: 'none',
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    },
  });
  const timer = watch?.(child.pid ?? 0);
  const code = await new Promise((resolve) => child.on('close', resolve));
  const wall = performance.now() - begun;
  clearInterval(timer);
  server.close();
  const path = /^report<<(\S+)\n(.*)\n\1$/m.exec(readFileSync(output, 'utf8'))?.[2];
  if (path === undefined || path === '') throw new Error(`the Action ended with ${code} and left no report`);
  return { wall, startUp: asked - begun, report: JSON.parse(readFileSync(path, 'utf8')) };
}
