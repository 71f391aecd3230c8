// @ts-check
// An agent that does what its input asks for, to be served in every way that it can go.
import { defineAgent, readJson } from 'grounding-gate/agent';
import { declared } from './specification.js';

const schema = {
  type: 'object',
  required: ['schema_class', 'act'],
  properties: {
    schema_class: { type: 'string', enum: ['Act'] },
    act: { type: 'string' },
    amount: { type: 'number' },
    text: { type: 'string' },
  },
};

export default defineAgent({
  ...declared,
  agent_id: 'test.served',
  accepts: ['Act'],
  schemas: { Act: schema, Answer: declared.schemas.Answer },
  async run(ctx, input) {
    if (input['act'] === 'throw') throw new Error('it broke\n    at somewhere (/secret/path.js:1:1)');
    const text = input['act'] === 'record' ? String(input['text']) : '{"name": "Møbius", "year": 2021, "score": 1.5}';
    const record = await ctx.retrieval(
      { source_id: 'src:one', canonicalisation: 'dd-json-document-v1', snapshot_ref: 'copy:1' },
      () => readJson(text),
    );
    const answer = await ctx.chat('model-1', (report) => {
      report({ input_tokens: 7, output_tokens: 2 });
      return `read ${JSON.stringify(input)}`;
    });
    return ctx.succeeded({
      statement: 'done',
      payload: { text: answer, grounded_on: [ctx.cite(record), ctx.cite(ctx.input)] },
    });
  },
});
