import { posix } from 'node:path';
import type { FinishedRun, RunStore } from '../conductor/ports.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { CONTENT_HASH } from '../model/patterns.js';
import { obstructed, told } from './failure.js';
import { candidateFor, type LockWorld, tryLock, unlock } from './lock.js';
import { INDEX_FILE, INDEX_LOCK, isInvocationId, reservationName, SCHEMAS_FOLDER, stagingName } from './names.js';
import { indexLineOf, type RepairReport, repairStore } from './repair.js';
import { isIndexThere, mendEnding } from './run-index.js';
import { stageRun } from './staging.js';
import type { StoreWorld } from './world.js';

/** How often a lock is tried before it counts as stuck: a minute or more, since each try is followed by a pause. */
const LOCK_ATTEMPTS = 10_000;

/** A store that has repaired its folder, with what the repair did. */
export interface OpenedStore {
  readonly store: RunStore;
  readonly repaired: RepairReport;
  /** The real path of the runs folder. */
  readonly folder: string;
}

/**
 * Opens a runs folder for writing: makes it where it is missing and repairs it (contract 7). Rejects with a GateError
 * `store-*` when the folder cannot be used.
 */
export async function openStore(world: StoreWorld, folder: string): Promise<OpenedStore> {
  return told(folder, async () => {
    const session = newSession(world, await world.files.prepare(folder));
    const repaired = await underIndexLock(session, () => repairStore(session, INDEX_LOCK));
    for (const id of repaired.withoutFolder) session.lost.add(id);
    return { store: storeOf(session), repaired, folder: session.folder };
  });
}

/** One open store: its world, what it holds, and the queue for the index lock within this process. */
interface Session extends LockWorld, StoreWorld {
  readonly reserved: Set<string>;
  /** Ids that the index names and no folder holds: they were stored once. */
  readonly lost: Set<string>;
  queue: Promise<void>;
}

function newSession(world: StoreWorld, folder: string): Session {
  let serial = 0;
  return {
    ...world,
    folder,
    nextSerial: () => ++serial,
    reserved: new Set(),
    lost: new Set(),
    queue: Promise.resolve(),
  };
}

function storeOf(session: Session): RunStore {
  return {
    async reserve(invocationId) {
      assertInvocationId(invocationId);
      await told(session.folder, () => reserve(session, invocationId));
    },
    async write(run) {
      assertInvocationId(run.invocationId);
      if (!session.reserved.has(run.invocationId))
        throw new Error(`run ${run.invocationId} is written without a reservation`);
      try {
        await told(session.folder, () => write(session, run));
      } finally {
        // The run is stored or was refused; a lock that cannot be removed says nothing about that.
        await release(session, run.invocationId).catch(nothing);
      }
    },
    async release(invocationId) {
      await told(session.folder, () => release(session, invocationId));
    },
  };
}

// The id is hostile until here: it becomes part of a path.
function assertInvocationId(text: string): void {
  if (isInvocationId(text)) return;
  throw gateError('invocation-id-malformed', {
    blame: 'caller',
    message: `${JSON.stringify(text.slice(0, 80))} is no invocation id`,
    remedy: 'give a lower-case UUIDv7 or leave the id out',
  });
}

async function reserve(session: Session, id: string): Promise<void> {
  const attempt = await tryLock(session, reservationName(id));
  if (attempt.kind === 'held') throw running(id, { attempt, folder: session.folder });
  session.reserved.add(id);

  // Asked only now: whoever finished this run before us had stored it before giving the reservation up.
  const path = posix.join(session.folder, id);
  const kind = await session.files.kind(path);
  if (kind === undefined && !session.lost.has(id)) return;
  await release(session, id);
  throw kind === undefined || kind === 'folder' ? stored(id, path) : obstructed(path, 'the folder of a run');
}

async function release(session: Session, id: string): Promise<void> {
  if (session.reserved.delete(id)) await unlock(session, reservationName(id));
}

async function write(session: Session, run: FinishedRun): Promise<void> {
  const { files, folder } = session;
  const envelope = ownEnvelope(run);
  const staged = posix.join(folder, stagingName(session.owner, session.nextSerial()));
  try {
    await stageRun(files, { run, envelope, path: staged });
    await underIndexLock(session, async () => {
      await keepSchemas(session, run.schemas);
      await publish(session, { run, envelope, staged });
    });
  } finally {
    // Gone when the run was published; when the disk fails here too, the next repair removes it.
    await files.removeTree(staged).catch(nothing);
  }
}

