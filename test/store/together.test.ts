import { mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { storeFiles } from '../../core/io/store-files.js';
import type { StoreFiles } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';
import { codeOf, expectSound, indexedIds, opened, temporary } from './support.js';

/** The machine's files, which count how often the index is added to, and may refuse an addition of several lines. */
function counting(options: { readonly refuseSeveral?: boolean } = {}): { files: StoreFiles; appends: number[] } {
  const real = storeFiles();
  const appends: number[] = [];
  return {
    appends,
    files: {
      ...real,
      async append(path, bytes) {
        const lines = Buffer.from(bytes).toString('utf8').split('\n').length - 1;
        if (lines > 1 && options.refuseSeveral === true) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        if (lines > 0) appends.push(lines);
        await real.append(path, bytes);
      },
    },
  };
}

async function writeAll(folder: string, given: { readonly files?: StoreFiles; readonly ids: readonly string[] }) {
  const { store } = await opened(folder, given.files);
  await Promise.all(given.ids.map((id) => store.reserve(id)));
  return Promise.all(given.ids.map((id) => codeOf(store.write(sampleRun(id)))));
}

describe('runs that end at the same time', () => {
  it('are listed together, each once', async () => {
    const folder = temporary();
    const ids = Array.from({ length: 30 }, () => v7());
    const { files, appends } = counting();
    const codes = await writeAll(folder, { files, ids });
    expect(new Set(codes).size).toBe(1);
    expect(indexedIds(folder).toSorted()).toEqual(ids.toSorted());
    expect(appends.length).toBeLessThan(ids.length);
    expectSound(folder);
  });

  it('do not fail for each other when one of them cannot appear', async () => {
    const folder = temporary();
    const ids = Array.from({ length: 12 }, () => v7());
    const { store } = await opened(folder);
    await Promise.all(ids.map((id) => store.reserve(id)));
    const taken = ids[5] ?? '';
    mkdirSync(join(folder, taken));
    const codes = await Promise.all(ids.map((id) => codeOf(store.write(sampleRun(id)))));
    expect(codes.filter((code) => code === 'invocation-stored')).toHaveLength(1);
    expect(codes[5]).toBe('invocation-stored');
    expect(indexedIds(folder).toSorted()).toEqual(ids.filter((id) => id !== taken).toSorted());
  });

  it('take their locks with folders that earlier ones left, and leave none behind', async () => {
    const folder = temporary();
    const real = storeFiles();
    let prepared = 0;
    const files: StoreFiles = {
      ...real,
      mark(path) {
        prepared++;
        return real.mark(path);
      },
    };
    const { store } = await opened(folder, files);
    const lane = async () => {
      for (let turn = 0; turn < 10; turn++) {
        const id = v7();
        await store.reserve(id);
        await store.write(sampleRun(id));
      }
    };
    await Promise.all(Array.from({ length: 4 }, lane));
    expect(indexedIds(folder)).toHaveLength(40);
    expect(prepared).toBeLessThan(40);
    expectSound(folder);
  });

  it('leave no lock behind when the lock of one cannot be moved', async () => {
    const folder = temporary();
    const real = storeFiles();
    const files: StoreFiles = {
      ...real,
      async rename(from, to) {
        if (basename(from).startsWith('.lock-')) throw Object.assign(new Error('no'), { code: 'EPERM' });
        await real.rename(from, to);
      },
    };
    const ids = Array.from({ length: 6 }, () => v7());
    await writeAll(folder, { files, ids });
    expect(indexedIds(folder).toSorted()).toEqual(ids.toSorted());
    expectSound(folder);
  });

  it('leave a lock alone that was removed by hand and taken by another store', async () => {
    const folder = temporary();
    const [first, second] = [v7(), v7()];
    const { store } = await opened(folder);
    await store.reserve(first);
    await store.reserve(second);
    rmSync(join(folder, `.lock-${first}`), { recursive: true });
    const { store: other } = await opened(folder);
    await other.reserve(first);
    await store.release(first);
    expect(await codeOf(store.reserve(first))).toBe('invocation-running');
    await other.release(first);
    await store.release(second);
    expectSound(folder);
  });

  it('are taken back and listed one by one when they cannot be together', async () => {
    const folder = temporary();
    const ids = Array.from({ length: 12 }, () => v7());
    const { files, appends } = counting({ refuseSeveral: true });
    await writeAll(folder, { files, ids });
    expect(indexedIds(folder).toSorted()).toEqual(ids.toSorted());
    expect(new Set(appends)).toEqual(new Set([1]));
    expectSound(folder);
  });
});
