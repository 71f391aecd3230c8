import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';
import { newOwner, ownerState } from '../../core/io/owner.js';
import { storeFiles, storeWorld } from '../../core/io/store-files.js';
import { openStore } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';
import { codeOf, expectSound, opened, temporary } from './support.js';

const started: (() => void)[] = [];

afterEach(() => {
  for (const stop of started.splice(0)) stop();
});

/** The fields of an owner's name with some of them replaced. */
function ownerWith(changes: Readonly<Record<number, string>>): string {
  return newOwner()
    .split('.')
    .map((field, i) => changes[i] ?? field)
    .join('.');
}

/** The pid of a process that has ended and been reaped. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.on('exit', resolve));
  return child.pid ?? 0;
}

describe('the state of an owner', () => {
  it('is alive for this process', async () => {
    expect(await ownerState(newOwner())).toBe('alive');
  });

  it('is dead when no process has the pid', async () => {
    expect(await ownerState(ownerWith({ 0: String(await deadPid()) }))).toBe('dead');
  });

  it('is dead when the pid was given to another process since', async () => {
    expect(await ownerState(ownerWith({ 1: '1' }))).toBe('dead');
  });

  it('is dead when the machine was started again since', async () => {
    expect(await ownerState(ownerWith({ 3: '00000000' }))).toBe('dead');
  });

  it('cannot be told for another machine or another container', async () => {
    expect(await ownerState(ownerWith({ 2: '00000000' }))).toBe('unknown');
    expect(await ownerState(ownerWith({ 4: '1' }))).toBe('unknown');
  });

  it('is null for a text that is no owner', async () => {
    for (const text of ['', '1', 'README', '../..', `${newOwner()}.1`, newOwner().slice(0, -1), `0${newOwner()}`])
      expect(await ownerState(text)).toBeNull();
  });

  it('is dead for a process that has ended and that nobody has reaped', async () => {
    // The shell becomes `sleep`, which never asks for the child that ended under it.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    started.push(() => parent.kill('SIGKILL'));
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await ownerState(ownerWith({ 0: pid }))).toBe('dead');
  });

  it('names each store of one process differently', () => {
    expect(newOwner()).not.toBe(newOwner());
  });
});

describe('a lock that a dead process left', () => {
  const id = v7();
  const names = ['.lock-index', `.lock-${id}`];
  const leftovers: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'a folder with its owner': async (path) => {
      mkdirSync(path);
      writeFileSync(join(path, ownerWith({ 0: String(await deadPid()) })), '');
    },
    'an empty folder': async (path) => mkdirSync(path),
    'a folder with half an owner': async (path) => {
      mkdirSync(path);
      writeFileSync(join(path, newOwner().slice(0, 12)), '');
    },
    'a half-written file': async (path) => writeFileSync(path, '{"pid": 12'),
    'an empty file': async (path) => writeFileSync(path, ''),
    'a dangling link': async (path) => symlinkSync('nowhere', path),
  };

  for (const name of names)
    it.each(Object.keys(leftovers))(`is taken over when ${name.slice(0, 8)}… is %s`, async (kind) => {
      const folder = temporary();
      await leftovers[kind]?.(join(folder, name));
      const { store } = await opened(folder);
      await store.reserve(id);
      await store.write(sampleRun(id));
      expectSound(folder);
    });

  it('is taken over by a store that is open already', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    for (const name of names) await leftovers['a folder with its owner']?.(join(folder, name));
    await store.reserve(id);
    await store.write(sampleRun(id));
    expectSound(folder);
  });
});

describe('a lock of which nobody can tell', () => {
  it('is left alone, and the reservation refused', async () => {
    const folder = temporary();
    const id = v7();
    const foreign = ownerWith({ 2: '00000000' });
    mkdirSync(join(folder, `.lock-${id}`));
    writeFileSync(join(folder, `.lock-${id}`, foreign), '');
    mkdirSync(join(folder, `.tmp-${foreign}-1`));
    const { store } = await opened(folder);
    expect(await codeOf(store.reserve(id))).toBe('invocation-running');
    expect(readdirSync(folder).sort()).toEqual([`.lock-${id}`, `.tmp-${foreign}-1`]);
  });

  it('makes the store give up with store-locked when it is the lock of the index', async () => {
    const folder = temporary();
    mkdirSync(join(folder, '.lock-index'));
    writeFileSync(join(folder, '.lock-index', ownerWith({ 2: '00000000' })), '');
    let pauses = 0;
    const world = { ...storeWorld(), files: storeFiles(), pause: async () => void pauses++ };
    expect(await codeOf(openStore(world, folder))).toBe('store-locked');
    expect(pauses).toBeGreaterThan(1_000);
    expect(readdirSync(folder)).toEqual(['.lock-index']);
  });

  it('is waited for while its process lives', async () => {
    const folder = temporary();
    mkdirSync(join(folder, '.lock-index'));
    const held = join(folder, '.lock-index', newOwner());
    writeFileSync(held, '');
    let waited = false;
    const opening = opened(folder).then(() => waited);
    await new Promise((resolve) => setTimeout(resolve, 100));
    waited = true;
    await storeFiles().removeFile(held);
    expect(await opening).toBe(true);
  });
});
