import { assertNever } from '../model/assert-never.js';
import type { TimedSpan } from './gantt.js';
import type { GateReport } from './gate-report.js';
import { renderJunit } from './junit.js';
import { renderMarkdown, SUMMARY_BUDGET } from './markdown.js';
import { renderSarif } from './sarif.js';

/** The formats that every report has, whatever was judged. */
export const SHARED_FORMATS = ['markdown', 'junit', 'sarif'] as const;
export type SharedFormat = (typeof SHARED_FORMATS)[number];

/** A report in one of the formats that are the same for every command; Markdown fits a step's summary. */
export function renderReport(
  report: GateReport,
  told: { readonly format: SharedFormat; readonly traces?: ReadonlyMap<string, readonly TimedSpan[]> },
): string {
  const { format, traces = new Map() } = told;
  switch (format) {
    case 'markdown':
      return renderMarkdown(report, { budget: SUMMARY_BUDGET, traces });
    case 'junit':
      return renderJunit(report);
    case 'sarif':
      return renderSarif(report);
    default:
      return assertNever(format);
  }
}
