import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
