import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeFiles, storeWorld } from '../../core/io/store-files.js';
import { openStore, type StoreFiles } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';
import { bundledDriver, codeOf, expectSound, indexedIds, opened, runNames, temporary } from './support.js';

const PAGE = 4096;

/** Mounts a small disk of its own; null, with the reason printed, where this user may not. */
function smallDisk(bytes: number): string | null {
  const folder = temporary();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    console.log(`disk-full test: only the fake disk is tested, since no tmpfs could be mounted: ${String(error)}`);
    return null;
  }
  onTestFinished(() => void execFileSync('umount', [folder], { stdio: 'pipe' }));
  return folder;
}

/** Files that count the steps which need space, and fail with ENOSPC as `fails` says; half of the bytes still arrive. */
function filling(fails: (step: number) => boolean): { files: StoreFiles; restart(): void; steps(): number } {
  const real = storeFiles();
  let count = 0;
  const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const fail = () => fails(++count);
  const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.byteLength >> 1);
  return {
    restart: () => {
      count = 0;
    },
    steps: () => count,
    files: {
      ...real,
      async makeFolder(path) {
        if (fail()) throw full();
        await real.makeFolder(path);
      },
      async mark(path) {
        if (fail()) throw full();
        await real.mark(path);
      },
      async create(path, bytes) {
        if (!fail()) return real.create(path, bytes);
        await real.create(path, half(bytes));
        throw full();
      },
      async append(path, bytes) {
        if (!fail()) return real.append(path, bytes);
        // What the port promises: a failed append leaves the file as it was.
        throw full();
      },
      async syncFolder(path) {
        if (fail()) throw full();
        await real.syncFolder(path);
      },
      async rename(from, to) {
        // A lock that cannot be moved out of the way is removed instead: no run fails for that.
        if (basename(from).startsWith('.lock-')) {
          if (fails(count + 1)) throw full();
        } else if (fail()) throw full();
        await real.rename(from, to);
      },
    },
  };
}

describe('a disk that fills up', () => {
  it('keeps earlier runs and nothing of the run that does not fit, however little space is left', async ({ skip }) => {
    const disk = smallDisk(2 * 1024 * 1024);
    // The next test covers every step with a fake disk; this one is the real thing where it can be had.
    if (disk === null) return skip('no tmpfs could be mounted');
    const folder = join(disk, 'runs');
    const earlier = v7();
    const { store } = await opened(folder);
    await store.reserve(earlier);
    await store.write(sampleRun(earlier));

    const seen = new Set<string>();
    for (let pages = 0; pages < 48; pages++) {
      fillUp(disk, pages);
      const id = v7();
      const code = await codeOf(
        (async () => {
          await store.reserve(id);
          await store.write(sampleRun(id));
        })(),
      );
      seen.add(code);
      rmSync(join(disk, 'filler'));
      expect(['fulfilled', 'store-full']).toContain(code);
      expect(runNames(folder).includes(id)).toBe(code === 'fulfilled');
      expect(runNames(folder)).toContain(earlier);
      expectSound(folder);
    }
    expect([...seen].sort()).toEqual(['fulfilled', 'store-full']);
  }, 120_000);

  it.each([
    { how: 'once', fails: (wanted: number) => (step: number) => step === wanted },
    { how: 'for good', fails: (wanted: number) => (step: number) => step >= wanted },
  ])(
    'keeps earlier runs whole when any single step fails $how',
    async ({ how, fails }) => {
      const folder = temporary();
      const earlier = v7();
      const first = await opened(folder);
      await first.store.reserve(earlier);
      await first.store.write(sampleRun(earlier));

      let wanted = 0;
      for (let through = false; !through; ) {
        wanted++;
        let isFull = false;
        const disk = filling((step) => isFull && fails(wanted)(step));
        const { store } = await openStore({ ...storeWorld(), files: disk.files }, folder);
        disk.restart();
        isFull = true;
        const id = v7();
        const code = await codeOf(
          (async () => {
            await store.reserve(id);
            await store.write(sampleRun(id));
          })(),
        );
        through = disk.steps() < wanted;
        isFull = false;
        expect(code).toBe(through ? 'fulfilled' : 'store-full');
        if (how === 'once') expect(runNames(folder).includes(id)).toBe(through);

        // Space is made: the same store goes on.
        const next = v7();
        await store.reserve(next);
        await store.write(sampleRun(next));
        await opened(folder);
        expect(runNames(folder)).toEqual(expect.arrayContaining([earlier, next]));
        // Where even the way back was barred, the repair lists the run instead: whole it is either way.
        if (code === 'fulfilled') expect(indexedIds(folder)).toContain(id);
        expectSound(folder);
      }
      expect(wanted).toBeGreaterThan(20);
    },
    60_000,
  );
});

describe('a line that does not fit', () => {
  it('leaves the file as it was when only its beginning could be written', async () => {
    const driver = await bundledDriver();
    const file = join(temporary(), 'index');
    writeFileSync(file, 'a'.repeat(1_000));
    // A limit on the size of files cuts a write short as a full disk does, and needs no mount.
    const shell = `trap "" XFSZ; ulimit -f 16; exec "$0" "$@"`;
    const answer = execFileSync('sh', ['-c', shell, process.execPath, driver, 'append', file], { encoding: 'utf8' });
    expect(answer).toBe('refused EFBIG\n');
    expect(readFileSync(file, 'utf8')).toBe('a'.repeat(1_000));
  });
});

/** Leaves about `pages` pages free. */
function fillUp(disk: string, pages: number): void {
  mkdirSync(disk, { recursive: true });
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  const page = Buffer.alloc(PAGE);
  let written = 0;
  try {
    for (;;) {
      writeFileSync(filler, page, { flag: 'a' });
      written++;
    }
  } catch {
    rmSync(filler);
    writeFileSync(filler, Buffer.alloc(PAGE * Math.max(0, written - pages)));
  }
  expect(readdirSync(disk)).toContain('filler');
}
