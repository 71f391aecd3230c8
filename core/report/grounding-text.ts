import { oneLine } from '../model/errors.js';
import type { GroundingReport } from '../model/report.js';

/**
 * The verdict as `grounding.txt` and `grounding lint` state it (contract 5), with a line feed at the end. Messages hold
 * untrusted text, so each is kept on one line; equal lines, as from a source cited twice, stand once.
 */
export function groundingText(report: GroundingReport): string {
  const mode = report.mode ?? 'unknown mode';
  if (report.passed)
    return `grounding: passed [${mode}] (${report.retrievals} retrieval, ${report.chats} chat spans)\n`;
  const lines = new Set(report.violations.map(({ rule, message }) => `  - ${rule}: ${oneLine(message)}`));
  return `${[`grounding: FAILED [${mode}]`, ...lines].join('\n')}\n`;
}
