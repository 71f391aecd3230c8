import { type GateReport, verdictOf } from '../report/gate-report.js';
import type { SharedFormat } from '../report/render-report.js';
import type { Call } from './command.js';

/** What `--format` may name where a report is made (contract 9). */
export const REPORT_FORMATS = ['text', 'json', 'markdown', 'junit', 'sarif'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The format of a call's result. */
export function formatOf(call: Call): ReportFormat {
  return call.options.choice('format', REPORT_FORMATS) ?? 'text';
}

/** A report in a format that all commands share; the renderers are loaded when they are asked for. */
export async function sharedText(report: GateReport, format: SharedFormat): Promise<string> {
  const { renderReport } = await import('../report/render-report.js');
  return renderReport(report, { format, traces: await tracesFor(report, format) });
}

/** More timelines than a page has room for; reading a trace costs as much as judging it. */
const MOST_TRACES = 100;

/** Markdown draws the runs that are not in order; they are read back from where they were stored. */
async function tracesFor({ subjects, runsFolder }: GateReport, format: SharedFormat) {
  if (format !== 'markdown' || runsFolder === null) return new Map();
  const { readTraces } = await import('../runner/read-traces.js');
  const wanted = subjects.filter(({ state }) => verdictOf(state) === 'bad').flatMap(({ run }) => run ?? []);
  return readTraces(runsFolder, wanted.slice(0, MOST_TRACES));
}
