import { oneLine } from '../model/errors.js';
import type { SourcesReport } from '../model/report.js';
import { stateOf } from './build-report.js';
import type { FixtureState } from './conclusion.js';
import type { Palette } from './palette.js';
import type { JudgedRun, RunRow } from './run-report.js';
import type { Cell } from './table.js';

/** The columns of the table. */
export const HEADINGS = ['result', 'fixture', 'agent', 'mode', 'outcome', 'grounding', 'sources', 'tokens', 'time'];

/** What became of a row, in a word. */
export const STATE_WORDS = {
  'as-expected': 'ok',
  unexpected: 'FAILED',
  'not-judged': 'NOT JUDGED',
} as const satisfies Record<FixtureState, string>;

/** How the cells of a row are worded and painted; `short` leaves reasons to the lines below the table. */
export interface CellStyle {
  readonly palette: Palette;
  readonly detail: 'full' | 'short';
}

/** The cells of a row, in the order of `HEADINGS`. */
export function cellsOf(row: RunRow, style: CellStyle): readonly Cell[] {
  const state = stateOf(row);
  const head: readonly Cell[] = [
    { text: STATE_WORDS[state], paint: statePaint(state, style.palette) },
    { text: fixtureName(row) },
    { text: oneLine(row.agentId) },
  ];
  if (row.result.kind === 'unjudged')
    return [...head, ...Array.from({ length: 6 }, (): Cell => ({ text: '-', paint: style.palette.quiet }))];
  const run = row.result;
  return [
    ...head,
    { text: run.mode ?? 'unknown' },
    { text: style.detail === 'full' ? outcomeText(run) : run.outcome.status },
    groundingCell(run, style.palette),
    sourcesCell(run, style.palette),
    { text: tokensText(run), align: 'right' },
    { text: timeText(run), align: 'right' },
  ];
}

/** The paint of a row's state. */
export function statePaint(state: FixtureState, palette: Palette): Palette['good'] {
  if (state === 'as-expected') return palette.good;
  return state === 'unexpected' ? palette.bad : palette.doubtful;
}

/** A fixture's path, with which of its repeats the row is. */
export function fixtureName(row: RunRow): string {
  const { index, of } = row.repeat;
  return oneLine(row.fixture) + (of > 1 ? ` (${index}/${of})` : '');
}

/** A status with its reason or problem. */
export function outcomeText({ outcome }: JudgedRun): string {
  const why = outcome.problem ?? outcome.reasonCode;
  return why === null ? outcome.status : `${outcome.status} (${why})`;
}

function groundingCell({ grounding }: JudgedRun, palette: Palette): Cell {
  if (grounding.passed) return { text: 'passed', paint: palette.good };
  return { text: `FAILED ${grounding.rules.join(' ')}`, paint: palette.bad };
}

function sourcesCell({ sources }: JudgedRun, palette: Palette): Cell {
  const counts = countsText(sources);
  if (!sources.passed)
    return {
      text: `FAILED ${sources.rules.join(' ')}`.trimEnd() + (counts === '-' ? '' : ` (${counts})`),
      paint: palette.bad,
    };
  if (counts === '-') return { text: counts };
  return { text: counts, paint: sources.unresolved.length > 0 ? palette.doubtful : palette.good };
}

function countsText(sources: SourcesReport): string {
  const parts = [
    ...(sources.verified > 0 ? [`${sources.verified} verified`] : []),
    ...(sources.unresolved.length > 0 ? [`${sources.unresolved.length} unresolved`] : []),
  ];
  return parts.length === 0 ? '-' : parts.join(', ');
}

function tokensText({ tokens }: JudgedRun): string {
  return tokens === null ? '-' : `${tokens.input ?? '?'}+${tokens.output ?? '?'}`;
}

/** What a replay took says nothing of the agent. */
function timeText({ milliseconds, replayed }: JudgedRun): string {
  if (replayed) return 'replayed';
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
