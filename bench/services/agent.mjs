// An agent that takes 50 ms and does nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent } from 'grounding-gate/agent';

export default defineAgent({
  agent_id: 'bench.sleeper',
  version: '1.0.0',
  description: 'Takes 50 ms.',
  action_class: 'wait',
  accepts: ['Message'],
  grounding_mode: 'none',
  payload: 'Reply',
  async run(ctx) {
    await sleep(50);
    return ctx.succeeded({
      statement: 'Waited.',
      payload: { reply_text: 'waited', reply_derivation: 'template', grounded_on: [ctx.cite(ctx.input)] },
    });
  },
});
