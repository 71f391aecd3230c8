import type { Job } from './jobs.js';

/** A job and how long it waits before it comes due. */
export interface Added {
  readonly job: Job;
  readonly delaySeconds: number;
}

/** How one turn of a job ended. */
export type Ending =
  /** Nothing more to do, whether it succeeded or was reported as refused. */
  | { readonly kind: 'done' }
  /** Another turn later; `counted` when it uses up one of the tries that a job has. */
  | { readonly kind: 'again'; readonly afterSeconds: number; readonly counted: boolean };

/** What the queue says about one turn of a job. */
export interface Turn {
  /** Earlier turns that were counted. */
  readonly retries: number;
  /** Aborts when the queue stops, or when the job may be in other hands by now. */
  readonly signal: AbortSignal;
}

/** One turn of a job; never rejects. */
export type Work = (job: Job, turn: Turn) => Promise<Ending>;

/** How many jobs there are of which state. */
export interface Counts {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

/**
 * Where jobs wait: in memory (bot/io/memory-queue.ts) or on Redis for several instances (bot/io/redis-queue.ts). Of the jobs of
 * one lane only one is worked at a time, and of the waiting jobs with one key only one is kept (see `laneOf`, `keyOf`).
 */
export interface Queue {
  /** Resolves once every job is kept; rejects when one is not, and then none may be relied on. */
  add(added: readonly Added[]): Promise<void>;
  /** Whether a note was left in the last days; for ids of deliveries and names of what is done once. */
  isNoted(id: string): Promise<boolean>;
  /** Leaves a note for at least a day; a queue in memory keeps a bounded number. */
  note(id: string): Promise<void>;
  /**
   * Notes who showed these ids first, and gives those that another than `by` did. Kept for days; a queue in memory keeps a bounded
   * number, and none when the process ends.
   */
  claim(ids: readonly string[], by: string): Promise<ReadonlySet<string>>;
  /** Works alone on what `key` names; gives up when `signal` aborts. */
  exclusive<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Holds back the jobs of an installation, which GitHub has asked to wait. */
  pause(installation: number, seconds: number): Promise<void>;
  /** Seconds for which an installation is held back; 0 when it is not. */
  pausedFor(installation: number): Promise<number>;
  counts(): Promise<Counts>;
  /** Whether `add` would succeed now. */
  isReady(): Promise<boolean>;
  /** Begins to work. */
  start(work: Work): void;
  /** Takes no further job, lets the active ones end within the time, then aborts them and hands them back where it can. */
  stop(options: { readonly graceSeconds: number }): Promise<void>;
}
