import { availableParallelism } from 'node:os';

/** Number of processor cores that this process may use, at least 1. */
export function coreCount(): number {
  return availableParallelism();
}
