import type { GateReport, Span } from '../../core/index.js';

/** What a commit came to. */
export type Outcome =
  /** Findings are placed. */
  | { readonly kind: 'judged'; readonly report: GateReport; readonly traces: ReadonlyMap<string, readonly Span[]> }
  /** No file that has to be judged differs. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'awaited'; readonly what: string }
  | { readonly kind: 'missing'; readonly what: string; readonly remedy: string }
  /** The configuration was refused, or something failed before a verdict; one line. */
  | { readonly kind: 'refused'; readonly reason: string };

const RANKS = { nothing: 0, judged: 1, awaited: 2, missing: 3, refused: 4 } as const;

/** Where an outcome stands from good to bad; of several for one commit the worst is shown. */
export function rankOf(outcome: Outcome): number {
  if (outcome.kind !== 'judged') return RANKS[outcome.kind];
  return outcome.report.conclusion === 'passed' ? RANKS.judged : RANKS.refused + 1;
}
