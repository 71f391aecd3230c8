import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diskSourceFiles } from '../../core/io/source-files.js';
import { loadSources, type SourceFiles } from '../../core/sources/index.js';
import { codeOf } from '../support/code-of.js';
import { sha256 } from '../support/memory-copy.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const COPY = '{"id": "a", "n": 1}\n{"id": "b", "n": 2}\n';

const entry = (path: string, ref = 'v1', content: string | Uint8Array = COPY, idField = 'id'): string =>
  `  - {snapshot_refs: ["${ref}"], path: ${JSON.stringify(path)}, id_field: ${idField}, sha256: "${sha256(content)}"}\n`;

/** A repository with sources.yaml in `config` and the given files. */
function repository(entries: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  return temporaryFolder({ '.git/HEAD': '', 'config/sources.yaml': `sources:\n${entries}`, ...files });
}

const load = (folder: string, path = 'config/sources.yaml') =>
  loadSources(diskSourceFiles, { sourcesPath: join(folder, path), named: true });

/** Counts what is open, so that a leak shows. */
function counting(): { readonly files: SourceFiles; readonly counts: { opened: number; closed: number } } {
  const counts = { opened: 0, closed: 0 };
  const open: SourceFiles['open'] = (path) => {
    const copy = diskSourceFiles.open(path);
    counts.opened += 1;
    return {
      read: copy.read,
      close: () => {
        counts.closed += 1;
        copy.close();
      },
    };
  };
  return { files: { ...diskSourceFiles, open }, counts };
}

describe('loadSources, what it reads', () => {
  test.each([
    ['beside sources.yaml', 'c.jsonl', 'config/c.jsonl'],
    ['below it', 'data/deep/c.jsonl', 'config/data/deep/c.jsonl'],
    ['above it, within the repository', '../data/c.jsonl', 'data/c.jsonl'],
    ['under a name with spaces and other scripts', '資料 1.jsonl', 'config/資料 1.jsonl'],
  ])('returns a copy %s', (_, path, file) => {
    const copies = load(repository(entry(path), { [file]: COPY }));
    expect(copies.copyFor('v1')?.find('b')?.get('n')?.lexeme()).toBe('2');
    expect(copies.copyFor('v2')).toBeUndefined();
    expect(copies.notices).toEqual([]);
    copies.close();
  });

  test('returns a copy through a link that stays in the repository', () => {
    const folder = repository(entry('link.jsonl'), { 'data/c.jsonl': COPY });
    symlinkSync('../data/c.jsonl', join(folder, 'config/link.jsonl'));
    expect(load(folder).copyFor('v1')?.records).toBe(2);
  });

  test('returns copies by references that name prototypes, and none by what objects inherit', () => {
    const copies = load(repository(entry('c.jsonl', '__proto__'), { 'config/c.jsonl': COPY }));
    expect(copies.copyFor('__proto__')?.records).toBe(2);
    for (const ref of ['constructor', 'toString', 'hasOwnProperty']) expect(copies.copyFor(ref)).toBeUndefined();
  });

  test('opens and indexes a file once, under whatever names it is listed', () => {
    const folder = repository(entry('c.jsonl', 'v1') + entry('./data/../c.jsonl', 'v2') + entry('link.jsonl', 'v3'), {
      'config/c.jsonl': COPY,
      'config/data/x': '',
    });
    symlinkSync('c.jsonl', join(folder, 'config/link.jsonl'));
    const { files, counts } = counting();
    const copies = loadSources(files, { sourcesPath: join(folder, 'config/sources.yaml'), named: true });
    expect(counts.opened).toBe(1);
    expect(copies.copyFor('v1')).toBe(copies.copyFor('v3'));
    copies.close();
    expect(counts.closed).toBe(1);
  });

  test('indexes a file twice when two entries name different id fields', () => {
    const content = '{"id": "a", "doi": "x"}\n';
    const copies = load(
      repository(entry('c', 'v1', content) + entry('c', 'v2', content, 'doi'), { 'config/c': content }),
    );
    expect(copies.copyFor('v1')?.find('a')?.kind).toBe('object');
    expect(copies.copyFor('v2')?.find('x')?.kind).toBe('object');
    expect(copies.copyFor('v2')?.find('a')).toBeUndefined();
  });

  test('returns no copies and one notice when a default file is missing', () => {
    const copies = loadSources(diskSourceFiles, { sourcesPath: join(temporaryFolder(), 'sources.yaml'), named: false });
    expect(copies.copyFor('v1')).toBeUndefined();
    expect(copies.notices).toHaveLength(1);
  });
});

