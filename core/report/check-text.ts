import { annotationsOf } from './annotations.js';
import type { GateReport } from './gate-report.js';
import { CHECK_BUDGET, type MarkdownOptions, renderMarkdown } from './markdown.js';

/** More requests would meet GitHub's secondary limits on writes, and nobody reads a thousand annotations. */
export const MOST_ANNOTATIONS = 1_000;

/** The title of a check: our own words and counts only, so that it is a line of its own everywhere. */
export function checkTitle({ conclusion, findings, subjects }: GateReport): string {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const runs = `${subjects.length} ${subjects.length === 1 ? 'run' : 'runs'}`;
  if (conclusion === 'passed') return subjects.length === 0 ? 'nothing to judge' : `${runs} in order`;
  return `${errors} ${errors === 1 ? 'fault' : 'faults'} in ${runs}`;
}

/** The summary of a check: the report, and how many of its annotations are shown when not all of them are. */
export function checkSummary(report: GateReport, options: Omit<MarkdownOptions, 'budget' | 'marker'>): string {
  const { of } = annotationsOf(report.findings);
  if (of <= MOST_ANNOTATIONS) return renderMarkdown(report, { ...options, budget: CHECK_BUDGET });
  const note = `_${MOST_ANNOTATIONS} of ${of} annotations are shown on the files._\n\n`;
  const budget = { ...CHECK_BUDGET, limit: CHECK_BUDGET.limit - Buffer.byteLength(note) };
  return note + renderMarkdown(report, { ...options, budget });
}
