// What a user gets who installs the package: packs it, holds it against publint and are-the-types-wrong, installs it in an
// empty folder, follows the README there, and compiles and runs the example of the library against it.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What must be in the package, and what may be. */
const MUST = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'CITATION.cff',
  'build/cli.js',
  'build/index.js',
  'build/agent.js',
  'build/bot.js',
  'build/bot-middleware.js',
  'build/agent-host.js',
  'build/schema-worker.js',
  'build/service-host.js',
  'build/reverify-worker.js',
  'build/licences.txt',
  'build/types/core/index.d.ts',
  'build/types/core/agents/delegate/index.d.ts',
  'build/types/bot/index.d.ts',
  'schemas/envelope.schema.json',
  'schemas/report.schema.json',
  'profiles/default.yaml',
  'docs/rules.md',
];
const MAY =
  /^(?:package\.json|(?:README|CHANGELOG|SECURITY)\.md|CITATION\.cff|LICENSE|build\/[a-z-]+\.js|build\/licences\.txt|build\/chunks\/[^/]+\.js|build\/types\/(?:core|bot)\/.+\.d\.ts|schemas\/[^/]+\.json|profiles\/[^/]+\.yaml|docs\/.+\.(?:md|png))$/;
const MOST_BYTES = 2.25 * 1024 * 1024;

/** An ES module for Node: what a CommonJS caller or a resolver from before `exports` meets is no fault of the types. */
const NOT_OURS = new Set(['node10', 'node16-cjs']);

const work = mkdtempSync(join(tmpdir(), 'grounding-package-'));
try {
  const tarball = pack();
  await lint(tarball);
  await types(tarball);
  const home = install(tarball);
  followReadme(home);
  useLibrary(home);
  followInit(home);
  console.log('package: packed, linted, typed, installed and used');
} finally {
  rmSync(work, { recursive: true, force: true });
}

function pack() {
  const listing = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], {
    cwd: root,
    encoding: 'utf8',
  });
  const parsed = JSON.parse(listing);
  const [packed] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  const files = packed.files.map((/** @type {{ path: string }} */ { path }) => path);
  const faults = [
    ...MUST.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...files
      .filter((/** @type {string} */ path) => !MAY.test(path))
      .map((/** @type {string} */ path) => `${path} does not belong in it`),
    ...(packed.size > MOST_BYTES ? [`it has ${packed.size} bytes, more than the ${MOST_BYTES} that it may have`] : []),
  ];
  refuse('the package', faults);
  return join(work, packed.filename);
}

async function lint(/** @type {string} */ tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  refuse(
    'publint',
    messages.map((message) => formatMessage(message, pkg) ?? message.code),
  );
}

async function types(/** @type {string} */ tarball) {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!result.types) throw new Error('are-the-types-wrong finds no types in the package');
  const faults = result.problems.filter(
    (problem) => !('resolutionKind' in problem && NOT_OURS.has(String(problem.resolutionKind))),
  );
  refuse(
    'are-the-types-wrong',
    faults.map((problem) => JSON.stringify(problem)),
  );
}

/** An empty folder with nothing in it but the package. */
function install(/** @type {string} */ tarball) {
  const home = join(work, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', tarball], {
    cwd: home,
    stdio: 'pipe',
  });
  const beside = readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'));
  refuse(
    'the installation',
    beside.filter((name) => name !== 'grounding-gate').map((name) => `${name} came along; all that runs is bundled`),
  );
  expect('npx grounding-gate --version', run(home, ['npx', 'grounding-gate', '--version']), { code: 0 });
  return home;
}

/** The files and commands of the README's walk from an agent to a judged run, as they stand there. */
function followReadme(/** @type {string} */ home) {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const walk = between(page, '## From an agent of yours to a judged run', '\n## ');
  const blocks = [...walk.matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language,
    text: text ?? '',
  }));
  const names = [
    'my-agent.mjs',
    'agents.yaml',
    'profiles/default.yaml',
    'records.jsonl',
    'fixtures/cuxhaven.json',
    'fixtures/cuxhaven.expect.yaml',
  ];
  if (blocks.length !== names.length)
    throw new Error(`the README's walk has ${blocks.length} files, not ${names.length}`);
  names.forEach((name, i) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), blocks[i]?.text ?? '');
  });
  const prose = walk.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const commands = [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, command]) => command ?? '');
  if (commands.length < 4) throw new Error('the README names fewer commands than it did');
  const script = commands
    .join('\n')
    .replaceAll('grounding ', 'npx grounding ')
    .replaceAll('<id>', '$(ls runs | grep -- -)');
  expect('the README', run(home, ['bash', '-euo', 'pipefail', '-c', script]), { code: 0, says: 'my.finder' });
}

/** Compiled strictly, the package's own declarations included, with both ways of resolving a module; then run on the README's run. */
function useLibrary(/** @type {string} */ home) {
  cpSync(join(root, 'examples/library/judge-run.ts'), join(home, 'judge-run.ts'));
  cpSync(join(root, 'node_modules/@types/node'), join(home, 'node_modules/@types/node'), { recursive: true });
  cpSync(join(root, 'node_modules/undici-types'), join(home, 'node_modules/undici-types'), { recursive: true });
  const tsc = [
    process.execPath,
    join(root, 'node_modules/typescript/bin/tsc'),
    'judge-run.ts',
    '--strict',
    '--target',
    'es2022',
    '--skipLibCheck',
    'false',
    '--types',
    'node',
  ];
  for (const how of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ])
    expect(`tsc ${how.join(' ')}`, run(home, [...tsc, ...how]), { code: 0 });
  const [id] = readdirSync(join(home, 'runs')).filter((name) => name.includes('-'));
  expect('judge-run', run(home, ['node', 'judge-run.js', join('runs', id ?? '')]), {
    code: 0,
    says: '1 records verified',
  });
  expect('judge-run without a run', run(home, ['node', 'judge-run.js', 'runs/none']), {
    code: 2,
    says: 'input-missing',
  });
}

/** What `init` says comes next in an empty folder, carried out to the last command, from the package that is installed elsewhere. */
function followInit(/** @type {string} */ home) {
  const fresh = join(work, 'fresh');
  mkdirSync(fresh);
  const init = run(fresh, ['node', join(home, 'node_modules/grounding-gate/build/cli.js'), 'init']);
  expect('grounding init', init, { code: 0, says: 'npm install' });
  const [, next = ''] = init.text.split('\nNext:\n');
  const commands = [...next.matchAll(/^ {4}(\S.*)$/gm)].map(([, command]) => command ?? '');
  expect('what init says comes next', run(fresh, ['bash', '-euo', 'pipefail', '-c', commands.join('\n')]), {
    code: 0,
    says: '1 as expected',
  });
}

/**
 * @param {string} home
 * @param {readonly string[]} command
 */
function run(home, [program = '', ...args]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: home, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

/**
 * @param {string} what
 * @param {{ status: number | null, text: string }} result
 * @param {{ code: number, says?: string }} wanted
 */
function expect(what, { status, text }, { code, says = '' }) {
  if (status !== code || !text.includes(says))
    throw new Error(`${what} ended with ${status} instead of ${code}:\n${text}`);
}

function refuse(/** @type {string} */ who, /** @type {readonly string[]} */ faults) {
  if (faults.length > 0) throw new Error(`${who}:\n${faults.join('\n')}`);
}

function between(/** @type {string} */ text, /** @type {string} */ from, /** @type {string} */ to) {
  const start = text.indexOf(from);
  if (start < 0) throw new Error(`the README has no "${from}"`);
  return text.slice(start, text.indexOf(to, start + from.length));
}
