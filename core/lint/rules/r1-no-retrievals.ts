import { quoted } from '../../model/wording.js';
import { R1_CAUSES } from '../causes/r1-causes.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { findingAt } from '../finding.js';
import type { Rule } from '../rule.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };

/** R1: the trace holds no retrievals. */
export const r1: Rule = {
  id: 'R1',
  title: 'the run fetches nothing',
  modes: ['input_only', 'none', 'delegation'],
  why: 'These modes promise that a result rests on the input, or on delegated runs, alone. A retrieval, even one that failed, shows that the agent reached for something else.',
  mend: 'Remove the retrieval, or declare the mode `retrieval` and cite what is fetched.',
  passes: exampleRun({
    caption: 'The agent works on its input.',
    mode: 'input_only',
    steps: [{ name: 'chat' }],
    cites: [EXAMPLE_INPUT],
  }),
  fails: exampleRun({
    caption: 'The agent fetched a record that its mode does not allow, although it cites only the input.',
    mode: 'input_only',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [EXAMPLE_INPUT],
  }),
  causes: R1_CAUSES,
  check: (facts) =>
    facts.tree.retrievals.map((span) => {
      const message = `retrieval ${quoted(span.facts.sourceId ?? span.spanId)} stands in a run whose mode allows none`;
      return findingAt(message, { cited: named(span.facts), span });
    }),
};

function named(facts: { readonly sourceId?: string | undefined; readonly contentHash?: string | undefined }) {
  const { sourceId, contentHash } = facts;
  return sourceId === undefined || contentHash === undefined ? undefined : { sourceId, contentHash };
}
