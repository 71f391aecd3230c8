import type { RunStore } from '../conductor/ports.js';
import { told } from './failure.js';
import { underIndexLock } from './index-lock.js';
import { INDEX_LOCK } from './names.js';
import { type RepairReport, repairStore } from './repair.js';
import { assertInvocationId, release, reserve } from './reservation.js';
import { newSession, nothing, type Session } from './session.js';
import type { StoreWorld } from './world.js';
import { writeRun } from './write-run.js';

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
        await told(session.folder, () => writeRun(session, run));
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
