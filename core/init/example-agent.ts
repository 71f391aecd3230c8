/** An agent for a repository that has none yet: it fetches a record, cites it, and abstains where there is none. */
export const EXAMPLE_AGENT = `import { defineAgent } from 'grounding-gate/agent';

// Your agent fetches from a source of its own; this one has two records at hand.
const RECORDS = new Map([
  ['rec:1', { id: 'rec:1', title: 'Tides at Cuxhaven' }],
  ['rec:2', { id: 'rec:2', title: 'Wind over the German Bight' }],
]);

export default defineAgent({
  agent_id: 'example.finder',
  version: '1.0.0',
  description: 'Finds the record that a question names.',
  action_class: 'recommend',
  accepts: ['Question'],
  grounding_mode: 'retrieval',
  payload: 'Found',
  schemas: {
    Question: {
      type: 'object',
      required: ['schema_class', 'record'],
      properties: { schema_class: { enum: ['Question'] }, record: { type: 'string', examples: ['rec:1'] } },
    },
    Found: {
      type: 'object',
      required: ['schema_class', 'grounded_on'],
      properties: { schema_class: { enum: ['Found'] }, grounded_on: { type: 'array' } },
    },
  },
  async run(ctx, input) {
    if (!RECORDS.has(input.record)) {
      return ctx.abstained({ statement: 'There is no such record.', reason_code: 'no_qualifying_resource' });
    }
    const source = { source_id: input.record, canonicalisation: 'dd-json-document-v1', snapshot_ref: 'records-1' };
    const found = await ctx.retrieval(source, () => RECORDS.get(input.record));
    return ctx.succeeded({ statement: 'One record fits.', payload: { grounded_on: [ctx.cite(found)] } });
  },
});
`;

/** What somebody other than the agent says that these records are. */
export const EXAMPLE_RECORDS = `{"id": "rec:1", "title": "Tides at Cuxhaven"}
{"id": "rec:2", "title": "Wind over the German Bight"}
`;

/** What the example agent declares, as far as the other files of a starter set need it. */
export const EXAMPLE = {
  agentId: 'example.finder',
  actionClass: 'recommend',
  module: 'agents/example.mjs',
  records: 'data/records.jsonl',
  snapshotRef: 'records-1',
  idField: 'id',
  input: { schema_class: 'Question', record: 'rec:1' },
} as const;
