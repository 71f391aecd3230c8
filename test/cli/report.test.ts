import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage } from '../html/read-page.js';
import { folderWith, grounding, ROOT } from './grounding.js';

const VECTORS = join(ROOT, 'test/vectors/stored-runs');
const SOURCES = ['--sources', join(VECTORS, 'sources.yaml')];
const PASSED = '01a0c455-bfcb-7c24-9143-1c1ba887ebdf';
const FAILED = '01a0c455-db09-71eb-a5f5-1153b675b31f';
const TAMPERED = '01a0c455-c28c-745e-ac8d-854ece43bdab';

/** A folder with stored runs, and their index. */
function archive(...runs: readonly string[]): string {
  const folder = folderWith({});
  for (const run of runs) cpSync(join(VECTORS, 'runs', run), join(folder, 'runs', run), { recursive: true });
  const lines = readFileSync(join(VECTORS, 'runs/invocations.jsonl'), 'utf8').split('\n');
  const index = lines.filter((line) => runs.some((run) => line.includes(`"${run}"`)));
  writeFileSync(join(folder, 'runs/invocations.jsonl'), `${index.join('\n')}\n`);
  return folder;
}

const report = (cwd: string, ...more: readonly string[]) =>
  grounding(['report', 'runs', '--output', 'report', ...SOURCES, ...more], { cwd });

/** The rows of an overview, as its script reads them. */
function rowsIn(folder: string): readonly (readonly unknown[])[] {
  const page = readPage(readFileSync(join(folder, 'report/index.html'), 'utf8'));
  return JSON.parse(page.all('script').find(({ attributes }) => attributes.get('id') === 'rows')?.text ?? '');
}

test('writes an overview and a page for each run, with its files', async () => {
  const cwd = archive(PASSED, FAILED, TAMPERED);
  const ended = await report(cwd);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toBe('report/index.html: 3 runs: 1 failed, 1 passed, 1 tampered\n');
  expect(readdirSync(join(cwd, 'report')).sort()).toEqual(['files', 'grounding-report.json', 'index.html', 'runs']);
  expect(readdirSync(join(cwd, 'report/runs')).sort()).toEqual([PASSED, TAMPERED, FAILED].map((run) => `${run}.html`));
  for (const file of ['request.json', 'envelope.json', 'spans.jsonl'])
    expect(readFileSync(join(cwd, 'report/files', FAILED, file))).toEqual(
      readFileSync(join(cwd, 'runs', FAILED, file)),
    );
  expect(rowsIn(cwd).map(([run]) => run)).toEqual([PASSED, TAMPERED, FAILED]);
  expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('replaces an earlier report and refuses any other folder', async () => {
  const cwd = archive(PASSED, FAILED);
  await report(cwd);
  rmSync(join(cwd, 'runs', FAILED), { recursive: true });
  expect(await report(cwd, '--only', '01a0c455-bfcb-*')).toMatchObject({ code: 0 });
  expect(readdirSync(join(cwd, 'report/runs'))).toEqual([`${PASSED}.html`]);
  writeFileSync(join(cwd, 'report/thesis.txt'), 'x');
  const refused = await report(cwd);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/^error: report: .*\[report-folder-refused\]\n$/);
  expect(existsSync(join(cwd, 'report/thesis.txt'))).toBe(true);
});

test('never takes the runs folder for its own', async () => {
  const cwd = archive(PASSED);
  const refused = await grounding(['report', 'runs', '--output', 'runs', ...SOURCES], { cwd });
  expect(refused.code).toBe(2);
  expect(existsSync(join(cwd, 'runs', PASSED, 'envelope.json'))).toBe(true);
});

test.each([
  ['no output', ['report', 'runs'], 'usage'],
  ['no runs', ['report', 'empty', '--output', 'report'], 'runs-none'],
  [
    'a sources file that is not there',
    ['report', 'runs', '--output', 'report', '--sources', 'no.yaml'],
    'config-missing',
  ],
])('refuses %s, and leaves nothing', async (_, args, code) => {
  const cwd = archive(PASSED);
  mkdirSync(join(cwd, 'empty'));
  const ended = await grounding(args, { cwd });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`[${code}]`);
  expect(readdirSync(cwd).sort()).toEqual(['empty', 'runs']);
});

