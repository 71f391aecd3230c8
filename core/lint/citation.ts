import type { JsonNode } from '../json/index.js';
import { isContentHash } from '../model/patterns.js';
import type { Trail } from './trail.js';

/** A well-formed reference or evidence item (contract 5): what it cites, and where it stands. */
export interface Citation {
  readonly node: JsonNode;
  readonly trail: Trail;
  readonly sourceId: string;
  readonly contentHash: string;
}

/** An id together with a hash. */
export interface Pair {
  readonly sourceId: string;
  readonly contentHash: string;
}

/** Reads an object whose `source_id` is a non-empty string and whose `content_hash` is a hash; undefined for any other. */
export function citationOf(node: JsonNode, trail: Trail): Citation | undefined {
  const pair = pairOf(node, 'source_id');
  return pair === undefined ? undefined : { node, trail, sourceId: pair.sourceId, contentHash: pair.contentHash };
}

/** Reads the id under `idKey` and the hash of an object; undefined unless both are well formed (contract 5). */
export function pairOf(node: JsonNode, idKey: string): Pair | undefined {
  const sourceId = node.get(idKey)?.string();
  const contentHash = node.get('content_hash')?.string();
  if (sourceId === undefined || sourceId === '' || contentHash === undefined) return undefined;
  return isContentHash(contentHash) ? { sourceId, contentHash } : undefined;
}

/** A key under which pairs can be looked up; the length keeps an id from posing as the end of a hash. */
export function pairKey(pair: Pair): string {
  return `${pair.contentHash.length}:${pair.contentHash}${pair.sourceId}`;
}
