import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleRun } from './sample-run.js';
import {
  bundledDriver,
  codeOf,
  type Driver,
  expectSound,
  indexedIds,
  opened,
  randomFrom,
  startDriver,
  stored,
  temporary,
} from './support.js';

let driver = '';

beforeAll(async () => {
  driver = await bundledDriver();
});

/** Starts processes that all try to run the same ids. */
function hammers(folder: string, { processes, ids }: { processes: number; ids: readonly string[] }): Driver[] {
  const list = join(temporary(), 'ids');
  writeFileSync(list, ids.join('\n'));
  return Array.from({ length: processes }, (_, turn) => startDriver(driver, ['hammer', folder, list, String(turn)]));
}

function ids(count: number): string[] {
  return Array.from({ length: count }, () => v7());
}

function said(drivers: readonly Driver[], word: string): string[][] {
  return drivers.flatMap((one) =>
    one.lines.filter((line) => line.startsWith(word)).map((line) => line.split(' ').slice(1)),
  );
}

describe('several processes on one runs folder', () => {
  it.each([2, 4])(
    'run each id once and interleave no line when %i of them try the same ids',
    async (processes) => {
      const folder = temporary();
      const wanted = ids(60);
      const drivers = hammers(folder, { processes, ids: wanted });
      expect(await Promise.all(drivers.map((one) => one.ended))).toEqual(drivers.map(() => 0));

      const ran = said(drivers, 'ran ').map(([id]) => id);
      expect(ran.toSorted()).toEqual(wanted.toSorted());
      const refusals = said(drivers, 'refused ');
      expect(refusals).toHaveLength(wanted.length * (processes - 1));
      expect(['invocation-running', 'invocation-stored']).toEqual(
        expect.arrayContaining([...new Set(refusals.map(([, code]) => code))]),
      );
      expect(indexedIds(folder).toSorted()).toEqual(wanted.toSorted());
      expectSound(folder);
    },
    120_000,
  );

  it('list each run once when two of four are killed and others take their locks over', async () => {
    const random = randomFrom(7);
    for (let round = 0; round < 5; round++) {
      const folder = temporary();
      const wanted = ids(40);
      const drivers = hammers(folder, { processes: 4, ids: wanted });
      await Promise.all(drivers.map((one) => one.said('open')));
      for (const victim of drivers.slice(0, 2)) {
        await new Promise((resolve) => setTimeout(resolve, random() * 100));
        victim.child.kill('SIGKILL');
      }
      const ends = await Promise.all(drivers.map((one) => one.ended));
      expect(ends.slice(2)).toEqual([0, 0]);

      await opened(folder);
      expectSound(folder);
      for (const id of indexedIds(folder)) expect(wanted).toContain(id);
    }
  }, 120_000);
});

describe('a reservation', () => {
  it('is refused while another process holds the id, and given out when that process is dead', async () => {
    const folder = temporary();
    const id = v7();
    const holder = startDriver(driver, ['hold', folder, id]);
    await holder.said('held');

    const { store } = await opened(folder);
    expect(await codeOf(store.reserve(id))).toBe('invocation-running');
    holder.child.kill('SIGKILL');
    await holder.ended;
    // No new start in between: the dead holder is noticed by the store that is open.
    await store.reserve(id);
    await store.write(sampleRun(id));
    expect(indexedIds(folder)).toEqual([id]);
    expectSound(folder);
  });

  it('is refused to a second caller of the same store, and to a second store of the same process', async () => {
    const folder = temporary();
    const id = v7();
    const { store } = await opened(folder);
    const { store: other } = await opened(folder);
    await store.reserve(id);
    expect(await codeOf(store.reserve(id))).toBe('invocation-running');
    expect(await codeOf(other.reserve(id))).toBe('invocation-running');
    await store.release(id);
    await other.reserve(id);
    expect(await codeOf(store.reserve(id))).toBe('invocation-running');
    await other.release(id);
  });

  it('is refused for a stored id, whoever asks', async () => {
    const folder = temporary();
    const id = v7();
    await stored(folder, sampleRun(id));
    const { store } = await opened(folder);
    expect(await codeOf(store.reserve(id))).toBe('invocation-stored');
    const process = startDriver(driver, ['hold', folder, id]);
    expect(await process.said('refused')).toBe('refused invocation-stored');
    expectSound(folder);
  });

  it('goes to exactly one of many that ask at once', async () => {
    const folder = temporary();
    const id = v7();
    const stores = await Promise.all(Array.from({ length: 8 }, () => opened(folder)));
    const answers = await Promise.all(stores.map(({ store }) => codeOf(store.reserve(id))));
    expect(answers.filter((answer) => answer === 'fulfilled')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'invocation-running')).toHaveLength(7);
  });

  it('of one process is independent of the order in which its runs end', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const many = ids(12);
    await Promise.all(
      many.map(async (id) => {
        await store.reserve(id);
        await store.write(sampleRun(id));
      }),
    );
    expect(indexedIds(folder).toSorted()).toEqual(many.toSorted());
    expectSound(folder);
  });
});
