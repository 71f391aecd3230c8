import type { StoredRunVerdict } from '../../core/model/stored-run.js';
import { PASSED, WITHHELD } from './make-report.js';

const JUDGED: StoredRunVerdict = {
  run: '0193b0f0-0000-7000-8000-000000000001',
  state: 'passed',
  grounding: PASSED.grounding,
  sources: PASSED.sources,
  error: null,
  tampering: [],
  absent: [],
  sourcesDrift: false,
  sealed: null,
};

/** One stored run of every state. */
export const ARCHIVE: readonly StoredRunVerdict[] = [
  JUDGED,
  {
    ...JUDGED,
    run: '0193b0f0-0000-7000-8000-000000000002',
    state: 'failed',
    sources: WITHHELD.sources,
    sourcesDrift: true,
    grounding: {
      ...WITHHELD.grounding,
      violations: WITHHELD.grounding.violations.map((violation) => ({
        ...violation,
        place: { file: '0193b0f0-0000-7000-8000-000000000002/envelope.json', line: 12, column: 9 },
      })),
    },
  },
  {
    ...JUDGED,
    run: '0193b0f0-0000-7000-8000-000000000003',
    state: 'tampered',
    error: 'the index line is another document',
    tampering: [{ test: 'index-differs', message: 'the index line is another document' }],
  },
  {
    ...JUDGED,
    run: '0193b0f0-0000-7000-8000-000000000004',
    state: 'unreadable',
    grounding: null,
    sources: null,
    error: '0193b0f0-0000-7000-8000-000000000004/spans.jsonl: no such file [input-missing]',
  },
  {
    ...JUDGED,
    run: '0193b0f0-0000-7000-8000-000000000005',
    state: 'withheld',
    grounding: WITHHELD.grounding,
    sources: { ...PASSED.sources, verified: 0 },
  },
];
