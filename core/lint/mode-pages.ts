import type { GroundingMode } from '../model/report.js';

/** What `docs/rules.md` and `grounding explain` say about a mode; the rules of a mode come from the registry. */
export interface ModePage {
  readonly mode: GroundingMode;
  readonly agent: string;
  readonly cites: string;
  readonly shows: string;
  readonly showsNot: string;
}

const BADGES =
  'How a value was made (`template`, `model`, `lexical`, `registry`) is the agent’s own label, which nothing here checks.';

/** The four modes of grounding.txt, in the order of GROUNDING_MODES. */
export const MODE_PAGES: readonly ModePage[] = [
  {
    mode: 'retrieval',
    agent: 'reads records from outside sources first, and may then ask a model about them.',
    cites: 'only records that a retrieval of the same run states, by id and hash.',
    shows:
      'What the agent cites, what it gives as evidence and what it declares to have fetched are the same records in the same versions, and it declares a finished retrieval before any model call.',
    showsNot: `That anything was fetched, or when: the spans and their times are the agent’s own statement. The source check adds that a cited record exists in a pinned copy and says what the evidence says, and still not that the agent read it in this run. Where a run has to be witnessed (\`require: witnessed\`, docs/witness.md), W1 adds that the record was served to the agent before its answer. Nor does a pass show that the answer follows from the records. ${BADGES}`,
  },
  {
    mode: 'input_only',
    agent: 'works on the input that it was given, and may ask a model about it.',
    cites: 'only the input, under the hash that the conductor computed.',
    shows: 'The result cites the very input of the run and nothing else, and the agent declared no retrieval.',
    showsNot: `That what a model made of the input is faithful to it; that is a matter for evaluation. Nor that the agent fetched nothing: it declared nothing. ${BADGES}`,
  },
  {
    mode: 'none',
    agent: 'applies fixed rules to its input: the same input always gives the same result.',
    cites: 'only the input, under the hash that the conductor computed.',
    shows:
      'The result cites the very input of the run and nothing else, and the agent declared neither a retrieval nor a model call.',
    showsNot: `That no model was called: only that none was declared. What the dialects do not know, or what was never recorded, no rule sees. A fixture with \`repeat: 2\`, whose payloads are held against each other, and one with \`offline: true\`, which gives the agent no network, say more. ${BADGES}`,
  },
  {
    mode: 'delegation',
    agent: 'has other agents run through the conductor, and works on its input and on their envelopes.',
    cites: 'the input, and runs that the conductor recorded as delegated, by the hash of the stored envelope.',
    shows:
      'The result cites the input and runs that the conductor itself performed for this agent, each in the version that was stored; the record of what was delegated is the conductor’s, not the agent’s.',
    showsNot: `That a reply was passed on faithfully, or that the delegated runs were themselves well grounded: each has a verdict of its own. ${BADGES}`,
  },
];
