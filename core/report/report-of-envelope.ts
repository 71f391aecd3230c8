import type { GroundingReport, SourcesReport, UnresolvedPolicy } from '../model/report.js';
import type { Violation } from '../model/violation.js';
import { type Conclusion, concludeCheck } from './conclusion.js';
import { doubtFindings } from './doubt-findings.js';
import type { Finding, FindingPlace } from './finding.js';
import type { GateReport, Subject } from './gate-report.js';
import { inOrder, violationFinding } from './make-finding.js';
import { unresolvedFindings } from './unresolved-findings.js';

/** What `grounding lint` found out about the run whose envelope is `file`. */
export function reportOfLint(grounding: GroundingReport, file: string): GateReport {
  const findings = [
    ...violationFindings(grounding.violations, file),
    ...doubtFindings(grounding, { placeOf: ({ place }) => place ?? wholeFile(file), run: file, fixture: null }),
  ];
  const conclusion = concludeCheck(grounding.passed);
  return reportOf({ command: 'lint', conclusion, file, findings, unresolvedPolicy: null, grounding, sources: null });
}

/** What `grounding verify` found out about the envelope `file`; `--unresolved` has been applied to the report. */
export function reportOfVerify(
  sources: SourcesReport,
  told: { readonly file: string; readonly unresolved: UnresolvedPolicy; readonly notices: readonly string[] },
): GateReport {
  const { file, unresolved, notices } = told;
  const findings = [
    ...violationFindings(sources.violations, file),
    ...unresolvedFindings(sources, { place: wholeFile(file), run: file, fixture: null, policy: unresolved }),
  ];
  const conclusion = concludeCheck(sources.passed);
  const facts = { conclusion, file, findings, unresolvedPolicy: unresolved, grounding: null, sources };
  return { ...reportOf({ command: 'verify', ...facts }), notices };
}

interface Judged extends Pick<GateReport, 'command' | 'findings' | 'unresolvedPolicy'> {
  readonly conclusion: Conclusion;
  readonly file: string;
  readonly grounding: GroundingReport | null;
  readonly sources: SourcesReport | null;
}

function reportOf({ command, conclusion, file, findings, unresolvedPolicy, grounding, sources }: Judged): GateReport {
  return {
    command,
    conclusion,
    policyBundleRef: null,
    runsFolder: null,
    unresolvedPolicy,
    subjects: [
      { ...NOTHING_KNOWN, run: file, state: conclusion === 'passed' ? 'passed' : 'failed', grounding, sources },
    ],
    findings: inOrder(findings),
    notices: [],
  };
}

const NOTHING_KNOWN = {
  fixture: null,
  agentId: null,
  repeat: { index: 1, of: 1 },
  error: null,
  differences: [],
  mode: null,
  outcome: null,
  tokens: null,
  milliseconds: null,
  derivations: [],
} as const satisfies Partial<Subject>;

function violationFindings(violations: readonly Violation[], file: string): readonly Finding[] {
  return violations.map((violation) =>
    violationFinding(violation, {
      level: 'error',
      run: file,
      fixture: null,
      place: violation.place ?? wholeFile(file),
    }),
  );
}

function wholeFile(file: string): FindingPlace {
  return { file, line: null, column: null };
}
