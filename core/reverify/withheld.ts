import type { JsonNode } from '../json/index.js';
import { PROBLEM_BASE } from '../model/outcome.js';
import type { RunContents } from '../store/index.js';
import { firstLineOf } from './texts.js';

const WITHHELD = `${PROBLEM_BASE}grounding-violation`;

/**
 * Whether a run was withheld when it was made (contracts 9 and 10): its envelope is a grounding-violation, or its texts
 * say FAILED. Either way it shows nothing: one that keeps a payload or evidence was not withheld, whatever it says.
 */
export function isWithheld(envelope: JsonNode, { grounding, sources }: RunContents): boolean {
  if (showsSomething(envelope)) return false;
  if (callsItselfViolation(envelope)) return true;
  return saysFailed(grounding) || saysFailed(sources);
}

/** Whether the envelope says that a rule was broken; such a run never counts as passed, even if nothing is found now (contract 9). */
export function callsItselfViolation(envelope: JsonNode): boolean {
  return envelope.get('problem')?.get('type')?.string() === WITHHELD;
}

/** A null member counts as absent (contract 3), and an empty list of evidence shows nothing. */
function showsSomething(envelope: JsonNode): boolean {
  if (envelope.present('payload') !== undefined) return true;
  const evidence = envelope.present('evidence');
  return evidence !== undefined && !(evidence.kind === 'array' && evidence.size === 0);
}

function saysFailed(text: Uint8Array | undefined): boolean {
  return text !== undefined && firstLineOf(text).includes('FAILED');
}
