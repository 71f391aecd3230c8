import { type Dialect, rows, values } from './row.js';

const SEEN = 'OpenInference semantic conventions 0.1.x (python/openinference-semantic-conventions, semconv/trace)';
const kind = (...of: readonly string[]) => values('openinference.span.kind', ...of);

/** OpenInference: `openinference.span.kind`, `llm.*`, `retrieval.documents.*`; also what its OpenAI instrumentation names. */
export const OPENINFERENCE: Dialect = {
  name: 'openinference',
  rows: [
    ...rows('chat', SEEN)(kind('LLM')),
    ...rows('embedding', SEEN)([...kind('EMBEDDING'), { keyStarts: 'embedding.' }]),
    ...rows('reranker', SEEN)([...kind('RERANKER'), { keyStarts: 'reranker.' }]),
    ...rows('guardrail', SEEN)(kind('GUARDRAIL')),
    ...rows('evaluator', SEEN)(kind('EVALUATOR')),
    ...rows('retrieval', SEEN)([...kind('RETRIEVER'), { keyStarts: 'retrieval.documents.' }]),
    ...rows('agent', SEEN)(kind('AGENT')),
    ...rows('tool', SEEN)(kind('TOOL')),
    ...rows('chain', SEEN)(kind('CHAIN', 'PROMPT', 'UNKNOWN')),
    ...rows(
      'model',
      SEEN,
    )([
      { key: 'llm.model_name' },
      { key: 'llm.invocation_parameters' },
      { keyStarts: 'llm.input_messages.' },
      { keyStarts: 'llm.token_count.' },
      { keyStarts: 'llm.cost.' },
      { keyStarts: 'llm.tools.' },
      { key: 'llm.request.model_name' },
    ]),
    ...rows(
      'writes',
      SEEN,
    )([
      { keyStarts: 'llm.output_messages.' },
      { key: 'llm.token_count.completion' },
      { keyStarts: 'llm.choices.' },
      { key: 'llm.finish_reason' },
      { key: 'llm.function_call' },
    ]),
    ...rows('vendor', SEEN)([{ key: 'llm.system' }, { key: 'llm.provider' }]),
    ...rows(
      'chat',
      'OpenInference instrumentation of openai (Python) 0.1.x',
    )([{ name: 'ChatCompletion' }, { name: 'Completion' }, { name: 'Response' }]),
    ...rows(
      'embedding',
      'OpenInference instrumentation of openai (Python) 0.1.x',
    )([{ name: 'CreateEmbeddings' }, { name: 'CreateEmbeddingResponse' }]),
    ...rows(
      'chat',
      '@arizeai/openinference-instrumentation-openai 4.2.7',
    )([{ name: 'OpenAI Chat Completions' }, { name: 'OpenAI Completions' }, { name: 'OpenAI Responses' }]),
    ...rows('embedding', '@arizeai/openinference-instrumentation-openai 4.2.7')([{ name: 'OpenAI Embeddings' }]),
  ],
};
