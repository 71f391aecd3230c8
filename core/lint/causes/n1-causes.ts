import type { RuleCause } from '../../model/rule-page.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';

const QUIET = exampleRun({
  caption: 'A step of the agent’s own that shows no sign of a model.',
  mode: 'none',
  steps: [{ name: 'apply rules', attributes: { 'rules.count': 12 } }],
  cites: [EXAMPLE_INPUT],
});

/** What breaks N1 in other words than ours. */
export const N1_CAUSES: readonly RuleCause[] = [
  {
    title: 'a model call by another name',
    text: 'A span is a model call when any sign says so: its name (`chat gpt-4o`, `openai.chat`, `ChatCompletion`, `ai.generateText.doGenerate`), the kind or operation that an attribute names, a model’s name, its usage or its messages among the attributes, or a request to a host where models are served. Events and links tell as much as the span that carries them, and a sign is known in any case, with characters that nobody sees and with letters that only look Latin. `grounding trace SPANS` says which sign it was.',
    passes: QUIET,
    fails: exampleRun({
      caption: 'The name says nothing; the attributes name a model and count what it wrote.',
      mode: 'none',
      steps: [{ name: 'step 4', attributes: { 'llm.model_name': 'gpt-4o', 'llm.token_count.completion': 80 } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a request to a model’s host that no model step makes',
    text: 'A request to a host where models are served belongs to the model call, embedding, reranking, guardrail, evaluation or retrieval above it. Anywhere else, below a delegation too, it is a model call of its own.',
    passes: exampleRun({
      caption: 'The delegation asks the conductor.',
      mode: 'none',
      steps: [
        { name: 'delegate' },
        {
          name: 'POST',
          kind: 'SpanKind.CLIENT',
          below: 1,
          at: 11,
          attributes: { 'server.address': 'conductor.example' },
        },
      ],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'What stands below the delegation asks a model.',
      mode: 'none',
      steps: [
        { name: 'delegate' },
        { name: 'POST', kind: 'SpanKind.CLIENT', below: 1, at: 11, attributes: { 'server.address': 'api.openai.com' } },
      ],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a model that does not answer in words',
    text: 'Embedding, reranking, guardrail and evaluator spans ask a model as well, and the making of an agent that names one does. What a model returns may change with its version: a run that promises fixed rules has none of them.',
    passes: QUIET,
    fails: exampleRun({
      caption: 'The agent had its input embedded.',
      mode: 'none',
      steps: [{ name: 'embeddings text-embedding-3-small', attributes: { 'gen_ai.operation.name': 'embeddings' } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'an agent that uses a model without showing the call',
    text: 'An agent span, the root or one below it (`invoke_agent helper`), may state a model or its usage. With no model call below it that would account for that, the call itself was kept out of the trace, and the statement stands for it.',
    passes: exampleRun({
      caption: 'A nested agent that states no model.',
      mode: 'none',
      steps: [{ name: 'invoke_agent helper', attributes: { 'gen_ai.operation.name': 'invoke_agent' } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'A nested agent that used a model somewhere.',
      mode: 'none',
      steps: [
        {
          name: 'invoke_agent helper',
          attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 300 },
        },
      ],
      cites: [EXAMPLE_INPUT],
    }),
  },
];
