import { type Dialect, rows, type Sign } from './row.js';

const SEEN = 'Vercel AI SDK 4 to 7 (packages/ai/src/telemetry)';

/** A span of the AI SDK says what it is three times: its name, `ai.operationId`, and `operation.name` with a function id behind. */
const operation = (...of: readonly string[]): readonly Sign[] =>
  of.flatMap((id) => [{ name: id }, { key: 'ai.operationId', is: id }, { key: 'operation.name', starts: id }]);

/** The Vercel AI SDK: an outer span for the function and an inner one for each call, both with `ai.*`. */
export const VERCEL_AI: Dialect = {
  name: 'vercel-ai',
  rows: [
    ...rows(
      'chat',
      SEEN,
    )([
      ...operation('ai.generateText', 'ai.generateText.doGenerate', 'ai.streamText', 'ai.streamText.doStream'),
      ...operation('ai.generateObject', 'ai.generateObject.doGenerate', 'ai.streamObject', 'ai.streamObject.doStream'),
    ]),
    ...rows('embedding', SEEN)(operation('ai.embed', 'ai.embed.doEmbed', 'ai.embedMany', 'ai.embedMany.doEmbed')),
    ...rows('reranker', SEEN)(operation('ai.rerank', 'ai.rerank.doRerank')),
    ...rows('tool', SEEN)(operation('ai.toolCall')),
    ...rows(
      'model',
      SEEN,
    )([
      { key: 'ai.model.id' },
      { keyStarts: 'ai.usage.' },
      { keyStarts: 'ai.prompt.' },
      { key: 'ai.prompt' },
      { keyStarts: 'ai.stream.' },
      { key: 'ai.response.id' },
      { key: 'ai.response.model' },
    ]),
    ...rows(
      'writes',
      SEEN,
    )([
      { key: 'ai.response.text' },
      { key: 'ai.response.object' },
      { key: 'ai.response.toolCalls' },
      { key: 'ai.response.finishReason' },
      { key: 'ai.usage.completionTokens' },
      { key: 'ai.usage.outputTokens' },
    ]),
    ...rows('told', SEEN)([{ event: 'ai.stream.firstChunk' }]),
    ...rows('vendor', SEEN)([{ key: 'ai.model.provider' }, { keyStarts: 'ai.settings.' }]),
  ],
};
