import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../model/error-codes.js';
import { GateError, type GateErrorInit } from '../model/errors.js';
import type { Examined, Examiner, Task } from '../reverify/ports.js';
import { unreadable } from '../reverify/solo.js';
import { entryPath } from './entry.js';
import type { DeskSettings } from './reverify-desk.js';

/** What a worker answers to a batch. */
export type Answer =
  | { readonly kind: 'examined'; readonly examined: readonly Examined[] }
  | { readonly kind: 'refused'; readonly code: string; readonly init: GateErrorInit };

/** A worker thread with the batch that it works on. */
interface Lane {
  worker: Worker;
  busy: boolean;
}

/**
 * Examines runs in worker threads. A run on which a thread dies (out of memory, above all) is tried alone in a new one,
 * and is unreadable when that dies too: the other runs are judged all the same.
 */
export function createPool(settings: DeskSettings, lanes: number): Examiner {
  const free: Lane[] = Array.from({ length: lanes }, () => ({ worker: startWorker(settings), busy: false }));
  const all = [...free];
  const waiting: ((lane: Lane) => void)[] = [];
  const take = (): Promise<Lane> => {
    const lane = free.pop();
    return lane === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(lane);
  };
  const give = (lane: Lane): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(lane);
    else next(lane);
  };
  const examineOn = async (lane: Lane, tasks: readonly Task[]): Promise<readonly Examined[]> => {
    const answer = await ask(lane.worker, tasks);
    if (answer.kind === 'examined') return answer.examined;
    if (answer.kind === 'refused') throw new GateError(answer.code as ErrorCode, answer.init);
    lane.worker = startWorker(settings);
    const [only, ...more] = tasks;
    if (only === undefined) return [];
    if (more.length === 0) return [lostRun(only.name, answer.error)];
    const each: Examined[] = [];
    for (const task of tasks) each.push(...(await examineOn(lane, [task])));
    return each;
  };
  return {
    lanes,
    async examine(tasks) {
      const lane = await take();
      try {
        return await examineOn(lane, tasks);
      } finally {
        give(lane);
      }
    },
    close: async () => void (await Promise.all(all.map(({ worker }) => worker.terminate()))),
  };
}

function startWorker(settings: DeskSettings): Worker {
  const { heapMegabytes } = settings;
  const resourceLimits = heapMegabytes === undefined ? {} : { maxOldGenerationSizeMb: heapMegabytes };
  const worker = new Worker(entryPath('reverify-worker'), { workerData: settings, resourceLimits });
  // Told by whoever waits for an answer; without a listener it would end the process.
  worker.on('error', () => undefined);
  worker.setMaxListeners(0);
  return worker;
}

function ask(
  worker: Worker,
  tasks: readonly Task[],
): Promise<Answer | { readonly kind: 'died'; readonly error: unknown }> {
  return new Promise((resolve) => {
    const settle = (answer: Answer | { readonly kind: 'died'; readonly error: unknown }): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve(answer);
    };
    const onMessage = (answer: Answer): void => settle(answer);
    const onError = (error: unknown): void => settle({ kind: 'died', error });
    const onExit = (code: number): void =>
      settle({ kind: 'died', error: new Error(`the thread that judged it ended with ${code}`) });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(tasks);
  });
}

function lostRun(name: string, error: unknown): Examined {
  return {
    run: { name, solo: unreadable(error), line: null, children: new Map() },
    memory: null,
    fromCache: false,
    files: null,
  };
}
