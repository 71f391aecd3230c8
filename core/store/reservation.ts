import { posix } from 'node:path';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { obstructed } from './failure.js';
import { tryLock, unlock } from './lock.js';
import { isInvocationId, reservationName } from './names.js';
import type { Session } from './session.js';

/** Throws `invocation-id-malformed`. The id is hostile until here, and becomes part of a path after. */
export function assertInvocationId(text: string): void {
  if (isInvocationId(text)) return;
  throw gateError('invocation-id-malformed', {
    blame: 'caller',
    message: `${JSON.stringify(text.slice(0, 80))} is no invocation id`,
    remedy: 'give a lower-case UUIDv7 or leave the id out',
  });
}

/** Reserves an id that is neither stored nor running; throws `invocation-stored` or `invocation-running`. */
export async function reserve(session: Session, id: string): Promise<void> {
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

/** Gives a reservation up, if this session holds it. */
export async function release(session: Session, id: string): Promise<void> {
  if (session.reserved.delete(id)) await unlock(session, reservationName(id));
}

/** The error for an id whose run is stored. */
export function stored(id: string, file: string): GateError {
  return gateError('invocation-stored', {
    blame: 'caller',
    message: `run ${id} is stored already`,
    remedy: 'give the run a new invocation_id; `run` and `invoke --input` make one',
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
    remedy: unknown
      ? 'remove this folder if that machine is gone'
      : 'wait for it to end, or give the run a new invocation_id',
    place: { file: posix.join(folder, reservationName(id)) },
  });
}
