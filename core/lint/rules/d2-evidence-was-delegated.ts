import { notDelegable } from '../delegable.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import type { Rule } from '../rule.js';
import { cited } from '../wording.js';

const CHILD = '0199a3b0-0000-7000-8000-000000000002';
const REPLY = { sourceId: `invocation:${CHILD}`, contentHash: 'a'.repeat(64) };
const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'b'.repeat(64) };

/** D2: every evidence item is the input or a delegation that the envelope records. */
export const d2: Rule = {
  id: 'D2',
  title: 'every evidence item is the input or a recorded delegation',
  modes: ['delegation'],
  why: 'An agent that delegates reads its input and the replies to what it delegated. Evidence of anything else claims a source that it had no way to read.',
  mend: 'Leave out evidence of records that a child fetched: the child’s own envelope holds it. Cite that envelope instead.',
  passes: exampleRun({
    caption: 'The evidence holds the input and a recorded delegation.',
    mode: 'delegation',
    cites: [EXAMPLE_INPUT, REPLY],
    delegated: [{ child: CHILD, contentHash: REPLY.contentHash }],
  }),
  fails: exampleRun({
    caption: 'The evidence repeats a record that the child fetched.',
    mode: 'delegation',
    cites: [EXAMPLE_INPUT],
    evidence: [EXAMPLE_INPUT, RECORD],
    delegated: [{ child: CHILD, contentHash: REPLY.contentHash }],
  }),
  check: (facts) =>
    notDelegable(facts.evidence, facts).map((citation) =>
      citedFinding(`${cited(citation)} is evidence and is neither the input nor a recorded delegation`, citation),
    ),
};
