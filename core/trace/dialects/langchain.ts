import { type Dialect, rows, values } from './row.js';

const NAMES = 'LangChain run names (langchain-core 0.3 to 1.x)';
const LANGSMITH = 'LangSmith OpenTelemetry export 0.4 (langsmith-sdk, python/langsmith/_internal/otel)';
const kind = (...of: readonly string[]) => values('langsmith.span.kind', ...of);
const named = (...of: readonly string[]) => of.map((name) => ({ name }));

/** LangChain: a run is named after its class, which the instrumentations pass on; LangSmith adds a kind. */
export const LANGCHAIN: Dialect = {
  name: 'langchain',
  rows: [
    ...rows(
      'chat',
      NAMES,
    )(
      named(
        'ChatOpenAI',
        'AzureChatOpenAI',
        'ChatAnthropic',
        'ChatGoogleGenerativeAI',
        'ChatVertexAI',
        'ChatBedrock',
        'ChatBedrockConverse',
        'ChatMistralAI',
        'ChatGroq',
        'ChatCohere',
        'ChatOllama',
        'ChatHuggingFace',
        'ChatDeepSeek',
        'ChatXAI',
        'FakeListChatModel',
      ),
    ),
    ...rows(
      'retrieval',
      NAMES,
    )(
      named(
        'VectorStoreRetriever',
        'MultiQueryRetriever',
        'EnsembleRetriever',
        'ParentDocumentRetriever',
        'ContextualCompressionRetriever',
        'SelfQueryRetriever',
      ),
    ),
    ...rows('chat', LANGSMITH)(kind('llm')),
    ...rows('embedding', LANGSMITH)(kind('embedding')),
    ...rows('retrieval', LANGSMITH)(kind('retriever')),
    ...rows('tool', LANGSMITH)(kind('tool')),
    ...rows('chain', LANGSMITH)(kind('chain', 'prompt', 'parser')),
  ],
};
