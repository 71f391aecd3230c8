import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diskSourceFiles } from '../../core/io/source-files.js';
import { loadSources, parseSourcesConfiguration, pinSource } from '../../core/sources/index.js';
import { codeOf } from '../support/code-of.js';
import { sha256 } from '../support/memory-copy.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const COPY = '{"id": "a", "doi": "x"}\n';
const OLD = '0'.repeat(64);
const NEW = sha256(COPY);

interface Pinning {
  readonly folder: string;
  readonly file?: string;
  readonly ref?: string;
  readonly idField?: string;
}

const pin = ({ folder, file = 'c.jsonl', ref = 'v1', idField = 'id' }: Pinning) =>
  pinSource(diskSourceFiles, { sourcesPath: join(folder, 'sources.yaml'), file: join(folder, file), ref, idField });
const textOf = (folder: string): string => readFileSync(join(folder, 'sources.yaml'), 'utf8');

/** Pins in a repository whose sources.yaml says `before`; returns what it says then. */
function edited(before: string, pinning: Omit<Pinning, 'folder'> = {}): string {
  const folder = temporaryFolder({ '.git/HEAD': '', 'sources.yaml': before, 'c.jsonl': COPY, 'd.jsonl': COPY });
  pin({ folder, ...pinning });
  return textOf(folder);
}

describe('pinSource, without a sources file', () => {
  test('writes one that the next run reads', () => {
    const folder = temporaryFolder({ '.git/HEAD': '', 'data/c.jsonl': COPY });
    expect(pin({ folder, file: 'data/c.jsonl' })).toEqual({
      kind: 'added',
      path: 'data/c.jsonl',
      sha256: NEW,
      records: 1,
    });
    expect(textOf(folder)).toBe(
      `sources:\n  - snapshot_refs: ["v1"]\n    path: "data/c.jsonl"\n    id_field: "id"\n    sha256: "${NEW}"\n`,
    );
    const copies = loadSources(diskSourceFiles, { sourcesPath: join(folder, 'sources.yaml'), named: true });
    expect(copies.copyFor('v1')?.find('a')?.kind).toBe('object');
    copies.close();
  });

  test.each([
    ['quotes and colons', 'snapshot: "2026" # now'],
    ['line breaks and controls', 'a\nb\t\u0000\u0085\u2028\ufeff'],
    ['what YAML would read as something else', 'null'],
    ['digits', '20260930'],
    ['an alias and a tag', '*a !!js/function'],
    ['a prototype', '__proto__'],
    ['characters beyond the first plane', '資料 \u{1d49f}'],
  ])('writes names that hold %s so that they are read back', (_, name) => {
    const fileName = name.replaceAll('\u0000', '');
    const folder = temporaryFolder({
      '.git/HEAD': '',
      [fileName.replaceAll('/', '_')]: `${JSON.stringify([{ [name]: 'a' }])}`,
    });
    pin({ folder, file: fileName.replaceAll('/', '_'), ref: name, idField: name });
    const { entries } = parseSourcesConfiguration(readFileSync(join(folder, 'sources.yaml')), { file: 's' });
    expect(entries).toMatchObject([{ snapshotRefs: [name], idField: name, path: fileName.replaceAll('/', '_') }]);
  });
});

