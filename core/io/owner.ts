import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { OwnerState } from '../store/world.js';

/** pid, start, host, boot, pid namespace, and a nonce for the store within its process. */
const OWNER = /^([1-9][0-9]{0,9})\.([0-9]{1,20})\.([0-9a-f]{8})\.([0-9a-f]{8})\.([0-9]{1,20})\.([0-9a-f]{16})$/;

/** The start of a process that exists and whose start is not shown. */
const HIDDEN = 'hidden';

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
  const start = processStart(process.pid)?.replace(HIDDEN, '0') ?? '0';
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
  const now = processStart(Number(pid));
  if (now === HIDDEN) return 'unknown';
  return now === start ? 'alive' : 'dead';
}

function surroundings(): Surroundings {
  return {
    host: short(hostname()),
    boot: attempt(() => short(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))) ?? '00000000',
    space: attempt(() => readlinkSync('/proc/self/ns/pid').replace(/[^0-9]/g, '')) ?? '0',
  };
}

/**
 * When a process started, in the system's own unit; undefined when there is no such process, or only its corpse, and
 * `HIDDEN` when there is one whose start this user is not shown.
 */
function processStart(pid: number): string | undefined {
  if (!exists(pid)) return undefined;
  if (process.platform === 'linux') return linuxStart(pid);
  // Windows tells no start cheaply: there a reused pid counts as alive, which refuses and never takes over.
  return process.platform === 'win32' ? '0' : unixStart(pid);
}

/** Fields 3 and 22 of /proc/<pid>/stat (proc_pid_stat(5)); the name in field 2 may hold spaces and brackets. */
function linuxStart(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return exists(pid) ? HIDDEN : undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function unixStart(pid: number): string | undefined {
  // The same zone and language for every process, or their answers would differ.
  const env = { PATH: process.env['PATH'] ?? '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  const args = ['-o', 'lstart=', '-p', String(pid)];
  const text = attempt(() => execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe', env }));
  if (text === undefined) return exists(pid) ? HIDDEN : undefined;
  return String(Date.parse(`${text.trim()} UTC`));
}

/** Signal 0 only asks; EPERM is the answer about another user's process. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
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
