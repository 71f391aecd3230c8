import { type Dialect, rows, type Sign, values } from './row.js';

const mlflow = (...of: readonly string[]): readonly Sign[] => values('mlflow.spanType', ...of);
const MLFLOW = 'MLflow tracing 3.x (values are JSON texts)';
const PYDANTIC = 'Pydantic AI 1.x (Logfire)';
const KERNEL = 'Semantic Kernel 1.x';

/** Frameworks that have a few names of their own beside one of the vocabularies above. */
export const FRAMEWORKS: Dialect = {
  name: 'frameworks',
  rows: [
    ...rows('chat', MLFLOW)(mlflow('LLM', 'CHAT_MODEL')),
    ...rows('embedding', MLFLOW)(mlflow('EMBEDDING')),
    ...rows('reranker', MLFLOW)(mlflow('RERANKER')),
    ...rows('guardrail', MLFLOW)(mlflow('GUARDRAIL')),
    ...rows('evaluator', MLFLOW)(mlflow('EVALUATOR')),
    ...rows('retrieval', MLFLOW)(mlflow('RETRIEVER')),
    ...rows('agent', MLFLOW)(mlflow('AGENT')),
    ...rows('tool', MLFLOW)(mlflow('TOOL')),
    ...rows('chain', MLFLOW)(mlflow('CHAIN', 'WORKFLOW', 'TASK', 'PARSER', 'UNKNOWN')),
    ...rows('model', MLFLOW)([{ key: 'mlflow.llm.model' }, { key: 'mlflow.chat.tokenUsage' }]),
    ...rows('chat', 'Google ADK 1.x')([{ name: 'call_llm' }]),
    ...rows('writes', 'Google ADK 1.x')([{ key: 'gcp.vertex.agent.llm_response' }]),
    ...rows('chat', 'LiteLLM 1.x')([{ name: 'litellm_request' }, { name: 'raw_gen_ai_request' }]),
    ...rows('chat', 'Strands Agents 0.1')([{ name: 'Model invoke' }]),
    ...rows('agent', PYDANTIC)([{ name: 'agent run' }]),
    ...rows('tool', PYDANTIC)([{ name: 'running tool' }]),
    ...rows(
      'chat',
      'Logfire 3.x (instrument_openai)',
    )([{ nameStarts: 'Chat Completion with' }, { nameStarts: 'Responses API with' }]),
    ...rows('embedding', 'Logfire 3.x (instrument_openai)')([{ nameStarts: 'Embedding Creation with' }]),
    ...rows('chat', KERNEL)([{ nameStarts: 'chat.completions' }, { nameStarts: 'text.completions' }]),
    ...rows('chain', 'Haystack 2.x')([{ name: 'haystack.pipeline.run' }]),
    ...rows(
      'chat',
      'Haystack 2.x',
    )([
      { key: 'haystack.component.type', is: 'OpenAIChatGenerator' },
      { key: 'haystack.component.type', is: 'OpenAIGenerator' },
    ]),
    ...rows('retrieval', 'Haystack 2.x')([{ key: 'haystack.component.type', is: 'InMemoryBM25Retriever' }]),
  ],
};
