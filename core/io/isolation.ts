import { spawnSync } from 'node:child_process';
import type { Isolator } from '../agents/isolation.js';
import { agentProcessBehind } from './agent-process.js';
import { serviceStarterBehind } from './service-process.js';

/**
 * In namespaces of its own: the loopback comes up, /run is empty, since it is there that a machine's services listen on Unix sockets, and
 * all rights to change either are laid down for good before the command begins.
 */
const SCRIPT = [
  '{ PATH="$PATH:/usr/sbin:/sbin" ip link set lo up || PATH="$PATH:/usr/sbin:/sbin" ifconfig lo up; }',
  'mount -t tmpfs -o mode=755,size=16m none /run',
  'exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"',
].join(' && ');

/** With a user namespace of its own, which any user may make where the system allows it; then as root of a container. */
const WRAPPERS = [
  ['unshare', '--user', '--map-root-user', '--net', '--mount', '--', '/bin/sh', '-c', SCRIPT, 'sh'],
  ['unshare', '--net', '--mount', '--', '/bin/sh', '-c', SCRIPT, 'sh'],
] as const;

const PROBE_MS = 10_000;

type Wrapper = { readonly found: readonly string[] } | { readonly refusal: string };

/** Isolates agents by namespaces of Linux; services print to `<logs>/<name>.log`. The machine is tried at the first question. */
export function namespaceIsolator({ logs }: { readonly logs: string }): Isolator {
  let wrapper: Wrapper | undefined;
  const tried = (): Wrapper => {
    wrapper ??= findWrapper();
    return wrapper;
  };
  const found = (): readonly string[] => {
    const known = tried();
    if ('found' in known) return known.found;
    throw new Error('an agent was to be isolated where that cannot be');
  };
  return {
    refusal() {
      const known = tried();
      return 'refusal' in known ? known.refusal : null;
    },
    start: (options) => agentProcessBehind(found(), 'doors')(options),
    services: serviceStarterBehind(found, { logs }),
  };
}

function findWrapper(): Wrapper {
  const reasons: string[] = [];
  for (const wrapper of WRAPPERS) {
    const reason = refusalOf(wrapper);
    if (reason === null) return { found: wrapper };
    reasons.push(reason);
  }
  return { refusal: `this machine gives no process a network of its own (${[...new Set(reasons)].join('; ')})` };
}

/** Why the wrapper does not work here; null when it does. */
function refusalOf([program, ...options]: readonly [string, ...string[]]): string | null {
  const probe = spawnSync(program, [...options, process.execPath, '--version'], {
    timeout: PROBE_MS,
    encoding: 'utf8',
  });
  if (probe.error !== undefined) return probe.error.message;
  if (probe.status === 0) return null;
  const said = probe.stderr.trim().split('\n').at(-1)?.slice(0, 200);
  return said || `unshare exited with ${probe.status ?? probe.signal}`;
}
