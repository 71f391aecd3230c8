import { type Dialect, rows, type Sign, values } from './row.js';

const mlflow = (...of: readonly string[]): readonly Sign[] => values('mlflow.spanType', ...of);
const MLFLOW = 'MLflow tracing 3.x (values are JSON texts; mlflow/entities/span.py, SpanType)';
const PYDANTIC = 'Pydantic AI 1.x (Logfire)';
const KERNEL = 'Semantic Kernel 1.x (python/semantic_kernel/utils/telemetry/model_diagnostics)';
const ADK = 'Google ADK 1.x (google/adk-python, src/google/adk/telemetry/tracing.py)';
const LITELLM = 'LiteLLM 1.x (litellm/integrations/opentelemetry.py)';
const LOGFIRE = 'Logfire 3.x (instrument_openai; logfire/_internal/integrations/llm_providers/openai.py)';
const HAYSTACK = 'Haystack 2.x (haystack/core/pipeline, haystack/components/agents)';
const component = (...of: readonly string[]): readonly Sign[] =>
  of.map((ends) => ({ key: 'haystack.component.type', ends }));

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
    ...rows(
      'model',
      MLFLOW,
    )([{ key: 'mlflow.llm.model' }, { key: 'mlflow.llm.cost' }, { key: 'mlflow.chat.tokenUsage' }]),
    ...rows('chat', ADK)([{ name: 'call_llm' }]),
    // Its tools carry both as well, as empty objects.
    ...rows('vendor', ADK)([{ key: 'gcp.vertex.agent.llm_request' }, { key: 'gcp.vertex.agent.llm_response' }]),
    ...rows('chat', LITELLM)([{ name: 'litellm_request' }, { name: 'raw_gen_ai_request' }]),
    ...rows('chat', 'Strands Agents 0.1 (src/strands/telemetry/tracer.py)')([{ name: 'Model invoke' }]),
    ...rows('agent', PYDANTIC)([{ name: 'agent run' }]),
    ...rows('tool', PYDANTIC)([{ name: 'running tool' }]),
    ...rows(
      'chat',
      LOGFIRE,
    )([
      { nameStarts: 'Chat Completion with' },
      { nameStarts: 'Responses API with' },
      { nameStarts: 'streaming response from' },
    ]),
    ...rows('embedding', LOGFIRE)([{ nameStarts: 'Embedding Creation with' }]),
    ...rows(
      'chat',
      KERNEL,
    )([
      { nameStarts: 'chat.completions' },
      { nameStarts: 'text.completions' },
      ...values('gen_ai.operation.name', 'chat.completions', 'text.completions'),
    ]),
    ...rows('chain', HAYSTACK)([{ name: 'haystack.pipeline.run' }]),
    ...rows('agent', HAYSTACK)([{ name: 'haystack.agent.run' }]),
    ...rows('tool', HAYSTACK)([{ name: 'haystack.agent.step.tool' }]),
    ...rows('chat', HAYSTACK)([{ name: 'haystack.agent.step.llm' }, ...component('Generator')]),
    ...rows('embedding', HAYSTACK)(component('Embedder')),
    ...rows('reranker', HAYSTACK)(component('Ranker')),
    ...rows('retrieval', HAYSTACK)(component('Retriever')),
  ],
};
