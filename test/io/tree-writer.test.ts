import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeWorld } from '../../core/io/store-files.js';
import { createTreeWriter, type TreeWriter } from '../../core/io/tree-writer.js';
import { openStore } from '../../core/store/index.js';
import type { NewTree } from '../../core/store/world.js';
import { sampleRun } from '../store/sample-run.js';
import { codeOf, expectSound, runNames } from '../store/support.js';

let folder = '';
let writer: TreeWriter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grounding-trees-'));
  writer = createTreeWriter();
});

afterEach(async () => {
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A folder of two files of one content, which is a part of a larger block. */
function tree(name: string, text: string): NewTree {
  const path = join(folder, name);
  const bytes = Buffer.from(`before ${text} after`).subarray(7, 7 + Buffer.byteLength(text));
  return { folders: [path], files: ['one', 'two'].map((file) => ({ path: join(path, file), bytes })) };
}

describe('createTreeWriter', () => {
  it('writes what it is given, many at a time, and leaves the bytes to their owner', async () => {
    const trees = Array.from({ length: 50 }, (_, i) => tree(`tree-${i}`, `the ${i}th tæxt`));
    await Promise.all(trees.map((one) => writer.writeTree(one)));
    for (const [i, { files }] of trees.entries())
      for (const { path, bytes } of files) {
        expect(readFileSync(path, 'utf8')).toBe(`the ${i}th tæxt`);
        expect(Buffer.from(bytes).toString('utf8')).toBe(`the ${i}th tæxt`);
      }
  });

  it('writes empty files and files in folders of folders', async () => {
    const path = join(folder, 'a');
    const inner = join(path, 'b');
    const file = join(inner, 'empty');
    await writer.writeTree({ folders: [path, inner], files: [{ path: file, bytes: new Uint8Array(0) }] });
    expect(readFileSync(file)).toHaveLength(0);
  });

  it("rejects with the system's code and path, and fails none that came with it", async () => {
    mkdirSync(join(folder, 'taken'));
    const outcomes = await Promise.allSettled([
      writer.writeTree(tree('before', 'a')),
      writer.writeTree(tree('taken', 'b')),
      writer.writeTree(tree('after', 'c')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'EEXIST', path: join(folder, 'taken') } });
    expect(readdirSync(join(folder, 'taken'))).toEqual([]);
  });

  it('never writes over a file or through a link', async () => {
    const path = join(folder, 'tree');
    const file = join(path, 'one');
    await writer.writeTree({ folders: [path], files: [{ path: file, bytes: Buffer.from('first') }] });
    const again = writer.writeTree({ folders: [], files: [{ path: file, bytes: Buffer.from('second') }] });
    expect(await codeOf(again)).toBe('EEXIST');
    expect(readFileSync(file, 'utf8')).toBe('first');
  });

  it('rejects what it was at when it is closed, and works again after', async () => {
    await writer.writeTree(tree('first', 'a'));
    const lost = Array.from({ length: 40 }, (_, i) => writer.writeTree(tree(`lost-${i}`, 'b')));
    const outcomes = Promise.allSettled(lost);
    await new Promise((resolve) => setImmediate(resolve));
    await writer.close();
    // Each has an answer: written whole before the end, or refused.
    for (const [i, { status }] of (await outcomes).entries())
      if (status === 'fulfilled') expect(existsSync(join(folder, `lost-${i}`, 'two'))).toBe(true);
    await writer.writeTree(tree('last', 'c'));
    expect(readFileSync(join(folder, 'last', 'two'), 'utf8')).toBe('c');
  });
});

describe('a store whose runs a thread writes', () => {
  it('stores them byte for byte as one without', async () => {
    const { store } = await openStore(storeWorld(writer), folder);
    const ids = Array.from({ length: 30 }, () => v7());
    await Promise.all(
      ids.map(async (id) => {
        await store.reserve(id);
        await store.write(sampleRun(id));
      }),
    );
    expect(runNames(folder)).toEqual([...ids].sort());
    expectSound(folder);
  });

  it('says what the system refused and keeps nothing of that run', async () => {
    const { store } = await openStore(storeWorld(writer), folder);
    const [first, second] = [v7(), v7()];
    await store.reserve(first);
    await store.reserve(second);
    const { writeTree } = writer;
    const spoilt: TreeWriter['writeTree'] = (given) => {
      // What stands where a file shall go, as after a fault of ours or another program's.
      mkdirSync(given.folders[0] ?? '');
      writeFileSync(given.files[0]?.path ?? '', 'not ours');
      return writeTree({ ...given, folders: given.folders.slice(1) });
    };
    const { store: other } = await openStore(storeWorld({ writeTree: spoilt }), folder);
    const third = v7();
    await other.reserve(third);
    expect(await codeOf(other.write(sampleRun(third)))).toBe('store-obstructed');
    await Promise.all([store.write(sampleRun(first)), store.write(sampleRun(second))]);
    expect(runNames(folder)).toEqual([first, second].sort());
    expectSound(folder);
  });
});
