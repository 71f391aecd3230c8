import { basisText } from './basis.js';
import type { Finding } from './finding.js';
import type { GateReport, Subject } from './gate-report.js';
import { outcomeText } from './outcome-text.js';
import { xmlAttributes, xmlText } from './xml.js';

/** Most findings that a test case lists; its failure says how many there are. */
const MAX_LISTED = 100;

/**
 * The report as JUnit XML: one test case a run. A run that did not end in order is a failure, one that nobody could judge
 * an error, a withheld one is skipped; warnings are output.
 */
export function renderJunit(report: GateReport): string {
  const byRun = findingsByRun(report.findings);
  const cases = report.subjects.map((subject) => ({ subject, findings: byRun.get(keyOf(subject)) ?? [] }));
  const count = (kind: Verdict['kind']): number => cases.filter(({ subject }) => verdict(subject).kind === kind).length;
  const totals = {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    time: seconds(report.subjects.reduce((sum, { milliseconds }) => sum + (milliseconds ?? 0), 0)),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${xmlAttributes({ name: 'grounding-gate', ...totals })}>`,
    `  <testsuite${xmlAttributes({ name: `grounding ${report.command}`, ...totals, skipped: count('skipped') })}>`,
    ...cases.map(caseXml),
    ...noticesXml(report.notices),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

interface Verdict {
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
}

function verdict({ state }: Subject): Verdict {
  if (state === 'as-expected' || state === 'passed') return { kind: 'passed' };
  if (state === 'not-judged' || state === 'unreadable') return { kind: 'error' };
  return { kind: state === 'withheld' ? 'skipped' : 'failure' };
}

function caseXml({ subject, findings }: { readonly subject: Subject; readonly findings: readonly Finding[] }): string {
  const { fixture, run, agentId, milliseconds, repeat } = subject;
  const name = `${fixture ?? run ?? ''}${repeat.of > 1 ? ` (${repeat.index}/${repeat.of})` : ''}`;
  const attributes = { name, classname: agentId ?? 'grounding', time: seconds(milliseconds ?? 0) };
  const inner = [...outcomeXml(subject, findings), ...outputXml(subject, findings)];
  if (inner.length === 0) return `    <testcase${xmlAttributes(attributes)}/>`;
  return [`    <testcase${xmlAttributes(attributes)}>`, ...inner, '    </testcase>'].join('\n');
}

function outcomeXml(subject: Subject, findings: readonly Finding[]): readonly string[] {
  const { kind } = verdict(subject);
  if (kind === 'passed') return [];
  if (kind === 'skipped') return ['      <skipped>withheld when it was stored</skipped>'];
  const faults = findings.filter(({ level }) => level === 'error');
  const first = faults[0]?.message ?? subject.error ?? subject.state;
  const type = [...new Set(faults.map(({ rule }) => rule))].join(' ') || subject.state;
  const text = [
    ...faults.slice(0, MAX_LISTED).map(faultText),
    ...moreText(faults.length),
    ...outcomeText(subject),
  ].join('\n');
  return [`      <${kind}${xmlAttributes({ type, message: first })}>${xmlText(text)}</${kind}>`];
}

function faultText({ rule, title, message, mend }: Finding): string {
  return `${rule}: ${oneXmlLine(message)}\n  rule: ${title}\n  mend: ${mend}`;
}

function moreText(count: number): readonly string[] {
  return count > MAX_LISTED ? [`${MAX_LISTED} of ${count} faults listed`] : [];
}

/** What is said of the whole, below its cases. */
function noticesXml(notices: readonly string[]): readonly string[] {
  return notices.length === 0 ? [] : [`    <system-out>${xmlText(notices.map(oneXmlLine).join('\n'))}</system-out>`];
}

/** What decides nothing: what the run rests on, and warnings. */
function outputXml(subject: Subject, findings: readonly Finding[]): readonly string[] {
  const basis = basisText(subject);
  const warnings = findings.filter(({ level }) => level === 'warning');
  const lines = [
    ...(subject.replayed ? ['replayed from a recording; no agent was called'] : []),
    ...(basis === null ? [] : [`basis: ${basis}`]),
    ...warnings.slice(0, MAX_LISTED).map(({ rule, message }) => `warning ${rule}: ${oneXmlLine(message)}`),
    ...moreText(warnings.length),
  ];
  return lines.length === 0 ? [] : [`      <system-out>${xmlText(lines.join('\n'))}</system-out>`];
}

/** A message must not look like the next line. */
function oneXmlLine(message: string): string {
  return message.replaceAll(/[\r\n]+/g, ' ');
}

/** Runs of a fixture by their id, a fixture that never ran by its path, a stored run by its folder. */
function keyOf({ run, fixture }: Pick<Subject, 'run' | 'fixture'>): string {
  return `${fixture ?? ''}\n${run ?? ''}`;
}

function findingsByRun(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const byRun = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = keyOf(finding);
    const known = byRun.get(key);
    if (known === undefined) byRun.set(key, [finding]);
    else known.push(finding);
  }
  return byRun;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
