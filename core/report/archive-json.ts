import type { Composable } from '../json/index.js';
import { oneLine } from '../model/errors.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { groundingJson, sourcesJson } from './verdict-json.js';

/** Members of drift that stand beside a verdict when it was compared with an earlier one. */
export interface VerdictNote {
  /** How the run stands to the report before. */
  readonly kind?: 'new' | 'still' | 'healed' | 'unchanged';
  /** When the run was first seen failing, RFC 3339; null when that was before anybody wrote it down. */
  readonly failingSince?: string | null;
}

/**
 * One verdict as one line of JSON with a line feed (contract 9). Members beyond those of the contract stand there only when
 * they have something to say. Safe on a terminal, as `jsonText` is. All of it is our
 * own plain data, which needs no writer that keeps lexemes.
 */
export function verdictLine(verdict: StoredRunVerdict, note: VerdictNote = {}): string {
  return `${oneLine(JSON.stringify(verdictJson(verdict, note)))}\n`;
}

function verdictJson(verdict: StoredRunVerdict, { kind, failingSince }: VerdictNote): Composable {
  const { grounding, sources, tampering, absent } = verdict;
  return {
    run: verdict.run,
    passed: verdict.state === 'passed',
    state: verdict.state,
    grounding: grounding && groundingJson(grounding),
    sources: sources && sourcesJson(sources),
    error: verdict.error,
    tampering: tampering.length === 0 ? undefined : tampering.map(({ test, message }) => ({ test, message })),
    absent: absent.length === 0 ? undefined : absent,
    sources_drift: verdict.sourcesDrift ? true : undefined,
    sealed: verdict.sealed ?? undefined,
    drift: kind === 'unchanged' ? undefined : kind,
    failing_since: failingSince,
  };
}
