import type { RunningServer } from '../io/a2a-server.js';
import type { Session } from './session.js';

/**
 * Opens the endpoint that delegating agents come back to, on a free port of this machine, when some agent is one; null otherwise. The
 * server is the larger part of this program, and is loaded here alone.
 */
export async function openDelegation(session: Session): Promise<RunningServer | null> {
  const delegates = [...session.registry.agents.values()].some(
    ({ specification }) => specification.groundingMode === 'delegation',
  );
  if (!delegates) return null;
  const { startHarness } = await import('./harness.js');
  return startHarness(session, { host: '127.0.0.1', port: 0 });
}
