import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import { isSamePair } from '../pair-set.js';
import type { Facts, Finding, Rule } from '../rule.js';
import { cited } from '../wording.js';

/** R2: every source in `grounded_on` and in the evidence is the input. */
export const r2: Rule = {
  id: 'R2',
  title: 'references and evidence cite the input and nothing else',
  modes: ['input_only', 'none'],
  why: 'An agent of these modes has read its input only, under the hash that the conductor computed. Any other id or hash names something that it cannot have read.',
  mend: 'Cite the input reference and input hash that the conductor handed over, unchanged. An agent that uses other sources needs another mode.',
  passes: exampleRun({ caption: 'The input is cited by its id and hash.', mode: 'none', cites: [EXAMPLE_INPUT] }),
  fails: exampleRun({
    caption: 'The id is right and the hash is not the one that the conductor computed.',
    mode: 'none',
    cites: [{ ...EXAMPLE_INPUT, contentHash: '2'.repeat(64) }],
    evidence: [EXAMPLE_INPUT],
  }),
  check,
};

function check({ references, evidence, input }: Facts): readonly Finding[] {
  const findings: Finding[] = [];
  for (const citations of [references, evidence]) {
    for (const citation of citations) {
      if (input !== undefined && isSamePair(input, citation)) continue;
      findings.push(citedFinding(`${cited(citation)} is cited and is not the input of the run`, citation));
    }
  }
  return findings;
}
