import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { findingAt } from '../finding.js';
import { isSamePair } from '../pair-set.js';
import { evidenceSpot } from '../references.js';
import type { Facts, Finding, Rule } from '../rule.js';

const CHILD = '0199a3b0-0000-7000-8000-000000000002';
const REPLY = { sourceId: `invocation:${CHILD}`, contentHash: 'a'.repeat(64) };

/** D3: the evidence of a successful envelope includes the input. */
export const d3: Rule = {
  id: 'D3',
  title: 'a run that succeeds cites the input in its evidence',
  modes: ['delegation'],
  why: 'Whatever was delegated, the question came from the input. A result whose evidence leaves it out cannot be tied to what was asked.',
  mend: 'Return one evidence item for the input, with the input reference and hash that the conductor handed over, beside those of the delegated runs.',
  passes: exampleRun({
    caption: 'The evidence holds the input beside the delegated run.',
    mode: 'delegation',
    cites: [EXAMPLE_INPUT, REPLY],
    delegated: [{ child: CHILD, contentHash: REPLY.contentHash }],
  }),
  fails: exampleRun({
    caption: 'The evidence holds the delegated run alone.',
    mode: 'delegation',
    cites: [REPLY],
    delegated: [{ child: CHILD, contentHash: REPLY.contentHash }],
  }),
  check,
};

function check({ succeeded, evidence, input, envelope }: Facts): readonly Finding[] {
  if (!succeeded) return [];
  if (input !== undefined && evidence.some((item) => isSamePair(item, input))) return [];
  const spot = evidenceSpot(envelope);
  return [findingAt('the run succeeded and its evidence does not hold the input', { cited: input, spot })];
}
