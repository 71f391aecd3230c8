import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Job, JudgeJob } from '../../bot/jobs.js';
import type { Added, Ending, Queue, Turn } from '../../bot/queue.js';
import { until } from './support.js';

export const judge = (pull: number, why = 'test'): JudgeJob => ({
  kind: 'judge',
  installation: 1,
  repository: { id: 7, owner: 'octo', name: 'agents' },
  pull,
  why,
});

export const soon = (job: Job, delaySeconds = 0): Added => ({ job, delaySeconds });

/** A door that a job waits at until the test opens it. */
export function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const DONE: Ending = { kind: 'done' };

/** What every queue must do, whichever it is. `open` makes a fresh one, which the test's end closes. */
export function describeQueue(open: (options: { readonly jobsAtOnce: number }) => Promise<Queue>): void {
  test('works each of 200 jobs of as many pull requests once', async () => {
    const queue = await open({ jobsAtOnce: 8 });
    const worked: number[] = [];
    queue.start(async (job) => {
      if (job.kind === 'judge') worked.push(job.pull);
      return DONE;
    });
    const all = Array.from({ length: 200 }, (_, pull) => pull);
    await queue.add(all.map((pull) => soon(judge(pull))));
    await until(() => worked.length >= 200, '200 jobs');
    await sleep(200);
    expect([...worked].sort((a, b) => a - b)).toEqual(all);
    expect(await queue.counts()).toEqual({ waiting: 0, delayed: 0, active: 0 });
  });

  test('keeps one of the jobs that say the same while they wait, and one more while the first is worked', async () => {
    const queue = await open({ jobsAtOnce: 4 });
    const { opened, open: letGo } = gate();
    let turns = 0;
    const work = async () => {
      turns += 1;
      await opened;
      return DONE;
    };
    for (let i = 0; i < 5; i++) await queue.add([soon(judge(1))]);
    queue.start(work);
    await until(() => turns === 1, 'the first turn');
    for (let i = 0; i < 5; i++) await queue.add([soon(judge(1))]);
    letGo();
    await until(() => turns === 2, 'the second turn');
    await sleep(500);
    expect(turns).toBe(2);
  });

  test('never works two jobs of one pull request at once, whatever they are', async () => {
    const queue = await open({ jobsAtOnce: 8 });
    let inLane = 0;
    let most = 0;
    let worked = 0;
    queue.start(async () => {
      inLane += 1;
      most = Math.max(most, inLane);
      await sleep(20);
      inLane -= 1;
      worked += 1;
      return DONE;
    });
    const { installation, repository } = judge(1);
    const commands = Array.from({ length: 8 }, (_, comment) =>
      soon({ kind: 'command', installation, repository, pull: 1, comment }),
    );
    await queue.add([soon(judge(1)), ...commands]);
    await until(() => worked === 9, 'all jobs of the lane');
    expect(most).toBe(1);
  });

  test('works other pull requests while one is slow', async () => {
    const queue = await open({ jobsAtOnce: 2 });
    const { opened, open: letGo } = gate();
    const worked: number[] = [];
    queue.start(async (job) => {
      if (job.kind !== 'judge') return DONE;
      if (job.pull === 1) await opened;
      worked.push(job.pull);
      return DONE;
    });
    await queue.add([soon(judge(1)), soon(judge(2)), soon(judge(3))]);
    await until(() => worked.length === 2, 'the quick ones');
    expect([...worked].sort()).toEqual([2, 3]);
    letGo();
    await until(() => worked.length === 3, 'the slow one');
  });

  test('gives a job another turn when it asks, later, and counts the turns that count', async () => {
    const queue = await open({ jobsAtOnce: 2 });
    const turns: { retries: number; at: number }[] = [];
    const answers: Ending[] = [
      { kind: 'again', afterSeconds: 0.4, counted: true },
      { kind: 'again', afterSeconds: 0, counted: false },
      { kind: 'again', afterSeconds: 0, counted: true },
    ];
    queue.start(async (_job, { retries }) => {
      turns.push({ retries, at: Date.now() });
      return answers[turns.length - 1] ?? DONE;
    });
    await queue.add([soon(judge(1))]);
    await until(() => turns.length === 4, 'four turns');
    expect(turns.map(({ retries }) => retries)).toEqual([0, 1, 1, 2]);
    expect((turns[1]?.at ?? 0) - (turns[0]?.at ?? 0)).toBeGreaterThanOrEqual(390);
  });

  test('holds a job back for its delay, and no longer when the same is asked for now', async () => {
    const queue = await open({ jobsAtOnce: 2 });
    const worked: Job[] = [];
    queue.start(async (job) => {
      worked.push(job);
      return DONE;
    });
    await queue.add([soon(judge(1), 600), soon(judge(2), 600)]);
    await sleep(300);
    expect(worked).toEqual([]);
    expect(await queue.counts()).toEqual({ waiting: 0, delayed: 2, active: 0 });
    await queue.add([soon(judge(2))]);
    await until(() => worked.length === 1, 'the job that was asked for again');
    expect(worked[0]).toMatchObject({ pull: 2 });
  });

  test('remembers notes', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    expect(await queue.isNoted('delivery:a')).toBe(false);
    await queue.note('delivery:a');
    expect([await queue.isNoted('delivery:a'), await queue.isNoted('delivery:b')]).toEqual([true, false]);
  });

  test('knows who showed an id first, and gives it to everyone else', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    const ids = Array.from({ length: 2500 }, (_, i) => `id-${i}`);
    expect(await queue.claim(ids, 'one')).toEqual(new Set());
    expect(await queue.claim(ids, 'one')).toEqual(new Set());
    expect(await queue.claim(['id-7', 'new', '__proto__'], 'two')).toEqual(new Set(['id-7']));
    expect(await queue.claim(['new', '__proto__'], 'one')).toEqual(new Set(['new', '__proto__']));
    expect(await queue.claim([], 'one')).toEqual(new Set());
  });

  test('lets one at a time do what is exclusive, and lets go when it fails', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    const { signal } = new AbortController();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<string> => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(10);
      inside -= 1;
      if (most > 1) throw new Error('two at once');
      return 'done';
    };
    const failing = expect(queue.exclusive('a', () => Promise.reject(new Error('own')), signal)).rejects.toThrow('own');
    const all = await Promise.all(Array.from({ length: 6 }, () => queue.exclusive('a', work, signal)));
    await failing;
    expect([most, new Set(all).size]).toEqual([1, 1]);
  });

  test('gives up waiting for what is exclusive when the signal aborts', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    const controller = new AbortController();
    const { opened, open: letGo } = gate();
    const first = queue.exclusive('a', () => opened, new AbortController().signal);
    const second = queue.exclusive('a', async () => 'never', controller.signal);
    controller.abort();
    letGo();
    await expect(second).rejects.toThrow();
    await first;
  });

  test('holds an installation back for as long as it was asked to', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    expect(await queue.pausedFor(1)).toBe(0);
    await queue.pause(1, 600);
    expect(await queue.pausedFor(1)).toBeGreaterThan(500);
    expect(await queue.pausedFor(2)).toBe(0);
    await queue.pause(1, 0.05);
    await until(async () => (await queue.pausedFor(1)) === 0, 'the end of the pause');
  });

  test('lets a job in hand end, and add another, when it stops, within the time', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    let ended = false;
    let begun = false;
    queue.start(async () => {
      begun = true;
      await sleep(200);
      await queue.add([soon(judge(2))]);
      ended = true;
      return DONE;
    });
    await queue.add([soon(judge(1))]);
    await until(() => begun, 'the job');
    await queue.stop({ graceSeconds: 10 });
    expect(ended).toBe(true);
    expect(await queue.isReady()).toBe(false);
    await expect(queue.add([soon(judge(3))])).rejects.toThrow();
  });

  test('aborts a job that does not end in the time that stopping has', async () => {
    const queue = await open({ jobsAtOnce: 1 });
    const seen: Turn[] = [];
    queue.start(async (_job, turn) => {
      seen.push(turn);
      await sleep(60_000, undefined, { signal: turn.signal }).catch(() => {});
      return { kind: 'again', afterSeconds: 0, counted: false };
    });
    await queue.add([soon(judge(1))]);
    await until(() => seen.length === 1, 'the job');
    await queue.stop({ graceSeconds: 0.1 });
    expect(seen[0]?.signal.aborted).toBe(true);
  });
}
