// @ts-check
// Sums a passage up in one sentence by an OpenAI-compatible model. It finds the server by OPENAI_BASE_URL, as the official clients do:
// where its entry names `models`, that is the gate, which passes the call on and writes down what it saw.
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text } from './class-schema.js';

export default defineAgent({
  agent_id: 'example.summary',
  version: '0.1.0',
  description: 'Sums a passage up in one sentence, by the model that the request names.',
  action_class: 'draft',
  accepts: ['Passage'],
  grounding_mode: 'input_only',
  payload: 'Summary',
  derivations: { summary: { how: 'model', recorded_in: null } },
  schemas: {
    Passage: classSchema('Passage', { passage: text, model: text }, ['passage', 'model']),
    Summary: classSchema('Summary', { summary: text, grounded_on: groundedOn }, ['summary', 'grounded_on']),
  },

  async run(ctx, /** @type {{ passage: string, model: string }} */ { passage, model }) {
    const base = process.env['OPENAI_BASE_URL'];
    if (base === undefined)
      return ctx.abstained({ statement: 'No model server is named.', reason_code: 'registry_unavailable' });
    const summary = await ctx.chat(model, async (report) => {
      const answer = await ask(`${base}/chat/completions`, { model, passage });
      report({ input_tokens: answer.usage.prompt_tokens, output_tokens: answer.usage.completion_tokens });
      return answer.choices[0]?.message.content ?? '';
    });
    if (summary === '')
      return ctx.abstained({ statement: 'The model said nothing.', reason_code: 'requires_human_judgement' });
    const payload = { summary, grounded_on: [ctx.cite(ctx.input)] };
    return ctx.succeeded({ statement: 'The passage was summed up.', payload });
  },
});

/**
 * @param {string} url
 * @param {{ model: string, passage: string }} asked
 * @returns {Promise<{ choices: { message: { content: string } }[], usage: { prompt_tokens: number, completion_tokens: number } }>}
 */
async function ask(url, { model, passage }) {
  const key = process.env['OPENAI_API_KEY'];
  const messages = [
    { role: 'system', content: 'Sum the passage up in one sentence. Add nothing to it.' },
    { role: 'user', content: passage },
  ];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages }),
  });
  if (!response.ok) throw new Error(`the model's server answered ${response.status}`);
  return JSON.parse(await response.text());
}
