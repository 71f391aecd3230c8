import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleRun } from './sample-run.js';
import {
  bundledDriver,
  expectSound,
  indexedIds,
  opened,
  randomFrom,
  runNames,
  startDriver,
  stored,
  temporary,
} from './support.js';

const KILLS = 200;
/** Kills a folder takes before a new one is begun, so that the repair's own work stays small. */
const KILLS_A_FOLDER = 10;
/** Folders worked on at the same time, one process each. */
const LANES = 2;
/** A process is killed after this many runs at most, at a random moment of the next one, or else while it repairs. */
const MOST_RUNS = 2;

let driver = '';

beforeAll(async () => {
  driver = await bundledDriver();
});

describe('a writing process that is killed', () => {
  it(`leaves no torn run, loses none and leaves no half line when it is killed at ${KILLS} random moments`, async () => {
    expect(await killAtRandom('loop', KILLS)).toBeGreaterThan(KILLS / 2);
  }, 600_000);

  it('leaves no torn run when a thread of it was writing eight at a time', async () => {
    expect(await killAtRandom('threaded', KILLS / 5)).toBeGreaterThan(KILLS / 10);
  }, 600_000);

  it('leaves no torn run when it dies before each single step', async () => {
    const steps = await dieAtEveryStep('before');
    expect(steps).toBeGreaterThan(25);
  }, 300_000);

  it('leaves no torn run when it dies in the middle of each single step', async () => {
    await dieAtEveryStep('halfway');
  }, 300_000);

  it('leaves no torn run when it dies at each single step of two that are written at a time', async () => {
    await dieAtEveryStep('before', 1);
  }, 300_000);

  it('does not spoil the line of a process that was open all along', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const [first, second] = [v7(), v7()];
    await store.reserve(first);
    await store.write(sampleRun(first));
    appendFileSync(join(folder, 'invocations.jsonl'), '{"invocation_id":"0190');
    await store.reserve(second);
    await store.write(sampleRun(second));
    expect(indexedIds(folder)).toEqual([first, second]);
    expectSound(folder);
  });
});

/** Kills writing processes that many times; gives the number of runs that they stored before. */
async function killAtRandom(command: 'loop' | 'threaded', kills: number): Promise<number> {
  const seed = Number(process.env['STORE_KILL_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`kill test: STORE_KILL_SEED=${seed}`);
  const random = randomFrom(seed);
  let runs = 0;
  for (let kill = 0; kill < kills; kill += KILLS_A_FOLDER * LANES) {
    const lanes = Array.from({ length: LANES }, () => killRepeatedly({ command, folder: temporary(), random }));
    for (const count of await Promise.all(lanes)) runs += count;
  }
  console.log(`kill test: ${runs} runs were stored before ${kills} kills`);
  return runs;
}

async function killRepeatedly(given: { command: string; folder: string; random: () => number }): Promise<number> {
  const { command, folder, random } = given;
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS_A_FOLDER; kill++) {
    const process = startDriver(driver, [command, folder]);
    await process.said('ready');
    const ready = performance.now();
    const before = Math.floor(random() * (MOST_RUNS + 1));
    // The machine may be busy: what one run takes is measured each time, so that the kill falls somewhere inside the next.
    if (before > 0) await process.said('stored ', before);
    const longest = before === 0 ? 30 : (1.2 * (performance.now() - ready)) / (before + 1);
    await new Promise((resolve) => setTimeout(resolve, random() * longest));
    process.child.kill('SIGKILL');
    expect(await process.ended).toBe('SIGKILL');
    acknowledged.push(...process.lines.filter((line) => line.startsWith('stored ')).map((line) => line.slice(7)));
    // Half the time the next process finds what was left, and may itself be killed while it repairs.
    if (random() < 0.5) continue;
    await opened(folder);
    expectSound(folder);
    expect(runNames(folder)).toEqual(expect.arrayContaining(acknowledged));
  }
  await opened(folder);
  expectSound(folder);
  expect(runNames(folder)).toEqual(expect.arrayContaining(acknowledged));
  return acknowledged.length;
}

/** Kills a process before or in the middle of its first, second, … step until one gets through; gives the number of steps. */
async function dieAtEveryStep(moment: 'before' | 'halfway', others = 0): Promise<number> {
  const folder = temporary();
  const earlier = v7();
  await stored(folder, sampleRun(earlier));
  for (let step = 1; ; step++) {
    const id = v7();
    const process = startDriver(driver, ['once', folder, id, String(step), moment, String(others)]);
    const end = await process.ended;
    await opened(folder);
    expectSound(folder);
    expect(runNames(folder)).toContain(earlier);
    if (end === 0) {
      expect(runNames(folder)).toContain(id);
      return step - 1;
    }
    expect(end).toBe('SIGKILL');
  }
}
