import type { JsonNode } from '../json/index.js';
import type { Shard } from './select.js';

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
}

/** The name of the file beside a report. */
export function metaPath(report: string): string {
  return `${report}.meta.json`;
}

/** The text of the file beside a report. */
export function composeMeta({ shard, count, sha256, runs, index }: ShardMeta): string {
  return `${JSON.stringify({ shard: shard.index, of: shard.of, count, sha256, runs, index }, null, 2)}\n`;
}

/** Reads it again; undefined for anything else. */
export function readMeta(node: JsonNode): ShardMeta | undefined {
  const [index, of, count, runs] = ['shard', 'of', 'count', 'runs'].map((key) => node.get(key)?.integer());
  const sha256 = node.get('sha256')?.string();
  if (index === undefined || of === undefined || count === undefined || runs === undefined) return undefined;
  if (sha256 === undefined || index < 1 || index > of) return undefined;
  const size = sizeOf(node.get('index'));
  return size === undefined ? undefined : { shard: { index, of }, count, sha256, runs, index: size };
}

function sizeOf(node: JsonNode | undefined): ShardMeta['index'] | undefined {
  if (node?.isNull) return null;
  const lines = node?.get('lines')?.integer();
  const bytes = node?.get('bytes')?.integer();
  return lines === undefined || bytes === undefined ? undefined : { lines, bytes };
}
