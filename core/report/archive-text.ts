import { oneLine } from '../model/errors.js';
import { isBadState, RUN_STATES, type StoredRunVerdict } from '../model/stored-run.js';
import type { ArchiveSummary } from './archive-summary.js';
import type { Palette } from './palette.js';

/** A run that is bad, withheld, or rests on something absent, with what was found; nothing for one that simply passed. */
export function verdictText(verdict: StoredRunVerdict, palette: Palette): string {
  const lines = findingsOf(verdict);
  if (verdict.state === 'passed' && lines.length === 0) return '';
  const paint = isBadState(verdict.state) ? palette.bad : palette.doubtful;
  const state = verdict.state === 'passed' ? palette.good('passed') : paint(verdict.state);
  return `${palette.strong(lineStart(verdict.run))}: ${state}\n${lines.map((line) => `  - ${oneLine(line)}\n`).join('')}`;
}

/** A name at the start of a line, on one line; one that begins as a command of a workflow's log would be one there. */
function lineStart(name: string): string {
  return oneLine(name).replace(/^(\s*):(?=:)/u, '$1\\u003a');
}

function findingsOf(verdict: StoredRunVerdict): string[] {
  const { state, error, grounding, sources } = verdict;
  const lines: string[] = [];
  if (state === 'unreadable' && error !== null) lines.push(error);
  for (const { message } of verdict.tampering) lines.push(message);
  // What a withheld run broke is why nothing of it is shown; it was reported when it was made.
  if (state !== 'withheld') {
    for (const { rule, message } of grounding?.violations ?? []) lines.push(`${rule}: ${message}`);
    for (const { rule, message } of sources?.violations ?? []) lines.push(`${rule}: ${message}`);
  }
  if (sources?.passed === false && sources.violations.length === 0)
    lines.push(`${sources.unresolved.length} items of evidence are unresolved`);
  for (const id of verdict.absent) lines.push(`absent: the delegated run ${id} is neither stored nor in the index`);
  return lines.length < 2 ? lines : [...new Set(lines)];
}

/** The last lines: how many runs are what, and what was not looked at. */
export function summaryText(summary: ArchiveSummary, palette: Palette): string {
  const bad = RUN_STATES.some((state) => isBadState(state) && summary.states[state] > 0);
  const counts = [...RUN_STATES].reverse().filter((state) => summary.states[state] > 0);
  const parts = counts.map((state) => `${summary.states[state]} ${state}`);
  const notes = summaryNotes(summary);
  const paint = bad ? palette.bad : palette.good;
  const runs = `${summary.runs} ${summary.runs === 1 ? 'run' : 'runs'}`;
  const said = parts.length === 0 ? `${runs} in this shard` : `${runs}: ${parts.join(', ')}`;
  return `${paint(said)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}\n`;
}

/** What was not looked at, or not alone, and of how many runs. */
export function summaryNotes(summary: ArchiveSummary): readonly string[] {
  return [
    ...(summary.fromCache > 0 ? [`${summary.fromCache} taken from the cache`] : []),
    ...(summary.unresolved > 0 ? [`${summary.unresolved} with unresolved evidence`] : []),
    ...(summary.sourcesDrift > 0 ? [`${summary.sourcesDrift} with another sources.txt than today's`] : []),
    ...(summary.withAbsent > 0 ? [`${summary.withAbsent} with absent delegated runs`] : []),
    ...(summary.unsealed ? [`${summary.unsealed} unsealed`] : []),
  ];
}
