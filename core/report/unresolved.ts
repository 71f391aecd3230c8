import type { SourcesReport, UnresolvedPolicy } from '../model/report.js';

/**
 * The verdict of the source check as `--unresolved` sees it: under `fail` an unresolved item makes it fail, while its
 * rules, its violations and its text stay (contract 9).
 */
export function underPolicy(report: SourcesReport, policy: UnresolvedPolicy): SourcesReport {
  return policy === 'fail' && report.unresolved.length > 0 ? { ...report, passed: false } : report;
}
