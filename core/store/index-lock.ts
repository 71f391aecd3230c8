import { posix } from 'node:path';
import { gateError } from '../model/error-codes.js';
import { candidateFor, unlock } from './lock.js';
import { INDEX_LOCK } from './names.js';
import { nothing, type Session } from './session.js';

/** How often a lock is tried before it counts as stuck: about a minute, since each try is followed by a pause. */
const LOCK_ATTEMPTS = 10_000;

/** Runs `work` alone among all stores of all processes on this folder; within this process in order of arrival. */
export async function underIndexLock<Value>(session: Session, work: () => Promise<Value>): Promise<Value> {
  const turn = session.queue.then(async () => {
    await lockIndex(session);
    try {
      return await work();
    } finally {
      // What the work did stands; a lock that cannot be removed shows at the next attempt.
      await unlock(session, INDEX_LOCK).catch(nothing);
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
