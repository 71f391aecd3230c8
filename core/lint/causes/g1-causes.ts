import type { RuleCause } from '../../model/rule-page.js';
import { exampleRun } from '../example-run.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };

/** What breaks G1 in other words than ours. */
export const G1_CAUSES: readonly RuleCause[] = [
  {
    title: 'model calls and retrievals of any emitter',
    text: 'Whatever the dialects know as a model call is judged as one, and whatever they know as a retrieval counts as one that finished first, whether or not it names what it fetched. Embedding, reranking, guardrail and evaluator spans may come first: a query is embedded before anything can be fetched with it.',
    passes: exampleRun({
      caption: 'The query is embedded, the retriever runs, then the model is asked.',
      mode: 'retrieval',
      steps: [
        { name: 'CreateEmbeddings', at: 5, attributes: { 'openinference.span.kind': 'EMBEDDING' } },
        { name: 'Retriever', at: 10, of: RECORD, attributes: { 'openinference.span.kind': 'RETRIEVER' } },
        { name: 'ChatCompletion', at: 20, attributes: { 'openinference.span.kind': 'LLM' } },
      ],
      cites: [RECORD],
    }),
    fails: exampleRun({
      caption: 'The model is asked, under another name than ours, before the retriever runs.',
      mode: 'retrieval',
      steps: [
        { name: 'openai.chat', at: 5, attributes: { 'llm.request.type': 'chat' } },
        { name: 'retrieval', at: 20, of: RECORD },
      ],
      cites: [RECORD],
    }),
  },
  {
    title: 'an agent that uses a model without showing the call',
    text: 'A nested agent whose span states a model or its usage, with no model call below it, called that model at some time between its start and its end. It must therefore start after a retrieval has finished. Record the calls as spans of their own.',
    passes: exampleRun({
      caption: 'The nested agent starts when the retrieval has ended.',
      mode: 'retrieval',
      steps: [
        { name: 'retrieval', at: 10, of: RECORD },
        { name: 'invoke_agent helper', at: 20, attributes: { 'gen_ai.usage.output_tokens': 9 } },
      ],
      cites: [RECORD],
    }),
    fails: exampleRun({
      caption: 'The nested agent starts before the retrieval.',
      mode: 'retrieval',
      steps: [
        { name: 'invoke_agent helper', at: 5, attributes: { 'gen_ai.usage.output_tokens': 9 } },
        { name: 'retrieval', at: 20, of: RECORD },
      ],
      cites: [RECORD],
    }),
  },
];
