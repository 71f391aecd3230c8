import { spawnSync } from 'node:child_process';
import type { Isolator } from '../agents/isolation.js';
import { agentProcessBehind } from './agent-process.js';
import { listeningSockets } from './listening-sockets.js';
import { serviceStarterBehind } from './service-process.js';

/**
 * In namespaces of its own: the loopback comes up; what a machine's services listen on by Unix sockets is covered, in /run all at once,
 * since it is there that they do, and each of those that are named elsewhere; what root may write to the kernel by its files, such as the
 * program that is started outside when one in here crashes, is for reading alone. Then all rights to change any of that are laid down for
 * good, and the command begins. Its arguments come behind the number of sockets and their paths.
 */
const SCRIPT = `
set -ef
path=$PATH
PATH=$PATH:/usr/sbin:/sbin
ip link set lo up || ifconfig lo up
mount -n -t tmpfs -o mode=755,size=16m none /run
left=$1
shift
while [ "$left" -gt 0 ]; do
  if [ -S "$1" ]; then mount -n --bind /dev/null "$1" || [ ! -S "$1" ]; fi
  left=$((left - 1))
  shift
done
if [ -e /proc/sysrq-trigger ]; then mount -n --bind /dev/null /proc/sysrq-trigger; fi
mount -n --bind /proc/sys /proc/sys
mounts=$(cut -d ' ' -f 5 /proc/self/mountinfo)
for at in $mounts; do
  case $at in
  /proc/sys | /proc/sys/* | /sys | /sys/*) mount -n -o remount,bind,ro,nosuid,nodev,noexec "$at" ;;
  esac
done
PATH=$path
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
`;

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
    if ('found' in known) return behind(known.found, listeningSockets());
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

function behind(wrapper: readonly string[], sockets: readonly string[]): readonly string[] {
  return [...wrapper, String(sockets.length), ...sockets];
}

/** Why the wrapper does not work here; null when it does. */
function refusalOf(wrapper: readonly [string, ...string[]]): string | null {
  const [program] = wrapper;
  const [, ...options] = behind(wrapper, []);
  const probe = spawnSync(program, [...options, process.execPath, '--version'], {
    timeout: PROBE_MS,
    encoding: 'utf8',
  });
  if (probe.error !== undefined) return probe.error.message;
  if (probe.status === 0) return null;
  const said = probe.stderr.trim().split('\n').at(-1)?.slice(0, 200);
  return said || `unshare exited with ${probe.status ?? probe.signal}`;
}
