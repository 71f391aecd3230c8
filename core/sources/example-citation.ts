import type { RuleExample } from '../model/rule-page.js';

/** What an example of a source rule cites; members laid over a well-formed evidence item. */
export interface ExampleCitation {
  readonly caption: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** The snapshot_ref and the id field of the copy that every example is checked against. */
export const EXAMPLE_REF = 'snapshot:2026-09-30';
export const EXAMPLE_ID_FIELD = 'record_id';

/** The records of that copy. */
const EXAMPLE_RECORDS = [
  { record_id: 'std:minseqe', name: 'MINSEQE', status: 'ready' },
  { record_id: 'std:miame', name: 'MIAME', status: 'deprecated' },
] as const;

/** Builds the two documents of an example: `envelope`, cut down to what the source check reads, and `records`. */
export function exampleCitation(init: ExampleCitation): RuleExample {
  const item = {
    snapshot_ref: EXAMPLE_REF,
    hash_algorithm: 'sha256',
    canonicalisation: 'dd-json-document-v1',
    ...init.item,
  };
  return {
    caption: init.caption,
    documents: { envelope: { grounding_mode: 'retrieval', evidence: [item] }, records: EXAMPLE_RECORDS },
  };
}
