import type { RunningServer } from '../io/a2a-server.js';
import type { Session } from '../runner/session.js';
import type { Call } from './command.js';
import { errorText } from './run-cli.js';
import { variableOf } from './settings.js';

/**
 * Opens the endpoint that a delegating agent comes back to, on a free port of this machine, when some agent is one; it takes nothing but
 * requests under a live grant. Null when no agent delegates: the server is the larger part of this program, and stays unloaded then.
 */
export async function openHarness(call: Call, session: Session): Promise<RunningServer | null> {
  const delegates = [...session.registry.agents.values()].some(
    ({ specification }) => specification.groundingMode === 'delegation',
  );
  if (!delegates) return null;
  const { startHarness } = await import('../runner/harness.js');
  return startHarness(session, { host: '127.0.0.1', port: 0, onError: reportTo(call), ...harnessUrlOf(call) });
}

/** What `DD_HARNESS_URL` says that agents are told (contract 7). */
export function harnessUrlOf(call: Call): { readonly harnessUrl?: string } {
  const harnessUrl = variableOf(call, 'DD_HARNESS_URL');
  return harnessUrl === undefined ? {} : { harnessUrl: harnessUrl.replace(/\/+$/, '') };
}

/** Writes errors of ours to standard error, where their caller on the other side is told nothing. */
export function reportTo({ world }: Call): (error: unknown) => void {
  return (error) => void world.err.write(`${errorText(error, world.args.includes('--debug'))}\n`);
}
