import { type Dialect, type Row, rows } from './row.js';

const HTTP = 'OpenTelemetry HTTP conventions 1.2x, any instrumented client';
const A2A = 'A2A conventions (Development; semantic-conventions-genai 0.x, model/a2a)';
const LITELLM = 'LiteLLM 1.x (litellm/constants.py, openai_compatible_endpoints)';

/** Databases, in the old and the new keys of the conventions. */
const DATABASES = [
  { system: 'db.system', operation: 'db.operation', seen: 'OpenTelemetry database conventions 1.2x' },
  { system: 'db.system.name', operation: 'db.operation.name', seen: 'OpenTelemetry database conventions 1.30' },
] as const;
const QUERIES = ['query', 'search', 'select', 'find', 'similarity_search', 'retrieve'] as const;

/** What is known of a span by whom it talks to: databases, other agents, and hosts where models are served. */
export const WIRE: Dialect = {
  name: 'wire',
  rows: [
    ...DATABASES.flatMap(({ system, operation, seen }): readonly Row[] =>
      rows('retrieval', seen)(QUERIES.map((is) => ({ sign: { key: operation, is }, also: { key: system } }))),
    ),
    ...rows('delegate', A2A)([{ key: 'a2a.method.name' }, { key: 'a2a.task.id' }]),
    ...rows(
      'wire',
      HTTP,
    )([
      { host: 'api.openai.com' },
      { hostEnds: '.api.openai.com' },
      { host: 'api.anthropic.com' },
      { host: 'api.mistral.ai' },
      { host: 'api.cohere.com' },
      { host: 'api.cohere.ai' },
      { host: 'api.groq.com' },
      { host: 'api.together.xyz' },
      { host: 'api.deepseek.com' },
      { host: 'api.fireworks.ai' },
      { host: 'api.perplexity.ai' },
      { host: 'api.x.ai' },
      { host: 'openrouter.ai' },
      { host: 'router.huggingface.co' },
      { host: 'api-inference.huggingface.co' },
      { host: 'ai-gateway.vercel.sh' },
      { host: 'generativelanguage.googleapis.com' },
      { hostStarts: 'bedrock-runtime.' },
      { hostEnds: 'aiplatform.googleapis.com' },
      { hostEnds: '.openai.azure.com' },
      { hostEnds: '.services.ai.azure.com' },
      { hostEnds: '.inference.ai.azure.com' },
    ]),
    ...rows(
      'wire',
      LITELLM,
    )(
      [
        'api.endpoints.anyscale.com',
        'api.deepinfra.com',
        'codestral.mistral.ai',
        'integrate.api.nvidia.com',
        'app.empower.dev',
        'api.friendli.ai',
        'inference.friendli.ai',
        'api.sambanova.ai',
        'api.galadriel.ai',
        'api.llama.com',
        'api.featherless.ai',
        'inference.api.nscale.com',
        'api.studio.nebius.ai',
        'dashscope-intl.aliyuncs.com',
        'api.moonshot.ai',
        'api.v0.dev',
        'api.morphllm.com',
        'api.lambda.ai',
        'api.hyperbolic.xyz',
        'api.inference.wandb.ai',
        'api.clarifai.com',
      ].map((host) => ({ host })),
    ),
    ...rows(
      'wire',
      'OpenTelemetry AWS SDK conventions 1.2x',
    )([
      { key: 'rpc.service', is: 'BedrockRuntime' },
      { key: 'rpc.service', is: 'Bedrock Runtime' },
    ]),
  ],
};
