import type { SourcesReport } from '../model/report.js';
import type { Section } from './fit-sections.js';
import { type GateReport, type Subject, verdictOf } from './gate-report.js';
import { cellCode } from './markdown-text.js';

/** One row a run, in the order of the report, with what it took. */
export function runTable({ subjects, command }: GateReport): Section {
  const what = command === 'run' ? 'Fixture' : 'Run';
  const head = [
    '### Runs',
    '',
    `| Result | ${what} | Agent | Outcome | Grounding | Sources | Tokens in + out | Time |`,
    '|---|---|---|---|---|---|--:|--:|',
  ].join('\n');
  // A table ends at the first blank line, so that its head is part of the first row.
  const items = subjects.map((subject, at) => `${at === 0 ? `${head}\n` : ''}${rowOf(subject)}`);
  const total = subjects.length > 1 && command === 'run' ? [totalRow(subjects)] : [];
  return { head: '', items: [...items, ...total], separator: '\n', what: 'rows', priority: 2, share: 0.5 };
}

const MARKS = { good: '✅', bad: '❌', doubtful: '⚠️' } as const;

function rowOf(subject: Subject): string {
  const { state, agentId, outcome, grounding, sources } = subject;
  const cells = [
    `${MARKS[verdictOf(state)]} ${state.replaceAll('-', ' ')}`,
    subjectName(subject),
    agentId === null ? '' : cellCode(agentId),
    outcome === null ? '' : [outcome.status, outcome.problem ?? outcome.reasonCode ?? ''].join(' ').trim(),
    grounding === null ? '' : grounding.passed ? 'passed' : `FAILED ${grounding.rules.join(' ')}`,
    sources === null ? '' : sourcesCell(sources),
    tokensCell(subject),
    subject.milliseconds === null ? '' : seconds(subject.milliseconds),
  ];
  return `| ${cells.join(' | ')} |`;
}

function subjectName({ fixture, run, repeat }: Subject): string {
  const name = cellCode(fixture ?? run ?? '');
  return repeat.of > 1 ? `${name} ${repeat.index}/${repeat.of}` : name;
}

function sourcesCell({ passed, verified, unresolved, rules }: SourcesReport): string {
  const counts = [
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(unresolved.length > 0 ? [`${unresolved.length} unresolved`] : []),
  ].join(', ');
  if (passed) return counts;
  return `FAILED ${rules.join(' ')}`.trimEnd() + (counts === '' ? '' : ` (${counts})`);
}

function tokensCell({ tokens }: Subject): string {
  return tokens === null ? '' : `${number(tokens.input)} + ${number(tokens.output)}`;
}

function totalRow(subjects: readonly Subject[]): string {
  const sum = (of: (subject: Subject) => number | null | undefined): number =>
    subjects.reduce((total, subject) => total + (of(subject) ?? 0), 0);
  const tokens = `${number(sum(({ tokens }) => tokens?.input))} + ${number(sum(({ tokens }) => tokens?.output))}`;
  return `| **all** | | | | | | ${tokens} | ${seconds(sum(({ milliseconds }) => milliseconds))} |`;
}

function number(count: number | null): string {
  return count === null ? '?' : count.toLocaleString('en-US');
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
