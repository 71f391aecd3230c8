import { type Dialect, rows, values } from './row.js';

const SEEN = 'OpenLLMetry semantic conventions 0.4.x (packages/opentelemetry-semantic-conventions-ai)';
const VECTORS = 'OpenLLMetry vector store instrumentations 0.4x';
const request = (...of: readonly string[]) => values('llm.request.type', ...of);
const ending = (...of: readonly string[]) => of.map((nameEnds) => ({ nameEnds }));
const operation = (...of: readonly string[]) => values('gen_ai.operation.name', ...of);

/** OpenLLMetry: `llm.request.type`, `traceloop.span.kind`, names like `openai.chat`, and its vector stores. */
export const OPENLLMETRY: Dialect = {
  name: 'openllmetry',
  rows: [
    ...rows('chat', SEEN)(request('chat', 'completion', 'unknown')),
    // An agent's method may be named so as well (`AgentRunner.chat`): of an agent it says that a model was used.
    ...rows('writes', SEEN)(ending('.chat', '.completion', '.response', '.messages')),
    ...rows('embedding', SEEN)([...request('embedding'), { nameEnds: '.embeddings' }]),
    ...rows('reranker', SEEN)([...request('rerank'), { nameEnds: '.rerank' }]),
    ...rows(
      'model',
      SEEN,
    )([
      { key: 'llm.request.model' },
      { keyStarts: 'llm.response.' },
      { key: 'llm.is_streaming' },
      { key: 'llm.request.functions' },
      { keyStarts: 'llm.usage.' },
      { keyStarts: 'llm.prompts.' },
    ]),
    ...rows('writes', SEEN)([{ keyStarts: 'llm.completions.' }, { key: 'llm.usage.completion_tokens' }]),
    ...rows('vendor', 'OpenLLMetry semantic conventions 0.0.x')([{ key: 'llm.vendor' }]),
    ...rows('agent', SEEN)(values('traceloop.span.kind', 'agent')),
    ...rows('tool', SEEN)(values('traceloop.span.kind', 'tool')),
    ...rows('chain', SEEN)(values('traceloop.span.kind', 'workflow', 'task', 'unknown')),
    ...rows(
      'retrieval',
      'OpenLLMetry LangChain instrumentation, 2026',
    )([...operation('vector_db_retrieve'), { nameStarts: 'vector_db_retrieve' }]),
    ...rows(
      'retrieval',
      VECTORS,
    )([
      { name: 'pinecone.query' },
      { name: 'chroma.query' },
      { name: 'qdrant.search' },
      { name: 'qdrant.search_batch' },
      { key: 'db.vector.query.top_k' },
      { keyStarts: 'db.chroma.query.' },
      { keyStarts: 'db.milvus.query.' },
      { keyStarts: 'db.milvus.search.' },
      { keyStarts: 'db.marqo.search.' },
      { keyStarts: 'pinecone.query.' },
      { keyStarts: 'qdrant.search.' },
      { keyStarts: 'qdrant.search_batch.' },
      { name: 'qdrant.query' },
      { name: 'qdrant.query_points' },
      { name: 'milvus.search' },
      { name: 'milvus.query' },
      { name: 'lancedb.search' },
      { name: 'marqo.search' },
      { event: 'db.query.result' },
      { event: 'db.search.result' },
    ]),
  ],
};
