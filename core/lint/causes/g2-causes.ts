import type { RuleCause } from '../../model/rule-page.js';
import { exampleRun } from '../example-run.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };

/** What of a retrieval of another emitter can be cited. */
export const G2_CAUSES: readonly RuleCause[] = [
  {
    title: 'retrievals of any emitter',
    text: 'A retrieval by another name than ours can be cited when it states a full pair: `dd.source_id` and `dd.content_hash`, or, for each document, its own id and a `content_hash` beside it, in the list `gen_ai.retrieval.documents` or in OpenInference’s `retrieval.documents.N.document.id` and `….content_hash` (or a `content_hash` in its metadata). An id alone, a hash alone, or the text of a document is no pair: nothing ties it to a version.',
    passes: exampleRun({
      caption: 'The retriever states the id and the hash of the document that is cited.',
      mode: 'retrieval',
      steps: [
        {
          name: 'retrieval kb',
          attributes: {
            'gen_ai.operation.name': 'retrieval',
            'gen_ai.retrieval.documents': JSON.stringify([{ id: RECORD.sourceId, content_hash: RECORD.contentHash }]),
          },
        },
      ],
      cites: [RECORD],
    }),
    fails: exampleRun({
      caption: 'The retriever states the id of the document only.',
      mode: 'retrieval',
      steps: [
        {
          name: 'VectorStoreRetriever',
          attributes: {
            'openinference.span.kind': 'RETRIEVER',
            'retrieval.documents.0.document.id': RECORD.sourceId,
          },
        },
      ],
      cites: [RECORD],
    }),
  },
];
