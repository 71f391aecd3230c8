// @ts-check
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

export default defineAgent({
  ...declared,
  agent_id: 'test.environment',
  run: (ctx) =>
    ctx.abstained({
      statement: JSON.stringify({ ...process.env, argv: process.argv.length }),
      reason_code: 'not_applicable',
    }),
});