/** Makes the staged run appear and lists it; when that cannot be, takes it back. */
async function publish(
  session: Session,
  { run, envelope, staged }: { readonly run: FinishedRun; readonly envelope: JsonNode; readonly staged: string },
): Promise<void> {
  const { files, folder } = session;
  const path = posix.join(folder, run.invocationId);
  const index = posix.join(folder, INDEX_FILE);
  if ((await files.kind(path)) !== undefined) throw stored(run.invocationId, path);
  const isIndexed = await isIndexThere(files, index);
  // Another process may have died in the middle of its line since our repair.
  await mendEnding(files, index);
  const { size } = await files.ending(index);
  await files.rename(staged, path);
  try {
    await files.syncFolder(folder);
    await files.append(index, indexLineOf(envelope));
    if (!isIndexed) await files.syncFolder(folder);
  } catch (error) {
    // With a line in the index, whole or half, the folder must stay: the next repair then settles it.
    if ((await files.ending(index)).size === size) await files.rename(path, staged);
    throw error;
  }
}

/** Keeps each schema once, at `schemas/<digest>.json` (contract 3); a schema is there before the first run that names it. */
async function keepSchemas(session: Session, schemas: FinishedRun['schemas']): Promise<void> {
  const { files, folder } = session;
  if (schemas.size === 0) return;
  const home = posix.join(folder, SCHEMAS_FOLDER);
  const homeKind = await files.kind(home);
  if (homeKind === undefined) await files.makeFolder(home);
  else if (homeKind !== 'folder') throw obstructed(home, 'the folder of schemas');

  for (const [digest, bytes] of schemas) {
    if (!CONTENT_HASH.test(digest)) throw new Error(`${JSON.stringify(digest)} is no digest of a schema`);
    const path = posix.join(home, `${digest}.json`);
    const kind = await files.kind(path);
    if (kind === 'file') continue;
    if (kind !== undefined) throw obstructed(path, 'a schema, a regular file');
    await placeFile(session, { path, bytes });
    await files.syncFolder(home);
  }
  if (homeKind === undefined) await files.syncFolder(folder);
}

async function placeFile(
  session: Session,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
): Promise<void> {
  const { files, folder } = session;
  const staged = posix.join(folder, stagingName(session.owner, session.nextSerial()));
  try {
    await files.create(staged, bytes);
    await files.rename(staged, path);
  } catch (error) {
    await files.removeFile(staged).catch(nothing);
    throw error;
  }
}

/** Runs `work` alone among all stores of all processes on this folder; within this process in order of arrival. */
async function underIndexLock<Value>(session: Session, work: () => Promise<Value>): Promise<Value> {
  const turn = session.queue.then(async () => {
    await lockIndex(session);
    try {
      return await work();
    } finally {
      await unlock(session, INDEX_LOCK);
    }
  });
  session.queue = turn.then(nothing, nothing);
  return turn;
}

async function lockIndex(session: Session): Promise<void> {
  const candidate = await candidateFor(session, INDEX_LOCK);
  try {
    for (let i = 0; i < LOCK_ATTEMPTS; i++) {
      if ((await candidate.attempt()).kind === 'taken') return;
      await session.pause();
    }
  } finally {
    await candidate.abandon();
  }
  const path = posix.join(session.folder, INDEX_LOCK);
  throw gateError('store-locked', {
    blame: 'configuration',
    message: 'another process holds the lock of the runs folder',
    remedy: 'end that process, or remove this folder if it ran on a machine that is gone',
    place: { file: path },
  });
}

/** The envelope as its stored bytes say it, so that the index line cannot differ from the file. */
function ownEnvelope(run: FinishedRun): JsonNode {
  const envelope = parseJson(run.envelope, { file: 'envelope.json' });
  if (envelope.get('invocation_id')?.string() === run.invocationId) return envelope;
  throw new Error(`the envelope of run ${run.invocationId} names another run`);
}

function stored(id: string, file: string): GateError {
  return gateError('invocation-stored', {
    blame: 'caller',
    message: `run ${id} is stored already`,
    remedy: 'leave invocation_id out to get a new one',
    place: { file },
  });
}

function running(
  id: string,
  { attempt, folder }: { readonly attempt: { readonly state: 'alive' | 'unknown' }; readonly folder: string },
): GateError {
  const unknown = attempt.state === 'unknown';
  return gateError('invocation-running', {
    blame: 'caller',
    message: `run ${id} is in progress${unknown ? ' on another machine, or was when it stopped' : ''}`,
    remedy: unknown ? 'remove this folder if that machine is gone' : 'wait for it to end, or leave invocation_id out',
    place: { file: posix.join(folder, reservationName(id)) },
  });
}

function nothing(): undefined {
  return undefined;
}
