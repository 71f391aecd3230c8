import { posix } from 'node:path';
import { systemCode } from './failure.js';
import { stagingName } from './names.js';
import type { OwnerState, StoreWorld } from './world.js';

/**
 * A lock is a folder that holds one empty file named after its owner. It is taken by renaming a prepared folder over it,
 * which the system does only when nothing or an empty folder stands there, and given up or broken by removing
 * the one file *by its owner's name*. So breaking a dead owner's lock can never hit a live one that came in between,
 * and no lock is ever seen half-written.
 */
export interface LockWorld extends Pick<StoreWorld, 'files' | 'owner' | 'ownerState'> {
  readonly folder: string;
  /** Numbers this store's temporary folders; each number is used once. */
  nextSerial(): number;
}

/** What an attempt on a lock gives: whose it is, when it is not ours now. */
export type LockAttempt =
  | { readonly kind: 'taken' }
  | { readonly kind: 'held'; readonly owner: string; readonly state: Exclude<OwnerState, 'dead'> };

/** A lock that this store is trying for; `attempt` may be repeated until `abandon` or until it is taken. */
export interface LockCandidate {
  attempt(): Promise<LockAttempt>;
  abandon(): Promise<void>;
}

/** Codes with which systems say that the place is taken; EPERM is what Windows says. */
const PLACE_TAKEN = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM']);

/** Codes of a step on a lock that has meanwhile been given up, or taken by another. */
const CHANGED_HANDS = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM']);

/** How often one attempt looks again when the lock turns out to be free and yet cannot be taken. */
const RACES = 16;

/** Prepares to take the lock `name`; nothing is locked yet. */
export async function candidateFor(world: LockWorld, name: string): Promise<LockCandidate> {
  const { files, owner, folder } = world;
  const prepared = posix.join(folder, stagingName(owner, world.nextSerial()));
  const path = posix.join(folder, name);
  // A leftover would be removed by a later repair; on a full disk even this may fail, and the first error counts.
  const abandon = () => files.removeTree(prepared).catch(() => undefined);
  try {
    await files.makeFolder(prepared);
    // No lock outlives the machine's next start as a live one, so none has to reach the disk.
    await files.mark(posix.join(prepared, owner));
  } catch (error) {
    await abandon();
    throw error;
  }
  return { abandon, attempt: () => attemptOn(world, { prepared, path }) };
}

/** Takes the lock at once or says who holds it. */
export async function tryLock(world: LockWorld, name: string): Promise<LockAttempt> {
  const candidate = await candidateFor(world, name);
  try {
    return await candidate.attempt();
  } finally {
    await candidate.abandon();
  }
}

/** Gives up a lock that this store holds. */
export async function unlock({ files, owner, folder }: LockWorld, name: string): Promise<void> {
  const path = posix.join(folder, name);
  await files.removeFile(posix.join(path, owner));
  await files.removeFolder(path);
}

/** Removes what dead owners left of a lock and gives the live or unknown owner, or null when nobody holds it. */
export async function clearDead(
  { files, ownerState }: LockWorld,
  path: string,
): Promise<{ readonly owner: string; readonly state: Exclude<OwnerState, 'dead'> } | null> {
  const kind = await files.kind(path);
  if (kind === undefined) return null;
  // No lock of ours is ever a file or a link, so nobody can be holding this one.
  if (kind !== 'folder') return gone(files.removeFile(path)).then(() => null);

  for (const { name } of (await gone(files.list(path))) ?? []) {
    const state = (await ownerState(name)) ?? 'dead';
    if (state !== 'dead') return { owner: name, state };
    await files.removeTree(posix.join(path, name));
  }
  await files.removeFolder(path);
  return null;
}

/** What a step gives, or undefined when the lock changed hands since we looked: the next attempt looks again. */
async function gone<Value>(step: Promise<Value>): Promise<Value | undefined> {
  try {
    return await step;
  } catch (error) {
    if (CHANGED_HANDS.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function attemptOn(
  world: LockWorld,
  place: { readonly prepared: string; readonly path: string },
): Promise<LockAttempt> {
  for (let race = 1; ; race++) {
    try {
      await world.files.rename(place.prepared, place.path);
      return { kind: 'taken' };
    } catch (error) {
      if (race === RACES || !PLACE_TAKEN.has(systemCode(error) ?? '')) throw error;
    }
    const holder = await clearDead(world, place.path);
    if (holder !== null) return { kind: 'held', ...holder };
  }
}
