import { exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import { HashSet } from '../pair-set.js';
import type { Rule } from '../rule.js';
import { cited } from '../wording.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };
const UNSEEN = { sourceId: 'doi:10.1234/miame', contentHash: 'b'.repeat(64) };

/** G3: every hash in the evidence appears on a retrieval of the run. */
export const g3: Rule = {
  id: 'G3',
  title: 'every hash in the evidence appears on a retrieval of the run',
  modes: ['retrieval'],
  why: 'Evidence is what a reviewer looks at. An item whose hash no retrieval states is not something that the run read.',
  mend: 'Make evidence only from records that this run fetched, and record one `retrieval` span, with source id and content hash, for each of them.',
  passes: exampleRun({
    caption: 'The hash of the only evidence item is that of a retrieval.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
  }),
  fails: exampleRun({
    caption: 'A second evidence item was never fetched.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
    evidence: [RECORD, UNSEEN],
  }),
  check: (facts) => {
    const fetched = new HashSet(facts.fetched);
    return facts.evidence
      .filter((item) => !fetched.has(item.contentHash))
      .map((item) => citedFinding(`${cited(item)} is evidence and no retrieval states its hash`, item));
  },
};
