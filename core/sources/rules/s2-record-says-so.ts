import { assertNever } from '../../model/assert-never.js';
import { quoted, shortHash } from '../../model/wording.js';
import type { ItemFacts } from '../collect.js';
import { differencesText } from '../differences.js';
import { exampleCitation } from '../example-citation.js';
import type { SourceRule } from '../rule.js';

/** S2: a cited record says in the source what it says in the evidence (grounding.txt, "The source check"). */
export const s2: SourceRule = {
  id: 'S2',
  title: 'a cited record hashes to what the evidence claims',
  why: 'Content that was altered and hashed again agrees with its own hash, so that the linter cannot tell. Hashing the record of the pinned copy shows whether the source really says what the evidence says.',
  mend: 'Hash the record as it was read, whole and under the canonicalisation that the evidence names, with `sha256`; `grounding hash --as NAME` shows what it should be. If the record has changed since the copy was pinned, cite the snapshot that was read.',
  passes: exampleCitation({
    caption: 'The record, under the canonicalisation that the evidence names, hashes to its content_hash.',
    item: {
      source_id: 'std:minseqe',
      content_hash: '4d418eb105eef97c2af18443801a510627522ed0c5b94ed654526036a649b49b',
    },
  }),
  fails: exampleCitation({
    caption: 'The agent made a deprecated standard look ready and hashed its own version of the record.',
    item: {
      source_id: 'std:miame',
      content_hash: 'dc6855873890faee3f9d58a317386efb0a63dd23b57d251df17295b199d5c80d',
      content: { record_id: 'std:miame', name: 'MIAME', status: 'ready' },
    },
  }),
  check: (facts) => (facts.kind === 'record' ? faultOf(facts) : null),
};

function faultOf({ item, copy, record }: Extract<ItemFacts, { kind: 'record' }>): string | null {
  const cited = `the evidence for ${quoted(item.sourceId)} (${shortHash(item.contentHash)})`;
  switch (record.kind) {
    case 'hash':
      if (record.hash === item.contentHash) return null;
      return `the record of ${cited} hashes to ${shortHash(record.hash)} in ${quoted(copy)}${differencesText(
        item.node,
        {
          record: record.node,
          canonicalisation: item.node.get('canonicalisation')?.string() ?? '',
        },
      )}`;
    case 'other-algorithm':
      return `${cited} ${record.named === null ? 'names no hash algorithm' : `is hashed with ${quoted(record.named)}`}, not with sha256`;
    case 'unknown-canonicalisation':
      return `${cited} names ${record.named === null ? 'no canonicalisation' : `the unknown canonicalisation ${quoted(record.named)}`}`;
    case 'projection-refused':
      return `the record of ${cited} cannot be projected under ${quoted(record.canonicalisation)} in ${quoted(copy)}`;
    default:
      return assertNever(record);
  }
}
