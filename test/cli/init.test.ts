import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ended, folderWith, grounding, ROOT } from './grounding.js';
import { agentModule, BODIES, PRINCIPAL, workshop } from './workshop.js';

const CLI = join(ROOT, 'build/cli.js');

const ALL = [
  '.github/workflows/grounding.yml',
  'agents.yaml',
  'agents/example.mjs',
  'data/records.jsonl',
  'fixtures/example.finder.json',
  'profiles/default.yaml',
  'sources.yaml',
];

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^(?:runs|node_modules|\.runs)\//.test(path))
    .sort();

/**
 * Carries out the commands that init says come next, in one shell. Packing and installing take minutes, and are done by `npm run
 * package`: here stands what they leave.
 */
function followNextSteps(folder: string, printed: string): Promise<{ code: number | null; output: string }> {
  const [, next = ''] = printed.split('\nNext:\n');
  const commands = next
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.trim());
  expect(commands).toContain('npx grounding run');
  const script = commands
    .filter((command) => command !== 'npm init -y' && !/^npm (install|pack) /.test(command))
    .map((command) => command.replace('npx grounding', `"${process.execPath}" "${CLI}"`));
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  if (!existsSync(join(folder, 'node_modules/grounding-gate')))
    symlinkSync(ROOT, join(folder, 'node_modules/grounding-gate'));
  const child = spawn('bash', ['-e', '-c', script.join('\n')], { cwd: folder, env: { PATH: process.env['PATH'] } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}

/** Answers questions on a terminal, each as soon as it is asked; gives all that the terminal showed. */
async function onTerminal(
  args: string,
  { cwd, answers }: { readonly cwd: string; readonly answers: readonly (readonly [question: string, keys: string])[] },
): Promise<{ code: number | null; shown: string }> {
  const child = spawn(
    'script',
    ['-qec', `stty cols 100 rows 40; '${process.execPath}' '${CLI}' init ${args}`, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let shown = '';
  let from = 0;
  const left = [...answers];
  child.stdout.on('data', (piece: Buffer) => {
    shown += piece.toString('utf8');
    const [next] = left;
    const at = next === undefined ? -1 : shown.indexOf(next[0], from);
    if (next === undefined || at === -1) return;
    from = at + next[0].length;
    left.shift();
    // Once the library listens for keys.
    setTimeout(() => child.stdin.write(next[1]), 150);
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  expect(left).toEqual([]);
  return { code, shown };
}

const ENTER = '\r';
const DOWN = '\u001b[B';

describe('in an empty folder', () => {
  test('leads to a green run when what it says is done, without a question and without a flag', async () => {
    const folder = folderWith({});
    const ended = await grounding(['init'], { cwd: folder });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(filesIn(folder)).toEqual(ALL);
    for (const path of ALL) expect(ended.stdout).toContain(`wrote ${path}\n`);
    const after = await followNextSteps(folder, ended.stdout);
    expect(after.output).toMatch(/^ok +fixtures\/example\.finder\.json .* 1 verified/m);
    expect(after.output).toContain('nothing found that would make the gate blind or red');
    expect(after.code).toBe(0);
  });

  test('says how to get the package from where it is, and nothing of it where it is installed', async () => {
    const folder = folderWith({});
    const ended = await grounding(['init'], { cwd: folder });
    const commands = ended.stdout.match(/^ {4}npm .*$/gm)?.map((line) => line.trim());
    expect(commands).toEqual(['npm init -y', `npm pack ${ROOT}`, 'npm install --save-dev ./grounding-gate-*.tgz']);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/grounding-gate'));
    writeFileSync(join(folder, 'package.json'), '{}');
    mkdirSync(join(folder, 'below'));
    for (const cwd of [folder, join(folder, 'below')])
      expect((await grounding(['init', '--yes'], { cwd })).stdout).not.toMatch(/npm (install|pack)/);
  });

  test('asks on a terminal, and leads to a green run as well', async () => {
    const folder = folderWith({});
    const { code, shown } = await onTerminal('', {
      cwd: folder,
      answers: [
        ['What is your agent?', DOWN + DOWN + ENTER],
        ['Pin a copy of a source now?', ENTER],
        ['Write a workflow that judges pull requests?', ENTER],
      ],
    });
    expect(code).toBe(0);
    expect(filesIn(folder)).toEqual(ALL);
    const printed = shown.replaceAll('\r', '');
    expect((await followNextSteps(folder, printed)).code).toBe(0);
  });

  test('writes nothing when the user gives up', async () => {
    const folder = folderWith({});
    const { code, shown } = await onTerminal('', { cwd: folder, answers: [['What is your agent?', '\u0003']] });
    expect(code).not.toBe(0);
    expect(shown).toContain('nothing was written');
    expect(filesIn(folder)).toEqual([]);
  });

  test('asks nothing on a terminal with --yes, nor with a flag that answers', async () => {
    const folder = folderWith({});
    const { shown } = await onTerminal('--yes --no-workflow', { cwd: folder, answers: [] });
    expect(shown).not.toContain('?');
    expect(filesIn(folder)).toEqual(ALL.slice(1));
  });
});

/** A repository with an agent and nothing else. */
function repository(more: Readonly<Record<string, string>> = {}): string {
  const folder = folderWith({ 'mine.mjs': agentModule('test.mine', BODIES.honest), 'package.json': '{}', ...more });
  return folder;
}

describe('in a repository with agents', () => {
  test('writes for the agent that is named, with an input that fits its class, and leads to a green run', async () => {
    const folder = repository({ 'copy.jsonl': '{"id":"a"}\n' });
    const copy = ['--copy', 'copy.jsonl', '--ref', 'copy-1', '--id-field', 'id'];
    const ended = await grounding(['init', '--module', 'mine.mjs', ...copy], { cwd: folder });
    expect(ended.code).toBe(0);
    expect(readFileSync(join(folder, 'agents.yaml'), 'utf8')).toContain('- module: mine.mjs\n');
    expect(readFileSync(join(folder, 'profiles/default.yaml'), 'utf8')).toContain('  test.mine: note\n');
    expect(JSON.parse(readFileSync(join(folder, 'fixtures/test.mine.json'), 'utf8'))).toEqual({
      agent_id: 'test.mine',
      input: { schema_class: 'Note' },
    });
    expect(ended.stdout).not.toContain('npm init');
    expect(await followNextSteps(folder, ended.stdout)).toMatchObject({ code: 0 });
  });

  test('takes the agents of an agents.yaml that is there, asked for on a terminal or not', async () => {
    const files = { 'agents.yaml': 'agents:\n  - module: mine.mjs\n' };
    const folder = repository(files);
    const { code } = await onTerminal('', {
      cwd: folder,
      answers: [
        ['Pin a copy of a source now?', `y`],
        ['Which file?', `mine.jsonl${ENTER}`],
        ['Which snapshot_ref', `s-1${ENTER}`],
        ["holds a record's id?", `id${ENTER}`],
        ['Write a workflow', 'n'],
      ],
    });
    // The copy is missing: what was written before stays, and a second call adds the rest.
    expect(code).toBe(2);
    const again = await grounding(['init', '--no-workflow'], { cwd: folder });
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('left agents.yaml, which was there\n');
    expect(filesIn(folder)).toEqual([
      'agents.yaml',
      'fixtures/test.mine.json',
      'mine.mjs',
      'package.json',
      'profiles/default.yaml',
      'sources.yaml',
    ]);
  });

  test('overwrites nothing, and names what it left', async () => {
    const folder = workshop({ '.github/workflows/grounding.yml': 'mine', 'fixtures/test.honest.json': 'mine' });
    const before = filesIn(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]);
    const ended = await grounding(['init', '--yes'], { cwd: folder });
    expect(ended.code).toBe(0);
    for (const [path = '', text = ''] of before) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    for (const path of [
      'agents.yaml',
      'profiles/default.yaml',
      'sources.yaml',
      'fixtures/test.honest.json',
      '.github/workflows/grounding.yml',
    ])
      expect(ended.stdout).toContain(`left ${path}, which was there\n`);
    expect(readdirSync(folder).filter((name) => name.startsWith('.grounding'))).toEqual([]);
  });

  test('says which agent it could not reach, and which fixture is to be filled in, which the doctor finds', async () => {
    const needy = agentModule('test.needy/../x', BODIES.honest).replace(
      "open('Note', [])",
      "{ ...open('Note', ['record']), properties: { schema_class: { enum: ['Note'] }, record: { type: 'string', pattern: '^rec:', description: 'the record' } } }",
    );
    const folder = repository({ 'mine.mjs': needy });
    const ended = await grounding(['init', '--module', 'mine.mjs', '--url', 'http://127.0.0.1:9', '--no-workflow'], {
      cwd: folder,
    });
    expect(ended.stdout).toMatch(/^not reached: http:\/\/127\.0\.0\.1:9: /m);
    const [name = ''] = readdirSync(join(folder, 'fixtures'));
    // An id is no path.
    expect(name).toMatch(/^test\.needy-\.\.-x-[0-9a-f]{8}\.json$/);
    expect(ended.stdout).toContain(`to fill in: fixtures/${name}\n`);
    expect(readFileSync(join(folder, 'fixtures', name), 'utf8')).toContain('"record": "FILL IN: a text: the record"');
    expect((await grounding(['doctor'], { cwd: folder })).stdout).toContain('[fixture-template]');
  });
});

test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
  ['a copy is named by half', ['--copy', 'a.jsonl'], {}, 'usage'],
  ['an agent is named and agents.yaml is there', ['--module', 'mine.mjs'], { 'agents.yaml': 'agents: []\n' }, 'usage'],
  ['a folder cannot be made', ['--yes'], { profiles: '' }, 'output-unwritable'],
])('returns 2 on one line when %s', async (_what, args, files, code) => {
  const ended: Ended = await grounding(['init', ...args], { cwd: repository(files), env: PRINCIPAL });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: [^\\n]+ \\[${code}\\]\\n$`));
});

test('leaves nothing half written where the disk refuses', async () => {
  const folder = repository();
  writeFileSync(join(folder, 'go.sh'), `trap '' XFSZ; ulimit -f 0; exec "${process.execPath}" "${CLI}" init --yes\n`);
  const child = spawn('bash', ['go.sh'], { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
  expect(await new Promise((done) => child.on('close', done))).toBe(2);
  expect(filesIn(folder)).toEqual(['go.sh', 'mine.mjs', 'package.json']);
});
