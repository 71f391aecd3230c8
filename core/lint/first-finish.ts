import type { TraceTree } from './trace-tree.js';

/**
 * When the first judged retrieval ended, from which on G1 lets a model be asked; undefined when none did. One that lacks
 * id or hash counts; one with status ERROR, or that may be no retrieval, does not (contract 5).
 */
export function firstFinish({ retrievals }: Pick<TraceTree, 'retrievals'>): bigint | undefined {
  let first: bigint | undefined;
  for (const { failed, end, recognition } of retrievals) {
    if (failed || recognition.conflict !== null || end === null) continue;
    if (first === undefined || end < first) first = end;
  }
  return first;
}