describe('loadSources, what it refuses', () => {
  test.each([
    ['a named file that is missing', temporaryFolder, 'config-missing'],
    ['a copy that is missing', () => repository(entry('none.jsonl')), 'config-missing'],
    ['a copy below a file', () => repository(entry('c/x.jsonl'), { 'config/c': COPY }), 'config-missing'],
    ['a copy that is a folder', () => repository(entry('data'), { 'config/data/x': '' }), 'config-not-a-file'],
    ['a path out of the repository', () => repository(entry('../../outside.jsonl')), 'config-outside'],
    [
      'a path out of it that does exist',
      () => repository(entry('../../../../../../../../../../etc/hostname')),
      'config-outside',
    ],
    ['an absolute path out of the repository', () => repository(entry('/etc/hostname')), 'config-outside'],
    ['a path with a NUL', () => repository(entry('c\\0.jsonl').replace('\\\\0', '\\0')), 'config-unreadable'],
    [
      'a copy of another content',
      () => repository(entry('c.jsonl'), { 'config/c.jsonl': `${COPY}\n` }),
      'source-pin-mismatch',
    ],
    [
      'a copy with one changed byte',
      () => repository(entry('c.jsonl'), { 'config/c.jsonl': COPY.replace('2}', '3}') }),
      'source-pin-mismatch',
    ],
    [
      'a copy that is broken as well as changed',
      () => repository(entry('c.jsonl'), { 'config/c.jsonl': '{"id"' }),
      'source-pin-mismatch',
    ],
    [
      'a Git LFS pointer',
      () =>
        repository(entry('c.jsonl'), {
          'config/c.jsonl': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
        }),
      'source-lfs-pointer',
    ],
    [
      'a pinned copy with a double',
      () => repository(entry('c', 'v1', COPY + COPY), { 'config/c': COPY + COPY }),
      'source-duplicate-id',
    ],
    [
      'a pinned copy with another id field',
      () => repository(entry('c', 'v1', COPY, 'key'), { 'config/c': COPY }),
      'source-record-id',
    ],
    [
      'a second entry with a stale pin for the same file',
      () => repository(entry('c') + entry('c', 'v2', 'stale'), { 'config/c': COPY }),
      'source-pin-mismatch',
    ],
  ])('refuses %s', (_, folder, code) => {
    expect(codeOf(() => load(folder()))).toMatchObject({ code, blame: 'configuration' });
  });

  test('says both hashes when a pin does not match, at the place of the entry', () => {
    const folder = repository(entry('c.jsonl'), { 'config/c.jsonl': 'other' });
    const refusal = codeOf(() => load(folder));
    expect(refusal.message).toContain(sha256(COPY));
    expect(refusal.message).toContain(sha256('other'));
    expect(refusal).toMatchObject({ file: join(folder, 'config/sources.yaml'), line: 2, column: 5 });
  });

  test('names the line of the sources file whose path leads to nothing', () => {
    const refusal = codeOf(() => load(repository(entry('none.jsonl'))));
    expect(refusal.file).toMatch(/sources\.yaml$/);
    expect(refusal.line).toBe(2);
    expect(refusal.message).toContain('none.jsonl');
  });

  test('refuses links out of the repository: of the file, of a folder on the way, of sources.yaml', () => {
    const outside = temporaryFolder({ 'c.jsonl': COPY, 'sources.yaml': 'sources: []' });
    const ofFile = repository(entry('c.jsonl'));
    symlinkSync(join(outside, 'c.jsonl'), join(ofFile, 'config/c.jsonl'));
    const ofFolder = repository(entry('data/c.jsonl'));
    symlinkSync(outside, join(ofFolder, 'config/data'));
    const ofSources = temporaryFolder({ '.git/HEAD': '' });
    mkdirSync(join(ofSources, 'config'));
    symlinkSync(join(outside, 'sources.yaml'), join(ofSources, 'config/sources.yaml'));
    for (const folder of [ofFile, ofFolder, ofSources]) expect(codeOf(() => load(folder)).code).toBe('config-outside');
  });

  test('confines copies to the folder of sources.yaml when no repository holds it', () => {
    const folder = temporaryFolder({ 'config/sources.yaml': `sources:\n${entry('../c.jsonl')}`, 'c.jsonl': COPY });
    expect(codeOf(() => load(folder)).code).toBe('config-outside');
    writeFileSync(join(folder, '.git'), 'gitdir: elsewhere');
    expect(load(folder).copyFor('v1')?.records).toBe(2);
  });

  test('refuses a folder that only begins like the repository', () => {
    const folder = temporaryFolder({
      'repo/.git/HEAD': '',
      'repo/sources.yaml': `sources:\n${entry('../repo-2/c.jsonl')}`,
      'repo-2/c.jsonl': COPY,
    });
    expect(codeOf(() => load(folder, 'repo/sources.yaml')).code).toBe('config-outside');
  });

  test('refuses dangling links, pipes, and pipes behind links, without waiting', () => {
    const folder = repository(entry('dangling') + entry('pipe', 'v2'));
    symlinkSync('nowhere', join(folder, 'config/dangling'));
    expect(codeOf(() => load(folder)).code).toBe('config-missing');
    rmSync(join(folder, 'config/dangling'));
    writeFileSync(join(folder, 'config/dangling'), COPY);
    execFileSync('mkfifo', [join(folder, 'config/fifo')]);
    symlinkSync('fifo', join(folder, 'config/pipe'));
    expect(codeOf(() => load(folder)).code).toBe('config-not-a-file');
  });

  test('refuses a sources file that is a folder or a pipe', () => {
    const folder = temporaryFolder({ 'config/sources.yaml/x': '' });
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    for (const path of ['config/sources.yaml', 'pipe.yaml']) {
      expect(codeOf(() => load(folder, path)).code).toBe('config-not-a-file');
    }
  });

  test('refuses a ring of links', () => {
    const folder = repository(entry('ring'));
    symlinkSync('ring', join(folder, 'config/ring'));
    expect(codeOf(() => load(folder)).code).toBe('config-unreadable');
  });

  test('closes what it opened when a later copy is refused', () => {
    const folder = repository(entry('c.jsonl') + entry('d.jsonl', 'v2', 'x'), {
      'config/c.jsonl': COPY,
      'config/d.jsonl': 'y',
    });
    const { files, counts } = counting();
    expect(
      codeOf(() => loadSources(files, { sourcesPath: join(folder, 'config/sources.yaml'), named: true })).code,
    ).toBe('source-pin-mismatch');
    expect(counts).toEqual({ opened: 2, closed: 2 });
  });
});

