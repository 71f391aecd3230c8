import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { tarFile } from '../../core/io/tar-file.js';
import type { StoredRunVerdict } from '../../core/model/stored-run.js';
import { openTar } from '../../core/reverify/reverify-tar.js';
import { NO_COPIES } from '../../core/sources/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { EVERYTHING, makeRuns, verdictsOn } from './archive.js';

let made: Awaited<ReturnType<typeof makeRuns>>;
beforeAll(async () => {
  made = await makeRuns();
});

interface Entry {
  readonly name: string;
  readonly type?: 'file' | 'directory' | 'symlink' | 'link' | 'fifo' | 'character-device';
  readonly linkname?: string;
  readonly content?: string | Uint8Array;
}

/** Every file of the small archive as an entry below `runs/`, runs first and the index last, as tar sorts them. */
function entries(): Entry[] {
  const files = readdirSync(made.folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.'))
    .sort()
    .map((path) => ({ name: path.replace(made.folder, 'runs'), content: readFileSync(path) }));
}

async function tarOf(list: readonly Entry[]): Promise<string> {
  const folder = temporaryFolder();
  const stream = pack();
  const zip = stream.pipe(createGzip());
  const pieces: Buffer[] = [];
  const done = (async () => {
    for await (const piece of zip) pieces.push(piece as Buffer);
  })();
  for (const { name, type = 'file', linkname, content } of list) {
    const header = { name, type, ...(linkname === undefined ? {} : { linkname }) };
    if (type === 'file') stream.entry(header, Buffer.from(content ?? ''));
    else stream.entry(header);
  }
  stream.finalize();
  await done;
  writeFileSync(join(folder, 'a.tar.gz'), Buffer.concat(pieces));
  return join(folder, 'a.tar.gz');
}

async function verdicts(file: string, root: string | null = null): Promise<StoredRunVerdict[]> {
  const opened = await openTar({
    entries: tarFile(file),
    root,
    selection: EVERYTHING,
    unresolved: 'warn',
    copies: NO_COPIES,
  });
  const rows: StoredRunVerdict[] = [];
  for await (const row of opened.rows()) rows.push(row);
  return rows;
}

const states = (rows: readonly StoredRunVerdict[]) => new Map(rows.map(({ run, state }) => [run, state]));
const runFile = (run: string, file: string): string => `runs/${run}/${file}`;

describe('an archive in a tar stream', () => {
  it.each([
    ['sorted', (list: Entry[]) => list],
    ['reversed, so that the index comes first and files of runs last', (list: Entry[]) => [...list].reverse()],
    [
      'shuffled, so that the files of a run are scattered',
      (list: Entry[]) => [...list].sort((a, b) => (a.name.slice(-9) < b.name.slice(-9) ? -1 : 1)),
    ],
    ['under dots', (list: Entry[]) => list.map((entry) => ({ ...entry, name: `./${entry.name}` }))],
    ['at the root', (list: Entry[]) => list.map((entry) => ({ ...entry, name: entry.name.replace('runs/', '') }))],
    [
      'in a deep folder with a long name',
      (list: Entry[]) => list.map((entry) => ({ ...entry, name: `${'deep/'.repeat(40)}${entry.name}` })),
    ],
    [
      'beside other files',
      (list: Entry[]) => [
        { name: 'readme.md', content: 'x' },
        { name: 'runs/', type: 'directory' as const },
        { name: 'a/link', type: 'symlink' as const, linkname: '/etc/passwd' },
        ...list,
      ],
    ],
  ])('returns the verdicts of the folder when it is %s', async (_how, arrange) => {
    const { folder } = made;
    writeFileSync(join(folder, '..', 'sources.yaml'), 'sources: []\n');
    expect(await verdicts(await tarOf(arrange(entries())))).toEqual(await verdictsOn(folder));
  });

  it('returns lost runs, other names and wrong lines as in a folder', async () => {
    const { input, child, parent } = made.runs;
    const list = entries()
      .filter(({ name }) => !name.includes(input))
      .map((entry) => ({ ...entry, name: entry.name.replace(`${child}/`, 'moved/') }))
      .map((entry) =>
        entry.name === runFile(parent, 'envelope.json')
          ? {
              ...entry,
              content: Buffer.from(entry.content ?? '')
                .toString()
                .replace('"done"', '"other"'),
            }
          : entry,
      );
    const rows = await verdicts(await tarOf(list));
    const tests = new Map(rows.map(({ run, tampering }) => [run, tampering.map(({ test }) => test)]));
    expect(rows.map(({ run }) => run)).toEqual(rows.map(({ run }) => run).sort());
    expect(tests.get(input)).toEqual(['no-folder']);
    expect(tests.get(child)).toEqual(['no-folder']);
    expect(tests.get('moved')).toEqual(['folder-name']);
    expect(tests.get(parent)).toEqual(['index-differs']);
  });

  const broken: readonly (readonly [string, (name: string, content: Entry['content']) => Entry[]])[] = [
    ['a symbolic link', (name) => [{ name, type: 'symlink', linkname: 'request.json' }]],
    ['a hard link', (name) => [{ name, type: 'link', linkname: 'runs/x/envelope.json' }]],
    ['a pipe', (name) => [{ name, type: 'fifo' }]],
    ['a device', (name) => [{ name, type: 'character-device' }]],
    [
      'there twice',
      (name, content) => [
        { name, content: content ?? '' },
        { name, content: content ?? '' },
      ],
    ],
    [
      'there twice, once under a dot',
      (name, content) => [
        { name, content: content ?? '' },
        { name: `./${name}`, content: '{}' },
      ],
    ],
    ['a folder', (name) => [{ name: `${name}/x`, content: '' }]],
    [
      'a folder, too',
      (name, content) => [
        { name, content: content ?? '' },
        { name: `${name}/x`, content: '' },
      ],
    ],
    ['missing', () => []],
    ['larger than what is read', (name) => [{ name, content: randomBytes(64 * 1024 * 1024 + 1) }]],
    ['no JSON', (name) => [{ name, content: '{' }]],
  ];
  it.each(broken)('returns unreadable for the one run whose envelope is %s', async (_what, put) => {
    const name = runFile(made.runs.input, 'envelope.json');
    const list = entries().flatMap((entry) => (entry.name === name ? put(name, entry.content) : [entry]));
    const found = states(await verdicts(await tarOf(list)));
    expect(found.get(made.runs.input)).toBe('unreadable');
    expect(found.get(made.runs.child)).toBe('passed');
    expect(found.size).toBe(6);
  });

  it.each([
    ['a file', 'file' as const],
    ['a link', 'symlink' as const],
  ])('returns unreadable for a run whose folder is %s, too', async (_what, type) => {
    const name = `runs/${made.runs.input}`;
    const found = states(await verdicts(await tarOf([...entries(), { name, type, linkname: 'x', content: 'x' }])));
    expect(found.get(made.runs.input)).toBe('unreadable');
    expect(found.get(made.runs.child)).toBe('passed');
  });

  it.each([
    ['before its runs', (list: Entry[], link: Entry) => [link, ...list]],
    ['after its runs', (list: Entry[], link: Entry) => [...list, link]],
  ])('refuses a stream in which the folder of its runs is a link %s', async (_when, put) => {
    const list = put(entries(), { name: 'runs', type: 'symlink', linkname: '/tmp' });
    await expect(verdicts(await tarOf(list))).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it.each([
    ['without its end, between two runs', (tar: Buffer, at: number) => tar.subarray(0, at)],
    ['without its end, behind its last entry', (tar: Buffer) => tar.subarray(0, tar.length - 1024)],
    ['with half of its end', (tar: Buffer) => tar.subarray(0, tar.length - 512)],
    [
      'with another stream behind its end',
      (tar: Buffer, at: number) => Buffer.concat([tar.subarray(0, at), Buffer.alloc(1024), tar.subarray(at)]),
    ],
  ])('refuses a stream %s', async (_what, change) => {
    const first = [...entries()].slice(0, 6).filter(({ name }) => !name.includes('invocations'));
    const file = await tarOf(entries());
    // Where the entries of the last run begin.
    const at = gunzipSync(readFileSync(await tarOf(first))).length - 1024;
    writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)), at)));
    await expect(verdicts(file)).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it('returns the verdicts of a stream that was compressed in parts', async () => {
    const file = await tarOf(entries());
    const whole = await verdicts(file);
    const tar = gunzipSync(readFileSync(file));
    writeFileSync(file, Buffer.concat([gzipSync(tar.subarray(0, 7777)), gzipSync(tar.subarray(7777))]));
    expect(await verdicts(file)).toEqual(whole);
  });

  it('refuses a pipe, without waiting for its other end', async () => {
    const file = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [file]);
    await expect(verdicts(file)).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it.each([
    ['an absolute name', [{ name: '/runs/x', content: '' }]],
    ['a name that climbs', [{ name: 'runs/../../x', content: '' }]],
    ['a name with a backslash', [{ name: 'runs\\x', content: '' }]],
    ['a second index', [{ name: 'runs/invocations.jsonl', content: '' }]],
    ['a folder within its index', [{ name: 'runs/invocations.jsonl/envelope.json', content: '{}' }]],
    ['an index that is a link', [{ name: './runs/invocations.jsonl', type: 'symlink', linkname: 'x' }]],
    ['another archive', [{ name: 'other/01a0c455-bf5e-7bd9-8565-7a47938408ff/envelope.json', content: '{}' }]],
  ] as readonly (readonly [string, Entry[]])[])('refuses a stream that holds %s', async (_what, more) => {
    await expect(verdicts(await tarOf([...entries(), ...more]))).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it('refuses a stream whose index is a folder', async () => {
    const list = entries().filter(({ name }) => name !== 'runs/invocations.jsonl');
    const folder = { name: 'runs/invocations.jsonl', type: 'directory' as const };
    await expect(verdicts(await tarOf([...list, folder]))).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it('judges the archive that is named, of two', async () => {
    const list = [...entries(), { name: 'other/01a0c455-bf5e-7bd9-8565-7a47938408ff/envelope.json', content: '{}' }];
    // Runs of the other one are not below the root, and would be refused unasked.
    const rows = await verdicts(await tarOf(list.filter(({ name }) => name.startsWith('other'))), 'other');
    expect(rows.map(({ state }) => state)).toEqual(['unreadable']);
  });

  it.each([
    ['no gzip', () => Buffer.from('not a tar file at all')],
    ['no tar', () => gzipSync(Buffer.alloc(2000, 'x'))],
    ['a bomb', () => gzipSync(Buffer.concat([Buffer.alloc(200 * 1024 * 1024)]), { level: 9 })],
  ])('refuses a file that is %s', async (_what, make) => {
    const file = join(temporaryFolder(), 'x.tar.gz');
    writeFileSync(file, make());
    await expect(verdicts(file)).rejects.toMatchObject({ code: 'tar-refused' });
  });

  it('refuses a stream that is cut, and a file that is missing', async () => {
    const file = await tarOf(entries());
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    await expect(verdicts(file)).rejects.toMatchObject({ code: 'tar-refused' });
    await expect(verdicts(join(temporaryFolder(), 'none.tar.gz'))).rejects.toMatchObject({ code: 'tar-refused' });
  });
});
