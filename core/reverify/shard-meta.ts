import type { JsonNode } from '../json/index.js';
import { MAX_SHARDS, type Shard } from './select.js';

/** By what a shard was judged; shards of one call agree in all of it. */
export interface ShardCall {
  /** Of this package. */
  readonly version: string;
  readonly unresolved: string;
  /** As the call gave them; null for none. */
  readonly only: string | null;
  readonly since: string | null;
  /** SHA-256 of the file that pins the sources; null without one. */
  readonly sources: string | null;
}

/** What stands beside the report of a shard, so that a merge can tell whether it has all of them, unaltered. */
export interface ShardMeta {
  readonly shard: Shard;
  /** Rows of the report. */
  readonly count: number;
  /** SHA-256 of the report's bytes, 64 lower-case hex digits. */
  readonly sha256: string;
  /** Runs that the whole archive had, all shards together. */
  readonly runs: number;
  /** The index as it was read; null for an archive without one. */
  readonly index: { readonly lines: number; readonly bytes: number } | null;
  readonly call: ShardCall;
}

/** The name of the file beside a report. */
export function metaPath(report: string): string {
  return `${report}.meta.json`;
}

/** The text of the file beside a report. */
export function composeMeta({ shard, count, sha256, runs, index, call }: ShardMeta): string {
  return `${JSON.stringify({ shard: shard.index, of: shard.of, count, sha256, runs, index, call }, null, 2)}\n`;
}

/** Reads it again; undefined for anything else. */
export function readMeta(node: JsonNode): ShardMeta | undefined {
  const [index, of, count, runs] = ['shard', 'of', 'count', 'runs'].map((key) => node.get(key)?.integer());
  const sha256 = node.get('sha256')?.string();
  if (index === undefined || of === undefined || count === undefined || runs === undefined) return undefined;
  if (sha256 === undefined || index < 1 || index > of || of > MAX_SHARDS) return undefined;
  if (count < 0 || runs < count) return undefined;
  const size = sizeOf(node.get('index'));
  const call = callOf(node.get('call'));
  if (size === undefined || call === undefined) return undefined;
  return { shard: { index, of }, count, sha256, runs, index: size, call };
}

/** Whether two shards were judged in the same way. */
export function sameCall(one: ShardCall, other: ShardCall): boolean {
  return CALL_KEYS.every((key) => one[key] === other[key]);
}

const CALL_KEYS = ['version', 'unresolved', 'only', 'since', 'sources'] as const;

function callOf(node: JsonNode | undefined): ShardCall | undefined {
  const [version, unresolved, only, since, sources] = CALL_KEYS.map((key) => {
    const value = node?.get(key);
    return value?.isNull ? null : value?.string();
  });
  if (typeof version !== 'string' || typeof unresolved !== 'string') return undefined;
  if (only === undefined || since === undefined || sources === undefined) return undefined;
  return { version, unresolved, only, since, sources };
}

function sizeOf(node: JsonNode | undefined): ShardMeta['index'] | undefined {
  if (node?.isNull) return null;
  const lines = node?.get('lines')?.integer();
  const bytes = node?.get('bytes')?.integer();
  return lines === undefined || bytes === undefined ? undefined : { lines, bytes };
}
