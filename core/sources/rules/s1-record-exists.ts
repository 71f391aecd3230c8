import { quoted } from '../../model/wording.js';
import { exampleCitation } from '../example-citation.js';
import type { SourceRule } from '../rule.js';

/** S1: a cited record exists in the source (grounding.txt, "The source check"). */
export const s1: SourceRule = {
  id: 'S1',
  title: 'a cited record exists in the pinned copy of its source',
  why: 'An agent, or the model behind it, can make up a record, give it an id and hash what it made up: the run agrees with itself, and only a copy that the agent cannot touch shows that no such record exists.',
  mend: 'Cite records under the id that the source gives them, and under the `snapshot_ref` of the snapshot that was read. If the record is newer than the pinned copy, pin a newer snapshot with `grounding pin` after reviewing it.',
  passes: exampleCitation({
    caption: 'The copy holds a record with the id that the evidence names.',
    item: {
      source_id: 'std:minseqe',
      content_hash: '4d418eb105eef97c2af18443801a510627522ed0c5b94ed654526036a649b49b',
    },
  }),
  fails: exampleCitation({
    caption: 'No record of the copy has the id that the evidence names.',
    item: {
      source_id: 'std:minseqe-2',
      content_hash: '4d418eb105eef97c2af18443801a510627522ed0c5b94ed654526036a649b49b',
    },
  }),
  check: (facts) => {
    if (facts.kind !== 'no-record') return null;
    return `${quoted(facts.item.sourceId)} is no record of ${quoted(facts.copy)}, the copy for ${quoted(facts.item.snapshotRef ?? '')}`;
  },
};
