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
  /** Whether this store holds a reservation: its next lock is near then, and a folder that one lock no longer needs is kept for it. */
  inUse(): boolean;
  /** Folders prepared for a lock of this store that no lock needs now; there are none while it is not in use. */
  readonly spares: string[];
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
  const prepared = world.spares.pop() ?? (await prepare(world));
  const path = posix.join(world.folder, name);
  let taken = false;
  return {
    async attempt() {
      const attempt = await attemptOn(world, { prepared, path });
      taken = attempt.kind === 'taken';
      return attempt;
    },
    abandon: async () => (taken ? undefined : keep(world, prepared)),
  };
}

async function prepare(world: LockWorld): Promise<string> {
  const { files, owner, folder } = world;
  const prepared = posix.join(folder, stagingName(owner, world.nextSerial()));
  try {
    await files.makeFolder(prepared);
    // No lock outlives the machine's next start as a live one, so none has to reach the disk.
    await files.mark(posix.join(prepared, owner));
  } catch (error) {
    await remove(world, prepared);
    throw error;
  }
  return prepared;
}

/** Keeps a prepared folder for the next lock while the store is in use. */
async function keep(world: LockWorld, prepared: string): Promise<void> {
  world.spares.push(prepared);
  if (!world.inUse()) await clearSpares(world);
}

/** Removes the prepared folders that no lock needs. */
export async function clearSpares(world: LockWorld): Promise<void> {
  for (const prepared of world.spares.splice(0)) await remove(world, prepared);
}

/** A leftover would be removed by a later repair; on a full disk even this may fail, and the first error counts. */
async function remove({ files }: LockWorld, prepared: string): Promise<void> {
  await files.removeTree(prepared).catch(() => undefined);
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

/**
 * Gives up a lock that this store holds. Its folder becomes the next lock's in one step where one is near: making and removing two
 * entries a lock costs a busy file system more than writing the run does.
 */
export async function unlock(world: LockWorld, name: string): Promise<void> {
  const { files, owner, folder } = world;
  const path = posix.join(folder, name);
  const mark = posix.join(path, owner);
  // Somebody may have removed the lock by hand, and another store taken it: its folder is not ours to move.
  if (world.inUse() && (await files.kind(mark)) === 'file') {
    const spare = posix.join(folder, stagingName(owner, world.nextSerial()));
    const moved = await files.rename(path, spare).then(
      () => true,
      () => false,
    );
    if (moved) return keep(world, spare);
  }
  await files.removeFile(mark);
  await files.removeFolder(path);
  if (!world.inUse()) await clearSpares(world);
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
