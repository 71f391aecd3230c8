import { quoted } from '../../model/wording.js';
import type { Span } from '../../trace/index.js';
import { G1_CAUSES } from '../causes/g1-causes.js';
import { exampleRun } from '../example-run.js';
import { spanFinding } from '../finding.js';
import { firstFinish } from '../first-finish.js';
import type { Facts, Finding, Rule } from '../rule.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };

/** G1: every model call starts after at least one retrieval has finished. */
export const g1: Rule = {
  id: 'G1',
  title: 'a retrieval has finished before any model call starts',
  modes: ['retrieval'],
  why: 'A model that is asked before anything was fetched answers from memory, and what is fetched afterwards can only decorate the answer. A retrieval that failed, or never ended, fetched nothing.',
  mend: 'Fetch first: end the `retrieval` span before you start the `chat` span, and give both explicit high-resolution times. If the agent needs no sources, it belongs in another mode.',
  passes: exampleRun({
    caption: 'The model call starts at the very instant at which the retrieval ends.',
    mode: 'retrieval',
    steps: [
      { name: 'retrieval', of: RECORD, at: 10 },
      { name: 'chat', at: 15 },
    ],
    cites: [RECORD],
  }),
  fails: exampleRun({
    caption: 'The model call starts while the only retrieval is still going on.',
    mode: 'retrieval',
    steps: [
      { name: 'retrieval', of: RECORD, at: 10 },
      { name: 'chat', at: 14 },
    ],
    cites: [RECORD],
  }),
  causes: G1_CAUSES,
  check,
};

function check(facts: Facts): readonly Finding[] {
  const first = firstFinish(facts.tree);
  // A chat without a start is G0's business (contract 5).
  const early = ({ start }: Span) => start !== null && (first === undefined || start < first);
  const findings: Finding[] = [];
  for (const span of facts.tree.chats) {
    if (early(span))
      findings.push(spanFinding(`model call ${quoted(span.spanId)} starts before any retrieval has finished`, span));
  }
  for (const span of facts.tree.opaque) {
    const agent = `agent ${quoted(span.spanId)} states the use of a model without showing the call`;
    if (early(span)) findings.push(spanFinding(`${agent}, and starts before any retrieval has finished`, span));
  }
  return findings;
}
