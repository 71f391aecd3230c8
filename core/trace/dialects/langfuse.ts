import { type Dialect, rows, values } from './row.js';

const SEEN = 'Langfuse SDK 3.x (langfuse-python, langfuse/_client/attributes.py)';
const type = (...of: readonly string[]) => values('langfuse.observation.type', ...of);

/** Langfuse: the type of an observation, and the model that makes a generation of any. */
export const LANGFUSE: Dialect = {
  name: 'langfuse',
  rows: [
    ...rows('chat', SEEN)(type('generation')),
    ...rows('embedding', SEEN)(type('embedding')),
    ...rows('guardrail', SEEN)(type('guardrail')),
    ...rows('evaluator', SEEN)(type('evaluator')),
    ...rows('retrieval', SEEN)(type('retriever')),
    ...rows('agent', SEEN)(type('agent')),
    ...rows('tool', SEEN)(type('tool')),
    ...rows('chain', SEEN)(type('chain', 'span', 'event')),
    ...rows(
      'model',
      SEEN,
    )([
      { key: 'langfuse.observation.model.name' },
      { key: 'langfuse.observation.model.parameters' },
      { key: 'langfuse.observation.usage_details' },
      { key: 'langfuse.observation.cost_details' },
    ]),
    ...rows('writes', SEEN)([{ key: 'langfuse.observation.completion_start_time' }]),
  ],
};
