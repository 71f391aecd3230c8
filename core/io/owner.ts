import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { OwnerState } from '../store/world.js';

/** pid, start, host, boot, pid namespace, and a nonce for the store within its process. */
const OWNER = /^([1-9][0-9]{0,9})\.([0-9]{1,20})\.([0-9a-f]{8})\.([0-9a-f]{8})\.([0-9]{1,20})\.([0-9a-f]{16})$/;

/** What tells one machine, one start of it and one container from another. */
interface Surroundings {
  readonly host: string;
  /** All zeros where the system does not tell. */
  readonly boot: string;
  readonly space: string;
}

/** A name for a store in this process that no other store ever has, before or after. */
export function newOwner(): string {
  const { host, boot, space } = surroundings();
  const start = processStart(process.pid) ?? '0';
  return [process.pid, start, host, boot, space, randomBytes(8).toString('hex')].join('.');
}

/**
 * Whether the process that an owner's name names still runs; null when the text is no such name. A process that has the
 * pid but another start time is another process, so a reused pid is never mistaken.
 */
export async function ownerState(owner: string): Promise<OwnerState | null> {
  const [, pid, start, host, boot, space] = OWNER.exec(owner) ?? [];
  if (pid === undefined) return null;
  const here = surroundings();
  if (host !== here.host) return 'unknown';
  if (boot !== here.boot) return 'dead';
  if (space !== here.space) return 'unknown';
  return processStart(Number(pid)) === start ? 'alive' : 'dead';
}

function surroundings(): Surroundings {
  return {
    host: short(hostname()),
    boot: attempt(() => short(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))) ?? '00000000',
    space: attempt(() => readlinkSync('/proc/self/ns/pid').replace(/[^0-9]/g, '')) ?? '0',
  };
}

/** When a process started, in the system's own unit; undefined when there is no such process, or only its corpse. */
function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxStart(pid);
  if (process.platform === 'win32') return attempt(() => process.kill(pid, 0)) === undefined ? undefined : '0';
  const started = attempt(() =>
    execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }),
  );
  return started === undefined ? undefined : String(Date.parse(started));
}

/** Fields 3 and 22 of /proc/<pid>/stat (proc_pid_stat(5)); the name in field 2 may hold spaces and brackets. */
function linuxStart(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return fields[19];
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function attempt<Value>(step: () => Value): Value | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
