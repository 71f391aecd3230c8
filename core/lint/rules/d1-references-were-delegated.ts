import { notDelegable } from '../delegable.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import type { Rule } from '../rule.js';
import { cited } from '../wording.js';

const CHILD = '0199a3b0-0000-7000-8000-000000000002';
const REPLY = { sourceId: `invocation:${CHILD}`, contentHash: 'a'.repeat(64) };

/** D1: every source in `grounded_on` is the input or a delegation that the envelope records. */
export const d1: Rule = {
  id: 'D1',
  title: 'every source in grounded_on is the input or a recorded delegation',
  modes: ['delegation'],
  why: 'The conductor writes the delegations itself, from the runs that it performed. A reference to any other run, or to another envelope of the same run, is the agent’s word alone.',
  mend: 'Cite a delegated run as `invocation:<child id>` with the hash of the envelope that came back, as the agent library returns it, and never a run that was not delegated through the conductor.',
  passes: exampleRun({
    caption: 'The cited run is among the delegations, with the same hash.',
    mode: 'delegation',
    cites: [EXAMPLE_INPUT, REPLY],
    delegated: [{ child: CHILD, contentHash: REPLY.contentHash }],
  }),
  fails: exampleRun({
    caption: 'The cited run was never delegated.',
    mode: 'delegation',
    cites: [EXAMPLE_INPUT, REPLY],
    delegated: [],
  }),
  check: (facts) =>
    notDelegable(facts.references, facts).map((citation) =>
      citedFinding(`${cited(citation)} is cited and is neither the input nor a recorded delegation`, citation),
    ),
};
