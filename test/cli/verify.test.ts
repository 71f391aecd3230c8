import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';

const VECTORS = join(ROOT, 'test/vectors/stored-runs');

interface Expected {
  readonly run: string;
  readonly sources: {
    readonly rules: readonly string[];
    readonly verified: number;
    readonly unresolved: number;
  } | null;
}

const rows: readonly Expected[] = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** One stored run for each verdict of the source check that the vectors hold. */
const oneOfEachKind = [...new Map(rows.map((row) => [JSON.stringify(row.sources), row])).values()];

const COPY = '{"id":"src:a","text":"one"}\n';
const PIN = '9d5ac4cd9c2bd1b2b1a2d2f8a0ba3e0b9b2a4f34a4d5c2c3b8b5f1a4f0a9d111';

const sourcesYaml = (sha256: string, path = 'copy.jsonl'): string =>
  `sources:\n  - snapshot_refs: ["snap:1"]\n    path: ${path}\n    id_field: id\n    sha256: ${sha256}\n`;

test.each(oneOfEachKind)('returns what is stated for the stored run $run', async ({ run, sources }) => {
  const ended = await grounding(['verify', '--format', 'json', join('runs', run, 'envelope.json')], { cwd: VECTORS });
  if (sources === null) {
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    return;
  }
  const report = JSON.parse(ended.stdout);
  expect(ended.code).toBe(sources.rules.length === 0 ? 0 : 1);
  expect([...report.rules].sort()).toEqual(sources.rules);
  expect({ verified: report.verified, unresolved: report.unresolved.length }).toEqual({
    verified: sources.verified,
    unresolved: sources.unresolved,
  });
});

const UNRESOLVED = JSON.stringify({
  grounding_mode: 'retrieval',
  evidence: [
    {
      source_id: 'src:a',
      hash_algorithm: 'sha256',
      canonicalisation: 'dd-json-document-v1',
      content_hash: 'a'.repeat(64),
    },
  ],
});

test.each([
  ['allow', 0, true, false],
  ['warn', 0, true, true],
  ['fail', 1, false, false],
])('ends as contract 9 says when an item is unresolved under --unresolved %s', async (policy, code, passed, warns) => {
  const folder = folderWith({ 'envelope.json': UNRESOLVED });
  const text = await grounding(['verify', 'envelope.json', '--unresolved', policy], { cwd: folder });
  expect(text).toMatchObject({
    code,
    stdout: 'sources: 0 verified, 1 unresolved (no independent copy: src:a (live))\n',
  });
  expect(text.stderr.includes('unresolved evidence')).toBe(warns);
  const json = await grounding(['verify', 'envelope.json', '--unresolved', policy, '--format', 'json'], {
    cwd: folder,
  });
  expect(json.code).toBe(code);
  expect(JSON.parse(json.stdout)).toMatchObject({ passed, rules: [], violations: [], unresolved: ['src:a (live)'] });
});

test('notes a missing default sources file, and refuses a missing one that was named', async () => {
  const folder = folderWith({ 'envelope.json': UNRESOLVED });
  expect(await grounding(['verify', 'envelope.json'], { cwd: folder })).toMatchObject({ code: 0 });
  for (const call of [
    { args: ['--sources', 'none.yaml'], env: {} },
    { args: [], env: { DD_SOURCES_CONFIG: 'none.yaml' } },
  ]) {
    const ended = await grounding(['verify', 'envelope.json', ...call.args], { cwd: folder, env: call.env });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('[config-missing]');
  }
});

test('takes the flag over the variable', async () => {
  const folder = folderWith({ 'envelope.json': UNRESOLVED, 'sources.yaml': 'sources: []\n' });
  const ended = await grounding(['verify', 'envelope.json', '--sources', 'sources.yaml'], {
    cwd: folder,
    env: { DD_SOURCES_CONFIG: 'none.yaml' },
  });
  expect(ended).toMatchObject({ code: 0 });
});

test.each([
  ['a pin that does not match', sourcesYaml(PIN), 'source-pin-mismatch'],
  ['a pin of digits without quotes', sourcesYaml('1'.repeat(64)), 'config-type'],
  ['an unknown key', `${sourcesYaml(PIN)}    comment: x\n`, 'config-unknown-key'],
  ['a missing copy', sourcesYaml(PIN, 'none.jsonl'), 'config-missing'],
  ['a path that leaves the repository', sourcesYaml(PIN, '../../etc/passwd'), 'config-outside'],
  ['a link that leaves the repository', sourcesYaml(PIN, 'out.jsonl'), 'config-outside'],
  ['an alias bomb', aliasBomb(), 'yaml-alias'],
  ['the same key twice', 'sources: []\nsources: []\n', 'yaml-duplicate-key'],
  ['nothing', '', 'yaml-empty'],
])('returns 2 on one line with file and line when sources.yaml holds %s', async (_what, yaml, code) => {
  const folder = folderWith({ 'envelope.json': UNRESOLVED });
  mkdirSync(join(folder, 'repository'));
  writeFileSync(join(folder, 'secret.jsonl'), COPY);
  const repository = join(folder, 'repository');
  writeFileSync(join(repository, 'copy.jsonl'), COPY);
  writeFileSync(join(repository, 'sources.yaml'), yaml);
  symlinkSync('../secret.jsonl', join(repository, 'out.jsonl'));
  const ended = await grounding(['verify', '../envelope.json'], { cwd: repository });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: [^\n]*\\[${code}\\]\n$`));
});

/** Nine levels of nine aliases: 9^9 nodes when written out. */
function aliasBomb(): string {
  const levels = Array.from({ length: 9 }, (_, at) =>
    at === 0 ? `a0: &a0 [${'x,'.repeat(9)}]` : `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`,
  );
  return `${levels.join('\n')}\n`;
}
