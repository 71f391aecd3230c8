import type { JsonNode } from '../json/index.js';
import { isContentHash } from '../model/patterns.js';

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
  const items: EvidenceItem[] = [];
  const nodes = envelope.get('evidence')?.items() ?? [];
  for (let at = 0; at < nodes.length; at++) {
    const item = itemOf(nodes[at], at);
    if (item !== null) items.push(item);
  }
  return items;
}

function itemOf(node: JsonNode | undefined, at: number): EvidenceItem | null {
  if (node === undefined) return null;
  const sourceId = node.get('source_id')?.string();
  const contentHash = node.get('content_hash')?.string();
  if (sourceId === undefined || sourceId === '') return null;
  if (contentHash === undefined || !isContentHash(contentHash)) return null;
  return {
    node,
    pointer: `/evidence/${at}`,
    sourceId,
    contentHash,
    snapshotRef: node.get('snapshot_ref')?.word() ?? null,
  };
}
