import { oneLine } from '../model/errors.js';
import type { GroundingReport } from '../model/report.js';
import { witnessLine } from './witness-line.js';

/**
 * The verdict as `grounding.txt` and `grounding lint` state it (contract 5), with a line feed at the end. Messages hold
 * untrusted text, so each is kept on one line; equal lines, as from a source cited twice, stand once. Where the run had to be
 * witnessed, a last line says what was.
 */
export function groundingText(report: GroundingReport): string {
  const mode = report.mode ?? 'unknown mode';
  const witness = report.witness?.required === true ? [witnessLine(report.witness, report.isolated)] : [];
  if (report.passed)
    return textOf([
      `grounding: passed [${mode}] (${report.retrievals} retrieval, ${report.chats} chat spans)`,
      ...witness,
    ]);
  const lines = new Set(report.violations.map(({ rule, message }) => `  - ${rule}: ${oneLine(message)}`));
  return textOf([`grounding: FAILED [${mode}]`, ...lines, ...witness]);
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
