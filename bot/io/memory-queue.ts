import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, keyOf, laneOf } from '../jobs.js';
import type { Added, Counts, Ending, Queue, Work } from '../queue.js';

/** Ids of deliveries that are remembered; GitHub sends at most a few thousand an hour to a busy app. */
const MOST_NOTES = 20_000;
/** Ids of runs whose first showing is remembered: those of hundreds of pull requests with hundreds of runs. */
const MOST_CLAIMS = 200_000;
/** Waiting jobs; beyond, deliveries are refused and the sweep finds what they were about. */
const MOST_WAITING = 100_000;
const LONGEST_TIMER_MS = 60_000;

interface Entry {
  readonly job: Job;
  readonly key: string;
  readonly lane: string;
  retries: number;
  /** Milliseconds since 1970 from which on it may be worked. */
  due: number;
}

/** The queue of a single instance. What waits when the process ends is gone, and found again by the sweep at the next start. */
export function createMemoryQueue({ jobsAtOnce }: { readonly jobsAtOnce: number }): Queue {
  return new MemoryQueue(jobsAtOnce);
}

class MemoryQueue implements Queue {
  readonly #jobsAtOnce: number;
  /** By key, in the order in which they came. */
  readonly #waiting = new Map<string, Entry>();
  readonly #lanes = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #claims = new Map<string, string>();
  readonly #locks = new Map<string, Promise<void>>();
  readonly #pauses = new Map<number, number>();
  readonly #stopping = new AbortController();
  readonly #active = new Set<Promise<void>>();
  #work: Work | null = null;
  #state: 'open' | 'stopping' | 'stopped' = 'open';
  #timer: NodeJS.Timeout | undefined;

  constructor(jobsAtOnce: number) {
    this.#jobsAtOnce = jobsAtOnce;
  }

  async add(added: readonly Added[]): Promise<void> {
    // While it stops, a job in hand may still add one, which is counted among those that are left.
    if (this.#state === 'stopped') throw new Error('the queue has stopped');
    if (this.#waiting.size + added.length > MOST_WAITING) throw new Error('too many jobs wait');
    for (const { job, delaySeconds } of added) this.#put(job, { due: Date.now() + delaySeconds * 1000, retries: 0 });
    this.#pump();
  }

  async isNoted(id: string): Promise<boolean> {
    return this.#notes.has(id);
  }

  async note(id: string): Promise<void> {
    this.#notes.add(id);
    for (const oldest of this.#notes) {
      if (this.#notes.size <= MOST_NOTES) return;
      this.#notes.delete(oldest);
    }
  }

  async claim(ids: readonly string[], by: string): Promise<ReadonlySet<string>> {
    const others = ids.filter((id) => (this.#claims.get(id) ?? by) !== by);
    for (const id of ids) if (!this.#claims.has(id)) this.#claims.set(id, by);
    for (const oldest of this.#claims.keys()) {
      if (this.#claims.size <= MOST_CLAIMS) break;
      this.#claims.delete(oldest);
    }
    return new Set(others);
  }

  async exclusive<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#locks.get(key) ?? Promise.resolve();
    const turn = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    const settled = turn.then(nothing, nothing);
    this.#locks.set(key, settled);
    void settled.then(() => {
      if (this.#locks.get(key) === settled) this.#locks.delete(key);
    });
    return turn;
  }

  async pause(installation: number, seconds: number): Promise<void> {
    this.#pauses.set(installation, Date.now() + seconds * 1000);
  }

  async pausedFor(installation: number): Promise<number> {
    const until = this.#pauses.get(installation);
    if (until === undefined) return 0;
    const left = (until - Date.now()) / 1000;
    if (left <= 0) this.#pauses.delete(installation);
    return Math.max(left, 0);
  }

  async counts(): Promise<Counts> {
    const now = Date.now();
    const delayed = [...this.#waiting.values()].filter(({ due }) => due > now).length;
    return { waiting: this.#waiting.size - delayed, delayed, active: this.#active.size };
  }

  async isReady(): Promise<boolean> {
    return this.#state === 'open';
  }

  start(work: Work): void {
    this.#work = work;
    this.#pump();
  }

  async stop({ graceSeconds }: { readonly graceSeconds: number }): Promise<void> {
    this.#state = 'stopping';
    clearTimeout(this.#timer);
    const ended = Promise.all(this.#active);
    const patience = new AbortController();
    await Promise.race([ended, sleep(graceSeconds * 1000, undefined, { signal: patience.signal }).catch(nothing)]);
    patience.abort();
    this.#stopping.abort();
    await ended;
    this.#state = 'stopped';
  }

  #put(job: Job, { due, retries }: { readonly due: number; readonly retries: number }): void {
    const key = keyOf(job);
    const known = this.#waiting.get(key);
    if (known === undefined) this.#waiting.set(key, { job, key, lane: laneOf(job), due, retries });
    else known.due = Math.min(known.due, due);
  }

  /** Begins as many jobs as may be worked now, and sets a timer for the next that comes due. */
  #pump(): void {
    if (this.#work === null || this.#state !== 'open') return;
    clearTimeout(this.#timer);
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#waiting.values()) {
      if (this.#active.size >= this.#jobsAtOnce) return;
      if (this.#lanes.has(entry.lane)) continue;
      if (entry.due > now) next = Math.min(next, entry.due);
      else this.#begin(entry, this.#work);
    }
    if (next < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.#pump(), Math.min(next - now, LONGEST_TIMER_MS));
  }

  #begin(entry: Entry, work: Work): void {
    this.#waiting.delete(entry.key);
    this.#lanes.add(entry.lane);
    const turn = work(entry.job, { retries: entry.retries, signal: this.#stopping.signal });
    const ended = turn.then((ending) => {
      this.#active.delete(ended);
      this.#lanes.delete(entry.lane);
      this.#end(entry, ending);
      this.#pump();
    });
    this.#active.add(ended);
  }

  #end({ job, retries }: Entry, ending: Ending): void {
    if (ending.kind === 'done') return;
    const { afterSeconds, counted } = ending;
    this.#put(job, { due: Date.now() + afterSeconds * 1000, retries: counted ? retries + 1 : retries });
  }
}

function nothing(): void {}
