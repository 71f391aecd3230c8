import { type Conclusion, code, type GateReport, messageOf } from '../core/index.js';
import type { Telling } from './sinks.js';
import type { RunnerFiles, Stop } from './world.js';

/** The Action's outputs as action.yml lists them: words and numbers of ours, and paths that we chose. */
export const OUTPUTS = [
  'conclusion',
  'runs',
  'as-expected',
  'unexpected',
  'not-judged',
  'violations',
  'unresolved',
  'warnings',
  'report',
  'runs-dir',
  'artifact-id',
] as const;
type Output = (typeof OUTPUTS)[number];

/** What the outputs are made of; null where nothing was judged. */
export interface Outcome {
  readonly conclusion: Conclusion | Stop;
  readonly report: GateReport | null;
  readonly folder: string | null;
  readonly runs: string | null;
  readonly artifactId: string | null;
}

/** Sets every output; one that cannot be set is a sink that failed. */
export function tellOutputs({ world, notes }: Telling, outcome: Outcome): void {
  const values = outputsOf(outcome);
  for (const name of OUTPUTS) {
    try {
      world.runner.output(name, values[name]);
    } catch (error) {
      notes.add(`outputs: they cannot be written (${messageOf(error)})`);
      return;
    }
  }
}

/** Says why there was no job at all; where that cannot be written either, the log has it. */
export function tellNoJob(runner: RunnerFiles, reason: string): void {
  const outcome: Outcome = { conclusion: 'refused', report: null, folder: null, runs: null, artifactId: null };
  try {
    for (const [name, value] of Object.entries(outputsOf(outcome))) runner.output(name, value);
    runner.summary(`## ❌ no verdict\n\n${fence(reason)}\n`);
  } catch {
    // The error that is thrown next says everything.
  }
}

function outputsOf({ conclusion, report, folder, runs, artifactId }: Outcome): Record<Output, string> {
  const subjects = report?.subjects ?? [];
  const count = (states: readonly string[]): string =>
    report === null ? '' : String(subjects.filter(({ state }) => states.includes(state)).length);
  const findings = (wanted: (finding: GateReport['findings'][number]) => boolean): string =>
    report === null ? '' : String(report.findings.filter(wanted).length);
  return {
    conclusion,
    runs: report === null ? '' : String(subjects.length),
    'as-expected': count(['as-expected', 'passed']),
    unexpected: count(['unexpected', 'failed', 'tampered', 'unreadable', 'withheld']),
    'not-judged': count(['not-judged']),
    violations: findings(({ level }) => level === 'error'),
    unresolved: findings(({ rule }) => rule === 'unresolved'),
    warnings: findings(({ level }) => level === 'warning'),
    report: folder === null ? '' : `${folder}/report.json`,
    'runs-dir': runs ?? '',
    'artifact-id': artifactId ?? '',
  };
}

/** Longest list of what could not be told, in characters. */
const MOST_NOTES = 4_000;

/** What could not be told elsewhere, for the end of the summary; an answer of GitHub's is quoted, so that each line is a code span. */
export function summaryNotes(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const items: string[] = [];
  for (const line of lines) {
    const item = `- ${code(line)}\n`;
    if (items.join('').length + item.length <= MOST_NOTES) items.push(item);
  }
  return `\n### What could not be told elsewhere\n\nThe verdict stands all the same.\n\n${items.join('')}`;
}

/** Text between fences that nothing in it can close. */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}text\n${text}\n${marks}`;
}
