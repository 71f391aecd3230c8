// @ts-check
// Reads two records and asks a model, as a well-behaved retrieval agent does.
import { defineAgent, readJson } from 'grounding-gate/agent';
import { declared } from './specification.js';

export default defineAgent({
  ...declared,
  agent_id: 'test.grounded',
  async run(ctx) {
    const options = { canonicalisation: 'dd-json-document-v1', snapshot_ref: 'copy:1' };
    const numbers = await ctx.retrieval({ ...options, source_id: 'src:numbers' }, () =>
      readJson('{"price": 1.0, "big": 12345678901234567890}'),
    );
    const plain = await ctx.retrieval({ ...options, source_id: 'src:plain' }, async () => ({ name: 'plain' }));
    const text = await ctx.chat('model-1', (report) => {
      report({ input_tokens: 10, output_tokens: 3 });
      return 'words';
    });
    await ctx.chat('model-1', (report) => report({ input_tokens: 5, output_tokens: 1 }));
    return ctx.succeeded({ statement: text, payload: { text, grounded_on: [ctx.cite(numbers), ctx.cite(plain)] } });
  },
});
