import type { JsonNode } from '../json/index.js';
import { PROBLEM_BASE, PROBLEMS, type ProblemSlug, REASON_CODES, STATUSES } from '../model/outcome.js';
import type { ReportedOutcome } from './run-report.js';

/** How an envelope ended; null when it states none of the known statuses, as only one that we did not write can. */
export function readOutcome(envelope: JsonNode): ReportedOutcome | null {
  const outcome = envelope.get('outcome');
  const status = STATUSES.find((one) => one === outcome?.get('status')?.string());
  if (status === undefined) return null;
  const reason = outcome?.present('reason_code')?.string();
  return {
    status,
    reasonCode: REASON_CODES.find((one) => one === reason) ?? null,
    problem: problemOf(envelope),
    statement: outcome?.get('statement')?.string() ?? '',
  };
}

function problemOf(envelope: JsonNode): ProblemSlug | null {
  const type = envelope.present('problem')?.get('type')?.string();
  const slugs = Object.keys(PROBLEMS).filter((slug): slug is ProblemSlug => Object.hasOwn(PROBLEMS, slug));
  return slugs.find((slug) => type === `${PROBLEM_BASE}${slug}`) ?? null;
}
