import { type Dialect, rows, values } from './row.js';

const SEMCONV = 'OpenTelemetry GenAI conventions 1.41.1 (model/gen-ai/registry.yaml)';
const OLD = 'OpenTelemetry GenAI conventions 1.27 to 1.36 (model/gen-ai/deprecated)';
const NEW = 'OpenTelemetry GenAI conventions after 1.41 (semantic-conventions-genai 0.x, model/gen-ai/registry.yaml)';
const MCP = 'OpenTelemetry MCP conventions (semantic-conventions-genai 0.x, model/mcp/registry.yaml)';
const op = (...of: readonly string[]) => values('gen_ai.operation.name', ...of);
const named = (...of: readonly string[]) => of.map((nameStarts) => ({ nameStarts }));

/** The OpenTelemetry conventions for generative AI, old and new: `{operation} {model}` and `gen_ai.*`. */
export const GEN_AI: Dialect = {
  name: 'gen-ai',
  rows: [
    ...rows(
      'chat',
      SEMCONV,
    )([...op('chat', 'text_completion', 'generate_content'), ...named('chat', 'text_completion', 'generate_content')]),
    ...rows('chat', NEW)(op('plan')),
    ...rows('chat', 'LiveKit agents 1.x (its GenAIOperationName)')(op('fetch_response')),
    ...rows(
      'chat',
      MCP,
    )([{ key: 'mcp.method.name', is: 'sampling/createMessage' }, ...named('sampling/createMessage')]),
    ...rows(
      'chat',
      'OpenLLMetry 0.5x and other emitters with values of their own',
    )([...op('completion', 'generate', 'llm_request'), ...named('completion')]),
    ...rows('embedding', SEMCONV)([...op('embeddings'), ...named('embeddings')]),
    ...rows('embedding', 'Traceloop instrumentation-openai 0.27.0')(op('embedding')),
    ...rows('reranker', 'AI SDK telemetry bridges, 2026')([...op('rerank'), ...named('rerank')]),
    ...rows('retrieval', SEMCONV)([...op('retrieval'), ...named('retrieval'), { keyStarts: 'gen_ai.retrieval.' }]),
    ...rows('retrieval', NEW)([...op('search_memory'), ...named('search_memory'), { key: 'gen_ai.memory.query.text' }]),
    ...rows('retrieval', MCP)([{ key: 'mcp.method.name', is: 'resources/read' }, ...named('resources/read')]),
    ...rows('embedding', SEMCONV)([{ keyStarts: 'gen_ai.embeddings.' }]),
    ...rows(
      'retrieval',
      SEMCONV,
    )([
      {
        sign: { key: 'gen_ai.tool.type', is: 'datastore' },
        also: { key: 'gen_ai.operation.name', is: 'execute_tool' },
      },
      { sign: { key: 'gen_ai.tool.type', is: 'datastore' }, also: { nameStarts: 'execute_tool' } },
    ]),
    ...rows('tool', SEMCONV)([...op('execute_tool'), ...named('execute_tool')]),
    ...rows('tool', 'AI SDK telemetry bridges, 2026')(op('tool_call')),
    ...rows(
      'agent',
      SEMCONV,
    )([...op('invoke_agent', 'invoke_workflow'), { nameStarts: 'invoke_agent' }, { nameStarts: 'invoke_workflow' }]),
    ...rows('set-up', SEMCONV)([...op('create_agent'), ...named('create_agent')]),
    ...rows(
      'model',
      SEMCONV,
    )([
      { keyStarts: 'gen_ai.request.' },
      { key: 'gen_ai.input.messages' },
      { keyStarts: 'gen_ai.response.' },
      { keyStarts: 'gen_ai.usage.' },
    ]),
    ...rows('model', OLD)([{ keyStarts: 'gen_ai.prompt.0' }, { key: 'gen_ai.prompt' }]),
    ...rows(
      'told',
      OLD,
    )([
      { event: 'gen_ai.content.prompt' },
      { event: 'gen_ai.user.message' },
      { event: 'gen_ai.system.message' },
      { event: 'gen_ai.content.completion' },
      { event: 'gen_ai.choice' },
      { event: 'gen_ai.assistant.message' },
    ]),
    ...rows('told', SEMCONV)([{ event: 'gen_ai.client.inference.operation.details' }]),
    ...rows(
      'writes',
      SEMCONV,
    )([
      { key: 'gen_ai.output.messages' },
      { key: 'gen_ai.usage.output_tokens' },
      { key: 'gen_ai.response.finish_reasons' },
    ]),
    ...rows(
      'writes',
      OLD,
    )([{ keyStarts: 'gen_ai.completion.' }, { key: 'gen_ai.completion' }, { key: 'gen_ai.usage.completion_tokens' }]),
    ...rows('vendor', OLD)([{ key: 'gen_ai.system' }, { keyStarts: 'gen_ai.openai.' }]),
    ...rows(
      'vendor',
      SEMCONV,
    )([
      { key: 'gen_ai.provider.name' },
      { key: 'gen_ai.output.type' },
      { key: 'gen_ai.system_instructions' },
      { key: 'gen_ai.tool.definitions' },
      { keyStarts: 'openai.' },
    ]),
  ],
};
