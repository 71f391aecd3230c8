// @ts-check
// An agent of the Vercel AI SDK that reads through the MCP door: the framework's own client and its own loop of tool calls,
// with nothing of ours but the address. A stand-in takes the model's place, so that the example needs no network and always
// does the same: it searches, fetches the best match, and answers with its sentence.
import { createMCPClient } from '@ai-sdk/mcp';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text } from './class-schema.js';

const SNAPSHOT = 'facts:2026-11';

export default defineAgent({
  agent_id: 'example.reader',
  version: '0.1.0',
  description: 'Answers a question about a data standard from a pinned collection, which it reads over MCP.',
  action_class: 'verify',
  accepts: ['FactQuestion'],
  grounding_mode: 'retrieval',
  payload: 'FactAnswer',
  derivations: { answer: { how: 'template', recorded_in: null } },
  schemas: {
    FactQuestion: classSchema('FactQuestion', { question: text }, ['question']),
    FactAnswer: classSchema('FactAnswer', { answer: text, grounded_on: groundedOn }, ['answer', 'grounded_on']),
  },

  async run(ctx, /** @type {{ question: string }} */ { question }) {
    const { sources } = ctx;
    if (sources === null)
      return ctx.abstained({ statement: 'No copy is served to this run.', reason_code: 'registry_unavailable' });
    const client = await createMCPClient({ transport: { type: 'http', ...sources.mcp } });
    try {
      const { text: answer, steps } = await generateText({
        model: standIn(question),
        tools: await client.tools(),
        stopWhen: stepCountIs(5),
        prompt: question,
      });
      const read = steps
        .flatMap(({ toolResults }) => toolResults)
        .filter(({ toolName }) => toolName === 'fetch_record')
        .map(({ output }) => sources.received(textOf(/** @type {any} */ (output).content)));
      if (read.length === 0)
        return ctx.abstained({
          statement: 'The collection says nothing about it.',
          reason_code: 'no_candidates_retrieved',
        });
      return ctx.succeeded({
        statement: 'One sentence of the collection answers.',
        payload: { answer, grounded_on: read.map((record) => ctx.cite(record)) },
      });
    } finally {
      await client.close();
    }
  },
});

/** What a real model would decide, decided by rule: the tool to call next, or the answer. @param {string} question */
function standIn(question) {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const last = results.at(-1);
      const said = last?.type === 'tool-result' ? JSON.parse(textOf(/** @type {any} */ (last.output).value)) : null;
      if (said === null) return call('search_source', { snapshot_ref: SNAPSHOT, query: question, limit: 1 });
      if (said.record !== undefined) return answering(said.record.sentence);
      const [hit] = said.hits;
      if (hit === undefined) return answering('Nothing was found.');
      return call('fetch_record', { snapshot_ref: SNAPSHOT, source_id: hit.source_id });
    },
  });
}

const SPENT = { inputTokens: {}, outputTokens: {} };

/** @param {string} toolName @param {object} input @returns {any} */
function call(toolName, input) {
  const content = [{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }];
  return { content, finishReason: { unified: 'tool-calls' }, usage: SPENT, warnings: [] };
}

/** @param {string} words @returns {any} */
function answering(words) {
  return { content: [{ type: 'text', text: words }], finishReason: { unified: 'stop' }, usage: SPENT, warnings: [] };
}

/** The text of what an MCP tool gave. @param {any} content @returns {string} */
function textOf(content) {
  return content[0].text;
}