describe('runs that something is wrong with', () => {
  test('each have a page that says so', async () => {
    const cwd = archive(PASSED, FAILED);
    writeFileSync(join(cwd, 'runs', FAILED, 'spans.jsonl'), '{"name": "chat"');
    mkdirSync(join(cwd, 'runs/a <b> &c'));
    writeFileSync(join(cwd, 'runs/a <b> &c/envelope.json'), '[]');
    rmSync(join(cwd, 'runs', PASSED), { recursive: true });
    const ended = await report(cwd);
    expect(ended.stdout).toBe('report/index.html: 3 runs: 1 tampered, 2 unreadable\n');
    const rows = rowsIn(cwd);
    for (const [run, page] of rows) {
      const read = readPage(readFileSync(join(cwd, `report/runs/${page === 0 ? run : page}.html`), 'utf8'));
      expect(read.all('h1')[0]?.text).toContain(run);
      expect(read.elements.some(({ attributes }) => attributes.get('class') === 'reason')).toBe(true);
    }
    expect(rows.map(([run]) => run)).toContain('a <b> &c');
  });

  test('lead to what they broke when they were withheld, and to the runs that they delegated to', async () => {
    const cwd = folderWith({});
    const runs = join(cwd, 'runs');
    const env = { DD_PRINCIPAL_ID: 'mailto:a@example.org', DD_PRINCIPAL_NAME: 'A' };
    const fixtures = ['orchestrator-one', 'miscites-altered'].map((name) => `examples/fixtures/${name}.json`);
    expect(await grounding(['run', ...fixtures, '--runs', runs], { env })).toMatchObject({ code: 0 });
    const output = join(cwd, 'report');
    await grounding(['report', runs, '--output', output, '--agents', 'agents.yaml', '--link-files']);
    expect(existsSync(join(output, 'files'))).toBe(false);
    const pages = readdirSync(join(output, 'runs')).map((name) =>
      readPage(readFileSync(join(output, 'runs', name), 'utf8')),
    );
    const rules = pages.flatMap(({ elements }) =>
      elements.filter(({ attributes }) => attributes.get('class') === 'rule').map(({ text }) => text),
    );
    expect(rules).toEqual(['G2', 'G3', 'S2']);
    const links = pages.flatMap((page) => page.all('a').flatMap(({ attributes }) => attributes.get('href') ?? []));
    const files = links.filter((href) => href.startsWith('../../runs/'));
    expect(files.some((href) => href.endsWith('/crate/ro-crate-metadata.json'))).toBe(true);
    for (const href of files) expect(existsSync(join(output, 'runs', href))).toBe(true);
    for (const href of links.filter((one) => /^[0-9a-f-]+\.html$/.test(one)))
      expect(existsSync(join(output, 'runs', href))).toBe(true);
    expect(pages.some(({ elements }) => elements.some(({ text }) => text === 'declared, not checked'))).toBe(true);
  });
});

test('leaves nothing when it is interrupted', async () => {
  const cwd = folderWith({});
  cpSync(join(VECTORS, 'runs'), join(cwd, 'runs'), { recursive: true });
  const child = spawn(
    process.execPath,
    [join(ROOT, 'build/cli.js'), 'report', 'runs', '--output', 'report', ...SOURCES],
    {
      cwd,
      stdio: 'ignore',
    },
  );
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (!readdirSync(cwd).some((name) => name.startsWith('.grounding-report')) && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGINT');
  await ended;
  expect(readdirSync(cwd).filter((name) => name.startsWith('.'))).toEqual([]);
});
