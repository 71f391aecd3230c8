// @ts-check
// The smallest agent: mode `none`, no model, no source. It answers from its input alone, and cites only that.
import { defineAgent } from 'grounding-gate/agent';

/** @typedef {{ schema_class: 'Message', message_text: string }} Message */

export default defineAgent({
  agent_id: 'example.hello',
  version: '0.1.0',
  description: 'Greets, and says how many words it was sent.',
  action_class: 'converse',
  accepts: ['Message'],
  grounding_mode: 'none',
  payload: 'Reply',
  derivations: { reply_text: { how: 'template', recorded_in: 'reply_derivation' } },

  run(ctx, /** @type {Message} */ input) {
    const words = input.message_text.split(/\s+/u).filter((word) => word !== '');
    if (words.length === 0) {
      return ctx.abstained({ statement: 'The message is empty.', reason_code: 'insufficient_input' });
    }
    const count = words.length === 1 ? 'one word' : `${words.length} words`;
    return ctx.succeeded({
      statement: 'Greeted the sender.',
      payload: {
        reply_text: `Hello! You sent ${count}.`,
        reply_derivation: 'template',
        grounded_on: [ctx.cite(ctx.input)],
      },
    });
  },
});
