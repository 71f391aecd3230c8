import type { RunningServer } from '../io/a2a-server.js';
import type { Session } from '../runner/session.js';
import type { Call } from './command.js';
import { usage } from './options.js';
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

/** What `DD_HARNESS_URL` says that agents are told (contract 7); throws GateError `usage` for what they could not come back to. */
export function harnessUrlOf(call: Call): { readonly harnessUrl?: string } {
  const harnessUrl = variableOf(call, 'DD_HARNESS_URL');
  if (harnessUrl === undefined) return {};
  const url = URL.canParse(harnessUrl) ? new URL(harnessUrl) : null;
  const reachable = url !== null && ['http:', 'https:'].includes(url.protocol) && !/\s/.test(harnessUrl);
  // A path is put behind it, and it stands on a card that everybody may read.
  if (reachable && url.username === '' && url.password === '' && !/[?#]/.test(harnessUrl))
    return { harnessUrl: harnessUrl.replace(/\/+$/, '') };
  const shown = url?.username || url?.password ? 'names a user' : `is ${JSON.stringify(harnessUrl)}`;
  throw usage(
    `DD_HARNESS_URL ${shown}`,
    'set it to an address such as https://harness.example.org, without user or query',
  );
}

/** Writes errors of ours to standard error, where their caller on the other side is told nothing. */
export function reportTo({ world }: Call): (error: unknown) => void {
  return (error) => void world.err.write(`${errorText(error, world.args.includes('--debug'))}\n`);
}
