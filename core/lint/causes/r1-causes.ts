import type { RuleCause } from '../../model/rule-page.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';

/** What breaks R1 in other words than ours. */
export const R1_CAUSES: readonly RuleCause[] = [
  {
    title: 'a retrieval by another name',
    text: 'Whatever the dialects know as a retrieval counts: retriever spans of OpenInference, LangChain, LlamaIndex and others, spans that list documents, queries of a database (`db.system` with a reading operation), and a tool that is a data store. It need not name what it fetched.',
    passes: exampleRun({
      caption: 'A tool that is no data store.',
      mode: 'input_only',
      steps: [{ name: 'execute_tool parse', attributes: { 'gen_ai.tool.type': 'function' } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'A query of a database.',
      mode: 'input_only',
      steps: [{ name: 'pinecone.query', attributes: { 'db.system': 'pinecone', 'db.operation': 'query' } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
];
