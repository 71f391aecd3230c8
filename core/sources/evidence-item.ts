import type { JsonNode } from '../json/index.js';
import { CONTENT_HASH } from '../model/patterns.js';

/** A well-formed evidence item (contract 5); malformed ones are the linter's to report and count as absent here. */
export interface EvidenceItem {
  readonly node: JsonNode;
  /** RFC 6901 pointer into the envelope. */
  readonly pointer: string;
  readonly sourceId: string;
  readonly contentHash: string;
  /** Null when the item names none, or one that is not a string: a live source. */
  readonly snapshotRef: string | null;
}

/** The well-formed evidence items of an envelope, in its order. */
export function evidenceItems(envelope: JsonNode): readonly EvidenceItem[] {
  const nodes = envelope.get('evidence')?.items() ?? [];
  return nodes.flatMap((node, at) => itemOf(node, `/evidence/${at}`) ?? []);
}

function itemOf(node: JsonNode, pointer: string): EvidenceItem | null {
  const sourceId = node.get('source_id')?.string();
  const contentHash = node.get('content_hash')?.string();
  if (sourceId === undefined || sourceId === '') return null;
  if (contentHash === undefined || !CONTENT_HASH.test(contentHash)) return null;
  return { node, pointer, sourceId, contentHash, snapshotRef: node.get('snapshot_ref')?.string() ?? null };
}
