import { oneLine } from '../model/errors.js';
import type { GroundingReport, SourcesReport } from '../model/report.js';
import type { Violation } from '../model/violation.js';
import { type Draft, failedDraft } from './draft.js';

/** The two verdicts on a draft, and the run that they are of. */
export interface Verdicts {
  readonly grounding: GroundingReport;
  readonly sources: SourcesReport;
  readonly invocationId: string;
}

/**
 * Takes payload and evidence off a draft that broke any rule; the same draft when it broke none. A run that `succeeded`
 * becomes `failed` and says which check failed and every violation; another status keeps its outcome and problem (contract 7).
 */
export function withhold(draft: Draft, { grounding, sources, invocationId }: Verdicts): Draft {
  const said = [
    ...checkText('the grounding linter', grounding.violations),
    ...checkText('the source check', sources.violations),
  ];
  if (said.length === 0) return draft;
  if (draft.status === 'succeeded')
    return failedDraft('grounding-violation', { detail: `withheld: ${said.join('. ')}`, invocationId, keep: draft });
  if (draft.findings === undefined) return draft;
  return { ...draft, findings: { result: draft.findings.result } };
}

function checkText(check: string, violations: readonly Violation[]): string[] {
  if (violations.length === 0) return [];
  const lines = new Set(violations.map(({ rule, message }) => `${rule}: ${oneLine(message)}`));
  return [`${check} failed: ${[...lines].join('; ')}`];
}
