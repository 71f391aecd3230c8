import type { Section } from './fit-sections.js';
import { type GateReport, type Subject, verdictOf } from './gate-report.js';
import { cellCode } from './markdown-text.js';

/** A column that the width of a comment has room for. */
interface Column {
  readonly heading: string;
  readonly align?: 'right';
  readonly cell: (subject: Subject) => string;
  readonly total?: (subjects: readonly Subject[]) => string;
}

/** One row a run, in the order of the report; a fixture's run with what it took. */
export function runTable({ subjects, command }: GateReport): Section {
  const columns = command === 'run' ? FIXTURE_COLUMNS : RUN_COLUMNS;
  const head = [
    '### Runs',
    '',
    line(columns.map(({ heading }) => heading)),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
  ].join('\n');
  const rows = subjects.map((subject) => line(columns.map(({ cell }) => cell(subject))));
  const total = subjects.length > 1 && command === 'run' ? [totalRow(columns, subjects)] : [];
  // A table ends at the first blank line, so that its head is part of the first row.
  const items = [...rows, ...total].map((row, at) => (at === 0 ? `${head}\n${row}` : row));
  return { head: '', items, separator: '\n', what: 'rows', priority: 2, share: 0.5 };
}

const MARKS = { good: '✅', bad: '❌', doubtful: '⚠️' } as const;

const RESULT: Column = {
  heading: 'Result',
  cell: ({ state }) => `${MARKS[verdictOf(state)]} ${state.replaceAll('-', ' ')}`,
};

const CHECKS: Column = { heading: 'Checks', cell: checksCell };

const RUN_COLUMNS: readonly Column[] = [
  RESULT,
  { heading: 'Run', cell: ({ run }) => (run === null ? '' : cellCode(run)) },
  CHECKS,
];

const FIXTURE_COLUMNS: readonly Column[] = [
  RESULT,
  { heading: 'Fixture, agent', cell: fixtureCell },
  { heading: 'Outcome, checks', cell: (subject) => lines([outcomeCell(subject), checksCell(subject)]) },
  {
    heading: 'Time, tokens in + out',
    align: 'right',
    cell: costCell,
    total: (all) =>
      costCell({
        ...(all.some(({ replayed }) => replayed) ? { replayed: true } : {}),
        milliseconds: sum(all, ({ milliseconds }) => milliseconds),
        tokens: all.some(({ tokens }) => tokens !== null)
          ? { input: sum(all, ({ tokens }) => tokens?.input), output: sum(all, ({ tokens }) => tokens?.output) }
          : null,
      }),
  },
];

function fixtureCell({ fixture, agentId, repeat }: Subject): string {
  const name = cellCode(fixture ?? '');
  const which = repeat.of > 1 ? ` ${repeat.index}/${repeat.of}` : '';
  return lines([`${name}${which}`, agentId === null ? '' : cellCode(agentId)]);
}

function outcomeCell({ outcome }: Subject): string {
  if (outcome === null) return '';
  const why = outcome.problem ?? outcome.reasonCode;
  return why === null ? outcome.status : `${outcome.status}: ${why}`;
}

/** A fixture may expect that its run is withheld: without saying so the words would alarm. */
function checksCell({ grounding, sources, state }: Subject): string {
  const broken = [...(grounding?.rules ?? []), ...(sources?.rules ?? [])];
  const expected = state === 'as-expected' ? ' (expected)' : '';
  const parts = [
    ...(broken.length > 0 ? [`broke ${broken.join(' ')}${expected}`] : grounding === null ? [] : ['passed']),
    ...(sources !== null && sources.verified > 0 ? [`${sources.verified} verified`] : []),
    ...(sources !== null && sources.unresolved.length > 0 ? [`${sources.unresolved.length} unresolved`] : []),
    ...witnessedParts(grounding),
  ];
  return parts.join(', ');
}

function witnessedParts(grounding: Subject['grounding']): readonly string[] {
  const isolation = grounding?.isolated === undefined ? [] : [`isolated: ${grounding.isolated}`];
  if (grounding?.witness === undefined) return isolation;
  const { citations, chats } = grounding.witness;
  return [
    ...isolation,
    `${citations.witnessed} of ${citations.witnessed + citations.declared} citations witnessed`,
    ...(chats.witnessed > 0 ? [`${chats.witnessed} model ${chats.witnessed === 1 ? 'call' : 'calls'} witnessed`] : []),
  ];
}

function costCell({ milliseconds, tokens, replayed }: Pick<Subject, 'milliseconds' | 'tokens' | 'replayed'>): string {
  return lines([
    timeText(milliseconds, replayed),
    tokens === null ? '' : `${number(tokens.input)} + ${number(tokens.output)}`,
  ]);
}

/** What a replay took says nothing of the agent. */
function timeText(milliseconds: number | null, replayed: true | undefined): string {
  if (replayed) return 'replayed';
  return milliseconds === null ? '' : seconds(milliseconds);
}

/** A narrow table is one whose last column can be seen: what belongs together stands one above the other. */
function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('<br>');
}

function totalRow(columns: readonly Column[], subjects: readonly Subject[]): string {
  return line(columns.map(({ total }, at) => (at === 0 ? '**all**' : (total?.(subjects) ?? ''))));
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function sum(subjects: readonly Subject[], of: (subject: Subject) => number | null | undefined): number {
  return subjects.reduce((total, subject) => total + (of(subject) ?? 0), 0);
}

function number(count: number | null): string {
  return count === null ? '?' : count.toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
