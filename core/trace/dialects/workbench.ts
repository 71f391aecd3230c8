import { ATTRIBUTES, SPAN_NAMES } from '../names.js';
import { type Dialect, rows, values } from './row.js';

const SEEN = 'contract 4 (contract_version 0.7.0)';
const operation = (name: string) => [{ name }, ...values(ATTRIBUTES.operation, name)];

/** The names of contract 4, which the agent library of this package writes. */
export const WORKBENCH: Dialect = {
  name: 'workbench',
  rows: [
    ...rows('chat', SEEN)(operation(SPAN_NAMES.chat)),
    ...rows('retrieval', SEEN)(operation(SPAN_NAMES.retrieval)),
    ...rows('delegate', SEEN)(operation(SPAN_NAMES.delegate)),
    ...rows('tool', SEEN)(operation(SPAN_NAMES.executeTool)),
    ...rows('gate', SEEN)(operation(SPAN_NAMES.policyGate)),
    ...rows('agent', SEEN)(values(ATTRIBUTES.operation, SPAN_NAMES.root)),
    ...rows(
      'writes',
      SEEN,
    )([{ key: ATTRIBUTES.modelId }, { key: ATTRIBUTES.inputTokens }, { key: ATTRIBUTES.outputTokens }]).map((row) => ({
      ...row,
      offRoot: true as const,
    })),
  ],
};
