import { exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import { HashSet } from '../pair-set.js';
import type { Rule } from '../rule.js';
import { cited } from '../wording.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };

/** G4: every hash in `grounded_on` also appears in the evidence. */
export const g4: Rule = {
  id: 'G4',
  title: 'every hash in grounded_on appears in the evidence',
  modes: ['retrieval', 'delegation'],
  why: 'A reference is an id and a hash; only the evidence item of the same hash lets a reader see, and the source check compare, what was cited.',
  mend: 'Add an evidence item for every reference, with the same hash.',
  passes: exampleRun({
    caption: 'The cited hash is that of an evidence item.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
  }),
  fails: exampleRun({
    caption: 'The record was fetched and is cited, and the evidence leaves it out.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
    evidence: [],
  }),
  check: (facts) => {
    const shown = new HashSet(facts.evidence);
    return facts.references
      .filter((reference) => !shown.has(reference.contentHash))
      .map((reference) => citedFinding(`${cited(reference)} is cited and no evidence item has its hash`, reference));
  },
};
