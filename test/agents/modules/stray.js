// @ts-check
// An agent whose code fails where nobody catches it.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent } from 'grounding-gate/agent';

/** @type {Readonly<Record<string, () => Promise<void>>>} */
const ACTS = {
  wait: () => sleep(800),
  hang: () => sleep(60_000),
  answer: async () => {},
  async throw() {
    setTimeout(() => {
      throw new Error('a timer threw');
    }, 10);
    await sleep(400);
  },
  async reject() {
    // Told through a task of its own, as an abandoned piece of work would be.
    void sleep(10).then(() => Promise.reject(new Error('nobody awaits this')));
    await sleep(400);
  },
  async late() {
    const first = sleep(10).then(() => Promise.reject(new Error('the first')));
    const second = sleep(60).then(() => Promise.reject(new Error('the second')));
    await first;
    await second;
  },
};

export default defineAgent({
  agent_id: 'test.stray',
  version: '0.1.0',
  description: 'Fails where nobody catches it.',
  action_class: 'test',
  accepts: ['Message'],
  grounding_mode: 'none',
  payload: 'Reply',
  derivations: { reply_text: { how: 'template', recorded_in: 'reply_derivation' } },
  async run(ctx, /** @type {{ message_text: string }} */ { message_text }) {
    await ACTS[message_text]?.();
    return ctx.succeeded({
      statement: 'It answered.',
      payload: { reply_text: message_text, reply_derivation: 'template', grounded_on: [ctx.cite(ctx.input)] },
    });
  },
});
