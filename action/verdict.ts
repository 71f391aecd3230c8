import {
  type Conclusion,
  concludeCheck,
  type Finding,
  type FindingLevel,
  type GateReport,
  inOrder,
  type SourcesReport,
  type Subject,
  violationFinding,
} from '../core/index.js';
import type { FailOn } from './inputs.js';

/** What decides beside the rules themselves. */
export interface VerdictPolicy {
  readonly failOn: ReadonlySet<FailOn>;
  /** Fingerprints of the baseline's errors; null when the verdict is not against a baseline. */
  readonly known: ReadonlySet<string> | null;
}

/** Faults that the configuration of the gate itself is open to: a baseline never excuses them. */
const NEVER_OLD: ReadonlySet<string> = new Set([
  'not-judged',
  'fixture-removed',
  'expectation-loosened',
  'registration-loosened',
]);

/**
 * The report under the policy of the inputs: which findings break the verdict, and the conclusion. Broken rules, runs that came to no
 * verdict, removed fixtures and loosened expectations always do; a report that judged nothing stays refused.
 */
export function underInputs(report: GateReport, policy: VerdictPolicy): GateReport {
  const broken = brokenRuns(report.findings);
  const idle = report.subjects.length > 0 && report.subjects.every(saidNothing);
  const findings = report.findings.map((finding) => ({
    ...finding,
    level: idle && finding.rule === 'unexpected' ? finding.level : levelOf(finding, { policy, broken }),
  }));
  return { ...report, findings: inOrder(findings), conclusion: concludeUnder(report.conclusion, findings) };
}

/**
 * A run that nobody expected to fail, and that failed before there was an answer to judge. When all of them did, nothing was judged, and no
 * input makes a pass of that.
 */
function saidNothing({ state, outcome }: Subject): boolean {
  return state === 'unexpected' && outcome !== null && outcome.problem !== null && UNANSWERED.has(outcome.problem);
}

const UNANSWERED: ReadonlySet<string> = new Set([
  'agent-error',
  'agent-not-permitted',
  'action-class-mismatch',
  'input-not-accepted',
]);

function concludeUnder(before: Conclusion, findings: readonly Finding[]): Conclusion {
  if (before === 'refused') return 'refused';
  return concludeCheck(!findings.some(({ level }) => level === 'error'));
}

/** Runs in which a rule was broken that nobody expected: what else differs in them belongs to that. */
function brokenRuns(findings: readonly Finding[]): ReadonlySet<string | null> {
  return new Set(findings.filter((one) => one.level === 'error' && isRule(one.rule)).map((one) => one.run));
}

interface Context {
  readonly policy: VerdictPolicy;
  readonly broken: ReadonlySet<string | null>;
}

function levelOf(finding: Finding, { policy, broken }: Context): FindingLevel {
  const level = levelByKind(finding, { policy, broken });
  const old = policy.known?.has(finding.fingerprint) === true && !NEVER_OLD.has(finding.rule);
  return level === 'error' && old ? 'warning' : level;
}

function levelByKind(finding: Finding, { policy, broken }: Context): FindingLevel {
  const { failOn } = policy;
  switch (finding.rule) {
    case 'unexpected':
      return failOn.has('unexpected') || broken.has(finding.run) ? finding.level : 'warning';
    case 'unresolved':
      return failOn.has('unresolved') ? 'error' : finding.level;
    case 'drift':
      return failOn.has('drift') ? 'error' : 'warning';
    case 'tampered':
      return failOn.has('tampered') ? finding.level : 'warning';
    default:
      return finding.level;
  }
}

function isRule(rule: Finding['rule']): boolean {
  return /^[A-Z][0-9]$/.test(rule);
}

/** What the pull request's own sources say against the runs that the base's let pass. */
export function headSourceFindings(
  report: GateReport,
  headSources: ReadonlyMap<string, SourcesReport>,
): readonly Finding[] {
  return report.subjects.flatMap(({ fixture, run, differences }) => {
    const sources = run === null ? undefined : headSources.get(run);
    if (sources === undefined || run === null) return [];
    const place = { file: fixture ?? '', line: null, column: null };
    const level = differences.length === 0 ? 'note' : 'error';
    return sources.violations.map((violation) => {
      const message = `under the sources of this change, ${violation.message}`;
      return violationFinding({ ...violation, message }, { level, run, fixture, place });
    });
  });
}
