import type { UnresolvedPolicy } from '../model/report.js';
import { stateOf } from './build-report.js';
import { doubtFindings } from './doubt-findings.js';
import type { Finding, FindingPlace } from './finding.js';
import type { GateReport, Subject } from './gate-report.js';
import { inOrder, makeFinding, violationFinding } from './make-finding.js';
import type { RunReport, RunRow } from './run-report.js';
import { unresolvedFindings } from './unresolved-findings.js';

/** What `grounding run` found out, as every format tells it. */
export function reportOfRun(report: RunReport): GateReport {
  const { conclusion, policyBundleRef, runsFolder, unresolvedPolicy, notices } = report;
  return {
    command: 'run',
    conclusion,
    policyBundleRef,
    runsFolder,
    unresolvedPolicy,
    subjects: report.rows.map(subjectOf),
    findings: inOrder(report.rows.flatMap((row) => findingsOf(row, unresolvedPolicy))),
    notices,
  };
}

const UNJUDGED = {
  run: null,
  differences: [],
  mode: null,
  outcome: null,
  grounding: null,
  sources: null,
  tokens: null,
  milliseconds: null,
  derivations: [],
} as const;

function subjectOf(row: RunRow): Subject {
  const { fixture, agentId, repeat, result } = row;
  const head = { fixture, agentId, repeat, state: stateOf(row) };
  if (result.kind === 'unjudged') return { ...UNJUDGED, ...head, error: result.reason };
  const { kind: _, invocationId, ...judged } = result;
  return { ...judged, ...head, run: invocationId, error: null };
}

/** A withheld envelope is not stored as it was judged, so a reader is sent to the fixture. */
function findingsOf(row: RunRow, policy: UnresolvedPolicy): readonly Finding[] {
  const { fixture, result } = row;
  const place: FindingPlace = { file: fixture, line: null, column: null };
  if (result.kind === 'unjudged')
    return [makeFinding({ rule: 'not-judged', level: 'error', message: result.reason, place, fixture })];
  const told = { place, fixture, run: result.invocationId };
  const level = result.differences.length === 0 ? 'note' : 'error';
  return [
    ...result.differences.map((message) => makeFinding({ rule: 'unexpected', level: 'error', message, ...told })),
    ...[...result.grounding.violations, ...result.sources.violations].map((violation) =>
      violationFinding(violation, { ...told, level }),
    ),
    ...doubtFindings(result.grounding, { placeOf: () => place, fixture, run: result.invocationId }),
    ...(result.outcome.problem === 'grounding-violation'
      ? []
      : unresolvedFindings(result.sources, { ...told, policy })),
  ];
}
