import { oneLine } from '../model/errors.js';
import { basisText } from './basis.js';
import { stateOf } from './build-report.js';
import { type Palette, paletteOf } from './palette.js';
import { cellsOf, fixtureName, HEADINGS, outcomeText, STATE_WORDS, statePaint } from './run-cells.js';
import type { JudgedRun, RunReport, RunRow } from './run-report.js';
import { type Cell, renderTable, tableWidth, wrapPieces } from './table.js';
import { unresolvedText } from './verdict-json.js';

/** Where the text goes: the width of the terminal (null for a pipe or a file, which take any), and whether it shows colour. */
export interface TextSurface {
  readonly columns: number | null;
  readonly colour: boolean;
}

/** The report of `grounding run` for people: a table in fixture order, what did not go as expected, the sum. */
export function renderRunText(report: RunReport, surface: TextSurface): string {
  const palette = paletteOf(surface.colour);
  const parts = [
    tableText(report, { palette, columns: surface.columns }),
    troubleText(report, palette),
    mendText(report),
    unresolvedLines(report, palette),
    basisLines(report, palette),
    derivationText(report, palette),
    sumText(report, palette),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The widest form that fits: a full table, one with bare statuses, or a few lines a run. */
function tableText(
  report: RunReport,
  { palette, columns }: { readonly palette: Palette; readonly columns: number | null },
): string {
  if (report.rows.length === 0) return '';
  for (const detail of ['full', 'short'] as const) {
    const heading = HEADINGS.map((text): Cell => ({ text, paint: palette.strong }));
    const rows = [heading, ...report.rows.map((row) => cellsOf(row, { palette, detail }))];
    if (columns === null || tableWidth(rows) <= columns) return renderTable(rows);
  }
  return report.rows.map((row) => stackedText(row, { palette, columns: columns ?? 80 })).join('');
}

function stackedText(
  row: RunRow,
  { palette, columns }: { readonly palette: Palette; readonly columns: number },
): string {
  const [state, fixture, agent, mode, , grounding, sources, tokens, time] = cellsOf(row, { palette, detail: 'full' });
  const paint = state?.paint ?? ((text: string) => text);
  const first = `${paint(state?.text ?? '')}  ${fixture?.text ?? ''}\n`;
  if (row.result.kind === 'unjudged')
    return first + wrapPieces([agent?.text ?? ''], { indent: '  ', separator: ', ', columns });
  // What there is nothing to say of takes no room on a narrow terminal.
  const labelled = (label: string, text = '-'): readonly string[] => (text === '-' ? [] : [`${label} ${text}`]);
  const pieces = [
    agent?.text ?? '',
    mode?.text ?? '',
    outcomeText(row.result),
    ...labelled('grounding', grounding?.text),
    ...labelled('sources', sources?.text),
    ...labelled('tokens', tokens?.text),
    time?.text ?? '',
  ];
  return first + wrapPieces(pieces, { indent: '  ', separator: ' | ', columns });
}

/** Every row that is not as expected, with what broke, so that the table alone need not be enough. */
function troubleText(report: RunReport, palette: Palette): string {
  return report.rows
    .filter((row) => stateOf(row) !== 'as-expected')
    .map((row) => {
      const state = stateOf(row);
      const lines = row.result.kind === 'unjudged' ? [row.result.reason] : troubleLines(row.result);
      return `${statePaint(state, palette)(STATE_WORDS[state])} ${fixtureName(row)}\n${lines.map((line) => `  - ${oneLine(line)}\n`).join('')}`;
    })
    .join('');
}

function troubleLines(run: JudgedRun): readonly string[] {
  const violations = [...run.grounding.violations, ...run.sources.violations].map(
    (one) => `${one.rule}: ${one.message}`,
  );
  // The statement of a withheld run repeats the violations.
  const statement = run.outcome.status === 'failed' && violations.length === 0 ? [run.outcome.statement] : [];
  return [...run.differences, ...violations, ...statement, `stored as ${run.invocationId}`];
}

/** Where to read how to mend what broke, for the rows that are not as expected. */
function mendText(report: RunReport): string {
  const rules = report.rows.flatMap((row) =>
    row.result.kind === 'judged' && stateOf(row) !== 'as-expected'
      ? [...row.result.grounding.rules, ...row.result.sources.rules]
      : [],
  );
  if (rules.length === 0) return '';
  return `how to mend it: ${[...new Set(rules)].map((rule) => `grounding explain ${rule}`).join(', ')}\n`;
}

/** Under `warn`, what no pinned copy covers is listed; `allow` leaves it to the counts, `fail` has failed already. */
function unresolvedLines(report: RunReport, palette: Palette): string {
  if (report.unresolvedPolicy !== 'warn') return '';
  const items = report.rows.flatMap((row) => (row.result.kind === 'judged' ? row.result.sources.unresolved : []));
  const names = [...new Set(items.map((item) => oneLine(unresolvedText(item))))];
  if (names.length === 0) return '';
  return `${palette.doubtful('unresolved')}, no pinned copy covers:\n${names.map((name) => `  - ${name}\n`).join('')}`;
}

/** What runs with witnesses rest on; of any other the table says all there is. */
function basisLines(report: RunReport, palette: Palette): string {
  const lines = report.rows.flatMap((row) => {
    const text = row.result.kind === 'judged' ? basisText(row.result) : null;
    return text === null ? [] : [`  - ${fixtureName(row)}: ${text}\n`];
  });
  if (lines.length === 0) return '';
  return `${palette.strong('basis')} (witnessed is what the conductor saw itself):\n${lines.join('')}`;
}

function derivationText(report: RunReport, palette: Palette): string {
  const lines = report.rows.flatMap((row) =>
    row.result.kind === 'judged'
      ? row.result.derivations.map((one) => `  - ${oneLine(`${row.agentId} ${one.field}: ${one.how}`)}\n`)
      : [],
  );
  if (lines.length === 0) return '';
  return `${palette.strong('derivations')} (declared, not checked):\n${[...new Set(lines)].join('')}`;
}

function sumText(report: RunReport, palette: Palette): string {
  const { counts } = report;
  const paint = { passed: palette.good, failed: palette.bad, refused: palette.bad }[report.conclusion];
  const parts = [
    `${counts['as-expected']} as expected`,
    ...(counts.unexpected > 0 ? [`${counts.unexpected} not as expected`] : []),
    ...(counts['not-judged'] > 0 ? [`${counts['not-judged']} not judged`] : []),
  ];
  const runs = `${report.rows.length} ${report.rows.length === 1 ? 'run' : 'runs'}`;
  const notices = report.notices.map((notice) => `${palette.doubtful('note')}: ${oneLine(notice)}\n`).join('');
  return `${notices}${paint(`${runs}: ${parts.join(', ')}`)} (${oneLine(report.policyBundleRef)}, stored in ${oneLine(report.runsFolder)})\n`;
}
