import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { spotFinding } from '../finding.js';
import { evidenceSpot } from '../references.js';
import type { Rule } from '../rule.js';

/** R3: a successful envelope has evidence; that it is the input is R2's business (contract 5). */
export const r3: Rule = {
  id: 'R3',
  title: 'a run that succeeds cites the input in its evidence',
  modes: ['input_only', 'none'],
  why: 'A result without a single evidence item does not say what it rests on, even if that could only have been the input.',
  mend: 'Return one evidence item for the input, with the input reference and hash that the conductor handed over.',
  passes: exampleRun({ caption: 'The evidence holds the input.', mode: 'none', cites: [EXAMPLE_INPUT] }),
  fails: exampleRun({
    caption: 'The payload cites the input and the evidence is empty.',
    mode: 'none',
    cites: [EXAMPLE_INPUT],
    evidence: [],
  }),
  check: ({ succeeded, evidence, envelope }) =>
    succeeded && evidence.length === 0
      ? [spotFinding('the run succeeded and its evidence is empty', evidenceSpot(envelope))]
      : [],
};
