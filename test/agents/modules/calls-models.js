// @ts-check
// An agent that calls models as its input says, and declares of it what its input says.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

const schema = {
  type: 'object',
  required: ['schema_class', 'steps'],
  properties: { schema_class: { type: 'string', enum: ['Plan'] }, steps: { type: 'string' } },
};

/**
 * @typedef {{ provider?: 'openai' | 'anthropic', path: string, body?: unknown, declared?: boolean, key?: string,
 *   named?: boolean, waitMs?: number, unread?: boolean, only?: 'declare', url?: string, as?: string, tell?: boolean }} Step
 */

export default defineAgent({
  ...declared,
  agent_id: 'test.calls-models',
  grounding_mode: 'input_only',
  accepts: ['Plan'],
  schemas: { Plan: schema, Answer: declared.schemas.Answer },
  async run(ctx, input) {
    const said = [];
    for (const step of /** @type {Step[]} */ (JSON.parse(String(input['steps'])))) {
      const ask = () => (step.only === 'declare' ? 'nothing' : call(step, ctx.traceparent));
      said.push(step.declared === false ? await ask() : await ctx.chat(nameOf(step), ask));
    }
    return ctx.succeeded({
      statement: 'done',
      payload: { text: JSON.stringify(said), grounded_on: [ctx.cite(ctx.input)] },
    });
  },
});

/** The model that is declared: the one that is asked, unless the step says otherwise. @param {Step} step */
function nameOf({ as, body }) {
  return as ?? /** @type {{ model?: string } | undefined} */ (body)?.model ?? 'declared-model';
}

/** @param {Step} step @param {string} traceparent */
async function call(
  { provider = 'openai', path, body, key = 'sk-secret', named, waitMs, unread, url, tell },
  traceparent,
) {
  const base = process.env[provider === 'openai' ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL'];
  if (tell) throw new Error(`nobody answers at ${base}${path}`);
  if (waitMs !== undefined) await sleep(waitMs);
  try {
    const response = await fetch(url ?? `${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-api-key': key,
        ...(named ? { traceparent } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (unread) return `${response.status} unread`;
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return `failed: ${error instanceof Error ? String(error.cause ?? error.message) : 'unknown'}`;
  }
}
