// @ts-check
// Asks other agents and relays what they answer, in mode `delegation`: it reads no source and calls no model. It cites its input and the
// runs that were made for it, each by the hash of the envelope that was stored.
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text } from './class-schema.js';

/** @typedef {{ agent_id: string, input: object }} Task */
/** @typedef {{ outcome: { statement: string } }} Envelope */

export default defineAgent({
  agent_id: 'orchestrator.stub',
  version: '0.1.0',
  description: 'Has other agents answer, and relays their answers.',
  action_class: 'orchestrate',
  accepts: ['Assignment'],
  grounding_mode: 'delegation',
  payload: 'Relay',
  derivations: { replies: { how: 'template', recorded_in: null } },
  schemas: {
    Assignment: classSchema(
      'Assignment',
      {
        tasks: {
          type: 'array',
          minItems: 1,
          maxItems: 10,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['agent_id', 'input'],
            properties: { agent_id: text, input: { type: 'object' } },
          },
        },
      },
      ['tasks'],
    ),
    Relay: classSchema(
      'Relay',
      {
        replies: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['agent_id', 'invocation_id', 'status', 'statement', 'grounded_on'],
            properties: { agent_id: text, invocation_id: text, status: text, statement: text, grounded_on: groundedOn },
          },
        },
        grounded_on: groundedOn,
      },
      ['replies', 'grounded_on'],
    ),
  },

  async run(ctx, /** @type {{ tasks: readonly Task[] }} */ { tasks }) {
    const children = await Promise.all(
      tasks.map(async ({ agent_id, input }) => ({ agent_id, child: await ctx.delegate(agent_id, input) })),
    );
    const replies = children.map(({ agent_id, child }) => ({
      agent_id,
      invocation_id: child.invocation_id,
      status: child.status,
      statement: /** @type {Envelope} */ (child.envelope).outcome.statement,
      grounded_on: [ctx.cite(child)],
    }));
    const grounded_on = [ctx.cite(ctx.input), ...children.map(({ child }) => ctx.cite(child))];
    return ctx.succeeded({
      statement: `Relayed ${replies.length} of ${tasks.length}.`,
      payload: { replies, grounded_on },
    });
  },
});