describe('a copy that changes after it was indexed', () => {
  test('is refused when a byte of the record changed, also by as many others', () => {
    const folder = repository(entry('c.jsonl'), { 'config/c.jsonl': COPY });
    const copies = load(folder);
    writeFileSync(join(folder, 'config/c.jsonl'), COPY.replace('"n": 2', '"n": 3'));
    expect(copies.copyFor('v1')?.find('a')?.kind).toBe('object');
    expect(codeOf(() => copies.copyFor('v1')?.find('b'))).toMatchObject({
      code: 'source-record-changed',
      blame: 'configuration',
      line: 2,
      column: 1,
    });
    copies.close();
  });

  test('is refused when the file was cut short', () => {
    const folder = repository(entry('c.jsonl'), { 'config/c.jsonl': COPY });
    const copies = load(folder);
    writeFileSync(join(folder, 'config/c.jsonl'), COPY.slice(0, 25));
    expect(codeOf(() => copies.copyFor('v1')?.find('b')).code).toBe('source-record-changed');
    copies.close();
  });

  test('still answers from the pinned file when another takes its name, or lines are appended', () => {
    const folder = repository(entry('c.jsonl'), { 'config/c.jsonl': COPY });
    const copies = load(folder);
    appendFileSync(join(folder, 'config/c.jsonl'), '{"id": "c"}\n');
    expect(copies.copyFor('v1')?.find('c')).toBeUndefined();
    writeFileSync(join(folder, 'config/new'), '{"id": "b", "n": 9}\n');
    renameSync(join(folder, 'config/new'), join(folder, 'config/c.jsonl'));
    expect(copies.copyFor('v1')?.find('b')?.get('n')?.lexeme()).toBe('2');
    copies.close();
    expect(readdirSync(join(folder, 'config'))).toContain('c.jsonl');
  });
});
