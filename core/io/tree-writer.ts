import { Worker } from 'node:worker_threads';
import type { NewTree } from '../store/world.js';
import { entryPath } from './entry.js';

/** A tree on its way to the thread that writes it: the bytes of all its files in one piece, each content once. */
export interface TreeJob {
  readonly job: number;
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly from: number; readonly to: number }[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What became of a job; an Error loses its system code between threads. */
export interface TreeAnswer {
  readonly job: number;
  readonly failure?: { readonly message: string; readonly code?: string; readonly path?: string };
}

/** Writes trees in a thread of its own. */
export interface TreeWriter {
  /** Rejects with the system's error, or when the thread ends before it is done. */
  writeTree(tree: NewTree): Promise<void>;
  /** Ends the thread; what it was at is given up. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * For whoever stores many runs at once: a run is thirteen files and folders, and to wake a thread of the pool for each that has to reach
 * the disk takes longer than to hand over all of them, and whatever comes in the same turn, at once. The thread is started with the
 * first tree, and again after it ended.
 */
export function createTreeWriter(): TreeWriter {
  const waiting = new Map<number, Waiting>();
  const ready: TreeJob[] = [];
  let jobs = 0;
  let thread: Worker | undefined;
  const giveUp = (error: unknown): void => {
    thread = undefined;
    ready.length = 0;
    const all = [...waiting.values()];
    waiting.clear();
    for (const { reject } of all) reject(error);
  };
  const start = (): Worker => {
    const started = new Worker(entryPath('tree-thread'));
    started.on('message', ({ job, failure }: TreeAnswer) => {
      const waits = waiting.get(job);
      waiting.delete(job);
      if (failure === undefined) waits?.resolve();
      else waits?.reject(systemError(failure));
      // It keeps the process alive only while somebody waits for it.
      if (waiting.size === 0) started.unref();
    });
    let cause: unknown;
    // The end follows an error, and only then may another thread begin.
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', (code) => giveUp(cause ?? new Error(`the thread that writes runs ended with ${code}`)));
    return started;
  };
  const hand = (): void => {
    const handed = ready.splice(0);
    if (handed.length === 0) return;
    try {
      thread ??= start();
      thread.ref();
      thread.postMessage(
        handed,
        handed.map(({ bytes }) => bytes.buffer),
      );
    } catch (error) {
      // Nobody stands above this in the same turn: the runs that wait are told.
      giveUp(error);
    }
  };
  return {
    writeTree: (tree) =>
      new Promise((resolve, reject) => {
        const job = packed(tree, ++jobs);
        waiting.set(job.job, { resolve, reject });
        if (ready.push(job) === 1) setImmediate(hand);
      }),
    close: async () => void (await thread?.terminate()),
  };
}

/** Copies the contents, since handing over a part of a larger block would send the whole of it. */
function packed({ folders, files }: NewTree, job: number): TreeJob {
  const places = new Map<Uint8Array, number>();
  let size = 0;
  for (const { bytes } of files) {
    if (places.has(bytes)) continue;
    places.set(bytes, size);
    size += bytes.byteLength;
  }
  const all = new Uint8Array(size);
  for (const [bytes, from] of places) all.set(bytes, from);
  return {
    job,
    folders,
    files: files.map(({ path, bytes }) => {
      const from = places.get(bytes) ?? 0;
      return { path, from, to: from + bytes.byteLength };
    }),
    bytes: all,
  };
}

function systemError({ message, ...members }: NonNullable<TreeAnswer['failure']>): Error {
  return Object.assign(new Error(message), members);
}
