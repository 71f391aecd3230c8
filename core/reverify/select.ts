import { createHash } from 'node:crypto';
import { isInvocationId } from '../store/index.js';

/** One of `of` parts of an archive; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** More shards than any matrix has jobs, or jobs have runs. */
export const MAX_SHARDS = 100_000;

/** Which runs of an archive are judged; what is null does not limit. */
export interface Selection {
  readonly shard: Shard | null;
  /** Milliseconds since the Unix epoch: runs whose id was made before are left out. */
  readonly sinceMs: number | null;
  /** Says whether a name is wanted. */
  readonly only: ((name: string) => boolean) | null;
}

/**
 * The shard of a run: the first 8 bytes of the SHA-256 of its folder's name as a big-endian number, modulo the number of
 * shards, so that shards stay disjoint and even whatever is added later (issue 5).
 */
export function shardOf(name: string, of: number): number {
  const first = createHash('sha256').update(name).digest().readBigUInt64BE(0);
  return Number(first % BigInt(of)) + 1;
}

/** Whether a run is wanted by name and time, whatever its shard. */
export function isWanted(name: string, { sinceMs, only }: Selection): boolean {
  if (only !== null && !only(name)) return false;
  if (sinceMs === null) return true;
  const made = millisecondsOf(name);
  // A run that tells no time may be a new one: leaving it out would be a way to hide it.
  return made === null || made >= sinceMs;
}

/** Whether a run is in the wanted shard. */
export function isInShard(name: string, { shard }: Selection): boolean {
  return shard === null || shardOf(name, shard.of) === shard.index;
}

/** When a UUIDv7 was made (RFC 9562, section 5.7); null for any other name. */
export function millisecondsOf(name: string): number | null {
  if (!isInvocationId(name)) return null;
  return Number.parseInt(name.slice(0, 8) + name.slice(9, 13), 16);
}
