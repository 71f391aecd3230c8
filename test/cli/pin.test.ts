import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, grounding } from './grounding.js';

const COPY = '{"id":"src:a","text":"one"}\n{"id":"src:b","text":"two"}\n';
const ARGS = ['--ref', 'snap:1', '--id-field', 'id'];
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An envelope whose evidence is the first record, as `hash` hashes it. */
async function envelopeFor(folder: string): Promise<void> {
  writeFileSync(join(folder, 'record.json'), COPY.split('\n')[0] ?? '');
  const hashed = await grounding(['hash', '--as', 'dd-json-document-v1', 'record.json'], { cwd: folder });
  const evidence = {
    source_id: 'src:a',
    snapshot_ref: 'snap:1',
    hash_algorithm: 'sha256',
    canonicalisation: 'dd-json-document-v1',
    content_hash: hashed.stdout.slice(0, 64),
  };
  writeFileSync(join(folder, 'envelope.json'), JSON.stringify({ grounding_mode: 'retrieval', evidence: [evidence] }));
}

test('writes a sources.yaml that verify then works with, and refuses the copy once it has changed', async () => {
  const folder = folderWith({ 'copy.jsonl': COPY });
  await envelopeFor(folder);
  const pinned = await grounding(['pin', 'copy.jsonl', ...ARGS], { cwd: folder });
  expect(pinned).toEqual({ code: 0, stdout: `added: snap:1 ${sha256(COPY)} copy.jsonl (2 records)\n`, stderr: '' });
  const verified = await grounding(['verify', 'envelope.json'], { cwd: folder });
  expect(verified).toEqual({ code: 0, stdout: 'sources: 1 verified, 0 unresolved\n', stderr: '' });

  writeFileSync(join(folder, 'copy.jsonl'), `${COPY}{"id":"src:c"}\n`);
  const refused = await grounding(['verify', 'envelope.json'], { cwd: folder });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('[source-pin-mismatch]');

  const renewed = await grounding(['pin', 'copy.jsonl', ...ARGS], { cwd: folder });
  expect(renewed.stdout).toMatch(/^renewed: .*\(3 records\)\n$/);
  expect((await grounding(['verify', 'envelope.json'], { cwd: folder })).code).toBe(0);
});

test('keeps the comments and the other entries of sources.yaml', async () => {
  const before = `# ours\nsources:\n  - snapshot_refs: [other]\n    path: other.jsonl # kept\n    id_field: id\n    sha256: ${'ab'.repeat(32)}\n`;
  const folder = folderWith({ 'copy.jsonl': COPY, 'sources.yaml': before });
  expect((await grounding(['pin', 'copy.jsonl', ...ARGS], { cwd: folder })).code).toBe(0);
  const after = readFileSync(join(folder, 'sources.yaml'), 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after).toContain(sha256(COPY));
});

test.each([
  ['a missing file', 'none.jsonl', ARGS],
  ['a folder', '.', ARGS],
  ['a pipe', 'pipe', ARGS],
  ['an empty file', 'empty.jsonl', ARGS],
  ['a record without the id', 'copy.jsonl', ['--ref', 'snap:1', '--id-field', 'none']],
  ['the same id twice', 'twice.jsonl', ARGS],
  ['no --ref', 'copy.jsonl', ['--id-field', 'id']],
  ['no --id-field', 'copy.jsonl', ['--ref', 'snap:1']],
])('returns 2 on one line and writes nothing for %s', async (_what, file, args) => {
  const folder = folderWith({ 'copy.jsonl': COPY, 'twice.jsonl': COPY + COPY, 'empty.jsonl': '' });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const ended = await grounding(['pin', file, ...args], { cwd: folder });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(/^error: [^\n]+\n$/);
  expect(existsSync(join(folder, 'sources.yaml'))).toBe(false);
});
