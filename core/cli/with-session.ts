import type { Principal } from '../model/principal.js';
import { openSession, type Session, type SessionSettings } from '../runner/session.js';
import type { Call } from './command.js';
import { reportTo } from './open-harness.js';
import { environmentAuthenticator, requirePrincipal } from './principal.js';
import { type Settings, settingsOf } from './settings.js';

/** A session with whom its runs are made for. */
export interface OpenedSession {
  readonly session: Session;
  readonly settings: Settings;
  readonly principal: Principal;
}

/**
 * Opens a session for the principal of the environment, works in it and closes it again, also when the user interrupts:
 * agents die, and what they were at is not stored.
 */
export async function withSession<Value>(
  call: Call,
  work: (opened: OpenedSession) => Promise<Value>,
  more: Pick<SessionSettings, 'many' | 'recorder' | 'replays'> = {},
): Promise<Value> {
  const settings = settingsOf(call);
  const principal = await requirePrincipal(environmentAuthenticator(call));
  const session = await openSession({ ...settings, ...more, onError: reportTo(call) });
  const forget = call.world.onInterrupt(() => session.interrupt());
  try {
    return await work({ session, settings, principal });
  } finally {
    forget();
    await session.close();
  }
}