describe('pinSource, into a sources file', () => {
  const BLOCK = `# our copies
sources:   # reviewed by the library
  # the registry
  - snapshot_refs: ["v1", 'v0'] # newest first
    path:   c.jsonl
    id_field: id   # the key
    sha256: ${OLD.replace('0', 'a')} # pinned
  - snapshot_refs:
      - w1   # one
      - w2
    path: d.jsonl
    sha256: '${OLD}'
    id_field: doi

# the end
`;
  const added = (ref: string, path: string, idField: string): string =>
    `  - snapshot_refs: ["${ref}"]\n    path: "${path}"\n    id_field: "${idField}"\n    sha256: "${NEW}"\n`;

  test('renews the pin alone when the entry is there already', () => {
    expect(edited(BLOCK)).toBe(BLOCK.replace(OLD.replace('0', 'a'), `"${NEW}"`));
    expect(edited(BLOCK, { file: 'd.jsonl', ref: 'w2', idField: 'doi' })).toBe(BLOCK.replace(`'${OLD}'`, `"${NEW}"`));
  });

  test('adds a reference to the entry of the same file and renews its pin', () => {
    expect(edited(BLOCK, { ref: 'v2' })).toBe(
      BLOCK.replace("'v0']", '\'v0\', "v2"]').replace(OLD.replace('0', 'a'), `"${NEW}"`),
    );
    const block = edited(BLOCK, { file: 'd.jsonl', ref: 'w3', idField: 'doi' });
    expect(block).toBe(BLOCK.replace('      - w2\n', '      - w2\n      - "w3"\n').replace(`'${OLD}'`, `"${NEW}"`));
  });

  test('adds an entry below the last one', () => {
    const other = edited(BLOCK, { file: 'd.jsonl', ref: 'x', idField: 'id' });
    expect(other).toBe(
      BLOCK.replace(`'${OLD}'`, `"${NEW}"`).replace(
        '    id_field: doi\n',
        `    id_field: doi\n${added('x', 'd.jsonl', 'id')}`,
      ),
    );
  });

  test('moves a reference away from an entry that serves others too', () => {
    const flow = edited(BLOCK, { file: 'd.jsonl', ref: 'v1', idField: 'doi' });
    expect(flow).toContain("snapshot_refs: ['v0'] # newest first");
    expect(flow).toContain('      - w2\n      - "v1"\n');
    expect(edited(BLOCK, { file: 'd.jsonl', ref: 'v0', idField: 'doi' })).toContain(
      'snapshot_refs: ["v1"] # newest first',
    );
    const block = edited(BLOCK, { ref: 'w1' });
    expect(block).toContain('["v1", \'v0\', "w1"]');
    expect(block).toContain('  - snapshot_refs:\n      - w2\n');
  });

  test('points the entry of a lone reference at the new file', () => {
    const before = `sources:\n- snapshot_refs: [v1]\n  path: old.jsonl # was\n  id_field: key\n  sha256: "${OLD}"\n`;
    expect(edited(before)).toBe(
      `sources:\n- snapshot_refs: [v1]\n  path: "c.jsonl" # was\n  id_field: "id"\n  sha256: "${NEW}"\n`,
    );
  });

  test('renews every entry of the same file, since a file has one hash', () => {
    const one = (ref: string, path: string, key: string): string =>
      `- {snapshot_refs: [${ref}], path: ${path}, id_field: ${key}, sha256: "${OLD}"}\n`;
    const text = edited(
      `sources:\n${one('v1', 'c.jsonl', 'id')}${one('v2', './c.jsonl', 'doi')}${one('v3', 'd.jsonl', 'id')}`,
    );
    expect(text.split(NEW)).toHaveLength(3);
    expect(text.split(OLD)).toHaveLength(2);
  });

  const flowed = `{snapshot_refs: ["v1"], path: "c.jsonl", id_field: "id", sha256: "${NEW}"}`;
  const other = `{snapshot_refs: [u], path: d.jsonl, id_field: id, sha256: "${OLD}"}`;
  test.each([
    ['an empty list', 'sources: []\n# end\n', `sources:\n${added('v1', 'c.jsonl', 'id')}# end\n`],
    ['an empty list without a line feed', 'sources: []', `sources:\n${added('v1', 'c.jsonl', 'id').trimEnd()}`],
    ['an empty list in braces', '{sources: [ ]}\n', `{sources: [${flowed} ]}\n`],
    ['a list in brackets', `sources: [${other}] # all\n`, `sources: [${other}, ${flowed}] # all\n`],
    [
      'a list in brackets with a last comma',
      `sources: [\n  ${other},\n ]\n`,
      `sources: [\n  ${other}, ${flowed},\n ]\n`,
    ],
    [
      'a block list of braces',
      `sources:\n- ${other}  # one\n`,
      `sources:\n- ${other}  # one\n${added('v1', 'c.jsonl', 'id').replaceAll(/^ {2}/gm, '')}`,
    ],
    [
      'a block list without a line feed',
      `sources:\n  - ${other}`,
      `sources:\n  - ${other}\n${added('v1', 'c.jsonl', 'id').trimEnd()}`,
    ],
    [
      'CR LF line ends',
      `sources:\r\n  - ${other}\r\n`,
      `sources:\r\n  - ${other}\r\n${added('v1', 'c.jsonl', 'id').replaceAll('\n', '\r\n')}`,
    ],
    [
      'document markers',
      `---\nsources:\n  - ${other}\n...\n`,
      `---\nsources:\n  - ${other}\n${added('v1', 'c.jsonl', 'id')}...\n`,
    ],
  ])('adds to %s', (_, before, after) => {
    expect(edited(before)).toBe(after);
  });

  test('changes nothing, not even the time of the file, when it is pinned already', () => {
    const folder = temporaryFolder({ '.git/HEAD': '', 'c.jsonl': COPY });
    pin({ folder });
    const before = statSync(join(folder, 'sources.yaml'), { bigint: true });
    expect(pin({ folder }).kind).toBe('unchanged');
    expect(statSync(join(folder, 'sources.yaml'), { bigint: true })).toMatchObject({
      ino: before.ino,
      mtimeNs: before.mtimeNs,
    });
  });

  test('leaves no temporary file and keeps the permissions', () => {
    const folder = temporaryFolder({ '.git/HEAD': '', 'sources.yaml': BLOCK, 'c.jsonl': COPY });
    chmodSync(join(folder, 'sources.yaml'), 0o600);
    expect(pin({ folder }).kind).toBe('renewed');
    expect(readdirSync(folder).sort()).toEqual(['.git', 'c.jsonl', 'sources.yaml']);
    expect(statSync(join(folder, 'sources.yaml')).mode & 0o777).toBe(0o600);
  });
});

