import type { FinishedRun } from '../conductor/ports.js';
import type { JsonNode } from '../json/index.js';
import type { LockWorld } from './lock.js';
import type { StoreWorld } from './world.js';

/** A run whose files have reached the disk in a folder beside, and who waits for it to appear. */
export interface StagedRun {
  readonly run: FinishedRun;
  readonly envelope: JsonNode;
  readonly staged: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** One open store: its world, what it holds, and the queue for the index lock within this process. */
export interface Session extends LockWorld, StoreWorld {
  readonly reserved: Set<string>;
  /** Ids that the index names and no folder holds: they were stored once. */
  readonly lost: Set<string>;
  queue: Promise<void>;
  /** Runs that the next holder of the index lock in this process publishes together. */
  readonly waiting: StagedRun[];
}

/** A session that holds nothing yet. */
export function newSession(world: StoreWorld, folder: string): Session {
  let serial = 0;
  const reserved = new Set<string>();
  return {
    ...world,
    folder,
    nextSerial: () => ++serial,
    reserved,
    inUse: () => reserved.size > 0,
    spares: [],
    lost: new Set(),
    queue: Promise.resolve(),
    waiting: [],
  };
}

/** For failures on a way back, where the first failure is the one to tell. */
export function nothing(): undefined {
  return undefined;
}
