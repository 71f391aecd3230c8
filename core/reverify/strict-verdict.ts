import { type JsonNode, utf8Text } from '../json/index.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { verdictLine } from '../report/archive-json.js';
import { type DriftNote, readNote } from './drift-note.js';
import { readVerdict } from './read-verdict.js';

/** A row of a report as this version writes it. */
export interface StrictRow {
  readonly verdict: StoredRunVerdict;
  /** What the row says of an earlier report. */
  readonly note: Partial<DriftNote>;
}

/**
 * Reads a row that this very version wrote; undefined for one that would lose something when it is written again, and for a
 * verdict that contradicts what it rests on: neither can come from `reverify`.
 */
export function readStrictly(row: JsonNode, bytes: Uint8Array): StrictRow | undefined {
  const verdict = readVerdict(row);
  const note = readNote(row);
  if (verdict === undefined || note === undefined || !agreesWithItself(verdict)) return undefined;
  return verdictLine(verdict, note) === `${utf8Text(bytes)}\n` ? { verdict, note } : undefined;
}

function agreesWithItself({ state, grounding, sources, error, tampering }: StoredRunVerdict): boolean {
  const isBare = grounding === null && sources === null;
  if (state === 'unreadable') return isBare && error !== null;
  if (state === 'tampered') return tampering.length > 0 && (isBare || (grounding !== null && sources !== null));
  if (grounding === null || sources === null || tampering.length > 0) return false;
  if (grounding.passed !== (grounding.violations.length === 0)) return false;
  if (sources.passed && sources.violations.length > 0) return false;
  const holds = grounding.passed && sources.passed;
  return state === 'withheld' || holds === (state === 'passed');
}
