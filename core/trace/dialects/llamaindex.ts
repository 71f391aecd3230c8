import { type Dialect, rows } from './row.js';

const SEEN = 'LlamaIndex instrumentation (llama-index-core 0.11 to 0.14)';
const ending = (...of: readonly string[]) => of.map((nameEnds) => ({ nameEnds }));

/**
 * LlamaIndex: a span is named after class and method, `OpenAI.achat`, `VectorIndexRetriever.retrieve`. Agents have methods
 * of the same names as models, so that these say only that a model wrote.
 */
export const LLAMAINDEX: Dialect = {
  name: 'llamaindex',
  rows: [
    ...rows(
      'writes',
      SEEN,
    )(
      ending(
        '.achat',
        '.stream_chat',
        '.astream_chat',
        '.complete',
        '.acomplete',
        '.stream_complete',
        '.astream_complete',
      ),
    ),
    ...rows('writes', SEEN)(ending('.predict', '.apredict', '.structured_predict', '.astructured_predict')),
    ...rows(
      'embedding',
      SEEN,
    )(
      ending(
        '.get_query_embedding',
        '.aget_query_embedding',
        '.get_text_embedding',
        '.get_text_embedding_batch',
        '.aget_text_embedding_batch',
        '._get_query_embedding',
        '._get_text_embeddings',
      ),
    ),
    ...rows('retrieval', SEEN)(ending('.retrieve', '.aretrieve', '._retrieve', '._aretrieve')),
    ...rows('reranker', SEEN)(ending('.postprocess_nodes', '._postprocess_nodes')),
  ],
};