describe('pinSource, what it refuses', () => {
  const shared = `sources:\n- {snapshot_refs: [v1], path: &p c.jsonl, id_field: id, sha256: "${OLD}"}\n- {snapshot_refs: [v2], path: d.jsonl, id_field: id, sha256: "${OLD}"}\n`;
  test.each([
    ['a file without the id field', { 'c.jsonl': COPY }, { idField: 'key' }, 'source-record-id'],
    ['a file with a double', { 'c.jsonl': COPY + COPY }, {}, 'source-duplicate-id'],
    ['a file that is not JSON', { 'c.jsonl': 'hello' }, {}, 'json-syntax'],
    ['a file that is missing', {}, {}, 'config-missing'],
    ['a folder', { 'c.jsonl/x': '' }, {}, 'config-not-a-file'],
    ['a Git LFS pointer', { 'c.jsonl': 'version https://git-lfs.github.com/spec/v1\n' }, {}, 'source-lfs-pointer'],
    ['a file out of the repository', {}, { file: '../c.jsonl' }, 'config-outside'],
    ['an empty reference', { 'c.jsonl': COPY }, { ref: '' }, 'config-value'],
    ['an empty id field', { 'c.jsonl': COPY }, { idField: '' }, 'config-value'],
    ['half a character as reference', { 'c.jsonl': COPY }, { ref: '\ud800' }, 'config-value'],
  ])('refuses %s and writes nothing', (_, files, pinning, code) => {
    const folder = temporaryFolder({ '.git/HEAD': '', ...files });
    expect(codeOf(() => pin({ folder, ...pinning })).code).toBe(code);
    expect(existsSync(join(folder, 'sources.yaml'))).toBe(false);
  });

  test.each([
    ['a sources file that a run would refuse', 'sources: []\nextra: 1\n', 'config-unknown-key'],
    [
      'an alias that shares what would change',
      shared.replace('path: d.jsonl', 'path: *p').replace('[v2]', '&r [v2, v3]'),
      'source-pin-edit',
    ],
  ])('refuses %s and leaves it as it is', (_, before, code) => {
    const folder = temporaryFolder({ '.git/HEAD': '', 'sources.yaml': before, 'c.jsonl': COPY, 'd.jsonl': COPY });
    const pinning = code === 'source-pin-edit' ? { file: 'd.jsonl', ref: 'v1' } : {};
    expect(codeOf(() => pin({ folder, ...pinning })).code).toBe(code);
    expect(textOf(folder)).toBe(before);
  });

  test('refuses a link out of the repository and a pipe', () => {
    const folder = temporaryFolder({ '.git/HEAD': '' });
    const outside = temporaryFolder({ 'c.jsonl': COPY });
    symlinkSync(join(outside, 'c.jsonl'), join(folder, 'c.jsonl'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(codeOf(() => pin({ folder })).code).toBe('config-outside');
    expect(codeOf(() => pin({ folder, file: 'pipe' })).code).toBe('config-not-a-file');
  });

  test('refuses to write where no folder is', () => {
    const folder = temporaryFolder({ 'c.jsonl': COPY });
    const request = {
      sourcesPath: join(folder, 'none/sources.yaml'),
      file: join(folder, 'c.jsonl'),
      ref: 'v',
      idField: 'id',
    };
    expect(codeOf(() => pinSource(diskSourceFiles, request)).code).toBe('config-missing');
    writeFileSync(join(folder, 'none'), '');
    expect(codeOf(() => pinSource(diskSourceFiles, request)).blame).toBe('configuration');
  });
});
