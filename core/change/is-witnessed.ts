import type { StoredRunVerdict } from '../model/stored-run.js';

/** Whether a stored run was held to the rules W1 and W2. */
export function isWitnessed({ grounding }: StoredRunVerdict): boolean {
  return grounding?.witness?.required === true;
}
