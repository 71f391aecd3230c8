import { hashOf, type JsonNode } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { type EvidenceItem, evidenceItems } from './evidence-item.js';
import type { SourceCopies } from './load-copies.js';
import type { SourceCopy } from './pinned-copy.js';

/** What the record that an item cites hashes to, read as the item says; or why nothing can be compared. */
export type RecordHash =
  | { readonly kind: 'hash'; readonly hash: string; readonly node: JsonNode }
  | { readonly kind: 'other-algorithm'; readonly named: string | null }
  | { readonly kind: 'unknown-canonicalisation'; readonly named: string | null }
  | { readonly kind: 'projection-refused'; readonly canonicalisation: string };

/** What is known about one evidence item, before anybody judges it. */
export type ItemFacts =
  /** Nobody here holds a copy that could tell (contract 6): never a pass, never a violation. */
  | { readonly kind: 'unresolved'; readonly item: EvidenceItem }
  | { readonly kind: 'no-record'; readonly item: EvidenceItem; readonly copy: string }
  | { readonly kind: 'record'; readonly item: EvidenceItem; readonly copy: string; readonly record: RecordHash };

/** An envelope with the well-formed items of its evidence. */
export interface ReadEvidence {
  readonly envelope: JsonNode;
  readonly items: readonly EvidenceItem[];
}

const MODES_WITH_OWN_EVIDENCE: ReadonlySet<string> = new Set(['input_only', 'none', 'delegation']);
const HASH_ALGORITHM = 'sha256';

/**
 * Looks every evidence item up in the pinned copies. The input and delegated runs are the linter's business in the modes
 * that cite them, and are left out; in any other mode nobody holds a copy of them (contract 6).
 */
export function collectFacts(envelope: JsonNode, copies: SourceCopies): readonly ItemFacts[] {
  return factsOfItems({ envelope, items: evidenceItems(envelope) }, copies);
}

/** The same for the items of an envelope that were read already. */
export function factsOfItems({ envelope, items }: ReadEvidence, copies: SourceCopies): readonly ItemFacts[] {
  const facts: ItemFacts[] = [];
  if (items.length === 0) return facts;
  const mode = envelope.get('grounding_mode')?.word();
  const ownEvidence = mode !== undefined && MODES_WITH_OWN_EVIDENCE.has(mode);
  const lookup = new Lookup();
  for (const item of items) {
    const isOwn = isOwnEvidence(item);
    if (isOwn && ownEvidence) continue;
    const copy = isOwn || item.snapshotRef === null ? undefined : copies.copyFor(item.snapshotRef);
    facts.push(copy === undefined ? { kind: 'unresolved', item } : lookup.factsOf(item, copy));
  }
  return facts;
}

function isOwnEvidence(item: EvidenceItem): boolean {
  return item.sourceId.startsWith('input:') || item.sourceId.startsWith('invocation:');
}

/** Records that were hashed: a document never changes, nor does what a registered canonicalisation makes of it. */
const hashes = new WeakMap<JsonNode, Map<string, RecordHash>>();

/** Reads each record once and hashes it once a canonicalisation, however often an envelope cites it. */
class Lookup {
  readonly #records = new Map<SourceCopy, Map<string, JsonNode | undefined>>();

  factsOf(item: EvidenceItem, copy: SourceCopy): ItemFacts {
    const record = this.#recordOf(copy, item.sourceId);
    if (record === undefined) return { kind: 'no-record', item, copy: copy.label };
    return { kind: 'record', item, copy: copy.label, record: this.#hashFor(record, item.node) };
  }

  #recordOf(copy: SourceCopy, id: string): JsonNode | undefined {
    const known = entryOf(this.#records, copy);
    if (!known.has(id)) known.set(id, copy.find(id));
    return known.get(id);
  }

  #hashFor(record: JsonNode, item: JsonNode): RecordHash {
    const algorithm = item.get('hash_algorithm')?.word() ?? null;
    if (algorithm !== HASH_ALGORITHM) return { kind: 'other-algorithm', named: algorithm };
    const canonicalisation = item.get('canonicalisation')?.word();
    if (canonicalisation === undefined) return { kind: 'unknown-canonicalisation', named: null };
    const known = entryOf(hashes, record);
    const found = known.get(canonicalisation) ?? hashRecord(record, canonicalisation);
    known.set(canonicalisation, found);
    return found;
  }
}

function entryOf<Key extends object, Inner>(
  map: Pick<WeakMap<Key, Map<string, Inner>>, 'get' | 'set'>,
  key: Key,
): Map<string, Inner> {
  const found = map.get(key) ?? new Map<string, Inner>();
  map.set(key, found);
  return found;
}

function hashRecord(record: JsonNode, canonicalisation: string): RecordHash {
  try {
    return { kind: 'hash', hash: hashOf(record, canonicalisation), node: record };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    if (error.code === 'canonicalisation-unknown') return { kind: 'unknown-canonicalisation', named: canonicalisation };
    if (error.code === 'projection-refused') return { kind: 'projection-refused', canonicalisation };
    throw error;
  }
}
