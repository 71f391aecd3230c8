import { spawnSync } from 'node:child_process';
import type { StartAgentProcess } from '../agents/agent-process.js';
import { gateError } from '../model/error-codes.js';
import { agentProcessBehind } from './agent-process.js';

/**
 * With a user namespace of its own, which any user may make where the system allows it; then as root of a container. The rights of the
 * latter lead back into any other network, so that they are laid down for good.
 */
export const OFFLINE_WRAPPERS = [
  ['unshare', '--user', '--map-root-user', '--net', '--'],
  ['unshare', '--net', '--', 'setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'],
] as const;

const PROBE_MS = 10_000;

/**
 * Starts agents in a network namespace that holds no interface but a loopback which is down; the pipe to us is a Unix
 * socket and is not of the network. Throws GateError `offline-unavailable` with the system's reason where there is none.
 */
export function offlineProcess(): StartAgentProcess {
  const reasons: string[] = [];
  for (const wrapper of OFFLINE_WRAPPERS) {
    const reason = refusalOf(wrapper);
    if (reason === null) return agentProcessBehind(wrapper);
    reasons.push(reason);
  }
  throw gateError('offline-unavailable', {
    blame: 'configuration',
    message: `this machine starts no process without a network: ${[...new Set(reasons)].join('; ')}`,
    remedy: 'run the fixture on Linux where unshare may make network namespaces, or leave out offline: true',
  });
}

/** Why the wrapper does not work here; null when it does. */
function refusalOf([program, ...options]: readonly [string, ...string[]]): string | null {
  const probe = spawnSync(program, [...options, process.execPath, '--version'], {
    timeout: PROBE_MS,
    encoding: 'utf8',
  });
  if (probe.error !== undefined) return probe.error.message;
  if (probe.status === 0) return null;
  return probe.stderr.trim().split('\n').at(-1)?.slice(0, 200) || `unshare exited with ${probe.status ?? probe.signal}`;
}
