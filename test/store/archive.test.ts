import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storeFiles } from '../../core/io/store-files.js';
import { openArchive } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';
import { codeOf, plantRun, runNames, stored, temporary } from './support.js';

const A = '01a0c455-bf5e-7bd9-8565-7a4793840001';
const B = '01a0c455-bf5e-7bd9-8565-7a4793840002';
const VECTORS = join(import.meta.dirname, '..', 'vectors', 'stored-runs', 'runs');

const archiveOf = (folder: string, maximum?: number) =>
  openArchive(storeFiles(), maximum === undefined ? { folder } : { folder, maximum });

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('an archive of runs', () => {
  it('lists the vectors of the project in the order of their names and reads their bytes', async () => {
    const archive = archiveOf(VECTORS);
    const runs = await archive.runs();
    expect(runs.map(({ name }) => name)).toEqual(runNames(VECTORS));
    expect(runs).toHaveLength(260);
    expect(await archive.hasIndex()).toBe(true);
    expect(await collected(archive.index())).toHaveLength(260);
    const [first] = runs;
    const contents = await archive.read(first?.name ?? '');
    expect(
      Buffer.from(contents.envelope ?? []).equals(readFileSync(join(VECTORS, first?.name ?? '', 'envelope.json'))),
    ).toBe(true);
    expect(contents.grounding).toBeUndefined();
  });

  it('lists folders that are named otherwise and hold an envelope, and what is named like a run and is none', async () => {
    const folder = temporary();
    await stored(folder, sampleRun(A));
    plantRun(folder, sampleRun(B));
    renameSync(join(folder, B), join(folder, 'moved'));
    symlinkSync(join(folder, A), join(folder, B));
    mkdirSync(join(folder, 'notes'));
    mkdirSync(join(folder, '.tmp-1'));
    writeFileSync(join(folder, 'README.md'), '');
    expect(await archiveOf(folder).runs()).toEqual([
      { name: A, kind: 'folder' },
      { name: B, kind: 'obstructed' },
      { name: 'moved', kind: 'folder' },
    ]);
  });

  it('reads the lines of the index with their numbers', async () => {
    const folder = temporary();
    writeFileSync(join(folder, 'invocations.jsonl'), '{"a":1}\n\n \t\r\nbroken\n{"half');
    const lines = await collected(archiveOf(folder).index());
    expect(lines.map(({ line, bytes }) => [line, Buffer.from(bytes ?? []).toString()])).toEqual([
      [1, '{"a":1}'],
      [4, 'broken'],
      [5, '{"half'],
    ]);
    expect(await archiveOf(folder).hasIndex()).toBe(true);
  });

  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b', 'missing'])('refuses to read a run named %j', async (name) => {
    expect(await codeOf(archiveOf(temporary()).read(name))).toBe('run-file-refused');
  });

  const refused: readonly (readonly [string, (run: string) => void])[] = [
    ['a link to a file', (run) => symlinkSync('/etc/hostname', join(run, 'envelope.json'))],
    ['a dangling link', (run) => symlinkSync('nowhere', join(run, 'envelope.json'))],
    ['a folder', (run) => mkdirSync(join(run, 'envelope.json'))],
    ['a pipe', (run) => void execFileSync('mkfifo', [join(run, 'envelope.json')])],
    ['too large', (run) => writeFileSync(join(run, 'envelope.json'), Buffer.alloc(20_001))],
  ];
  it.each(refused)('refuses a file that is %s', async (_, put) => {
    const folder = temporary();
    plantRun(folder, sampleRun(A));
    rmSync(join(folder, A, 'envelope.json'));
    put(join(folder, A));
    expect(await codeOf(archiveOf(folder, 20_000).read(A))).toBe('run-file-refused');
  });

  it('refuses a run that is a link to a folder', async () => {
    const [folder, elsewhere] = [temporary(), temporary()];
    plantRun(elsewhere, sampleRun(A));
    symlinkSync(join(elsewhere, A), join(folder, A));
    expect(await codeOf(archiveOf(folder).read(A))).toBe('run-file-refused');
  });

  it('refuses an index that is a link, and a folder that is missing', async () => {
    const folder = temporary();
    symlinkSync('/etc/hostname', join(folder, 'invocations.jsonl'));
    expect(await codeOf(archiveOf(folder).hasIndex())).toBe('store-obstructed');
    expect(await codeOf(collected(archiveOf(folder).index()))).toBe('store-obstructed');
    expect(await codeOf(archiveOf(join(folder, 'missing')).runs())).toBe('store-missing');
  });
});
