import { oneLine } from '../model/errors.js';
import type { SourcesReport } from '../model/report.js';
import { unresolvedText } from './verdict-json.js';

/**
 * The verdict of the source check as sources.txt and `grounding verify` state it (contract 6), with a line feed at the
 * end. Ids and messages hold untrusted text, so each is kept on one line; equal lines stand once.
 */
export function sourcesText(report: SourcesReport): string {
  const listed = report.unresolved.map((item) => oneLine(unresolvedText(item)));
  const reason = listed.length === 0 ? '' : ` (no independent copy: ${listed.join(', ')})`;
  const verdict = report.violations.length === 0 ? '' : '; FAILED';
  const head = `sources: ${report.verified} verified, ${report.unresolved.length} unresolved${reason}${verdict}`;
  const lines = new Set(report.violations.map(({ rule, message }) => `  - ${rule}: ${oneLine(message)}`));
  return `${[head, ...lines].join('\n')}\n`;
}
