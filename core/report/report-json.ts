import type { Composable } from '../json/index.js';
import { basisOf } from './basis.js';
import { exitCodeOf } from './conclusion.js';
import type { Finding } from './finding.js';
import type { GateReport, Subject } from './gate-report.js';
import { jsonText } from './json-text.js';
import { groundingJson, sourcesJson } from './verdict-json.js';

/** The version of schemas/report.schema.json that is written; a reader of another one has no baseline. */
export const REPORT_VERSION = 1;

/**
 * report.json (schemas/report.schema.json): every run with its verdicts, in the order of the report, each fixture with the
 * invocation id of its run, and every finding, worst first.
 */
export function renderReportJson(report: GateReport): string {
  return jsonText({
    report_version: REPORT_VERSION,
    command: report.command,
    conclusion: report.conclusion,
    exit_code: exitCodeOf(report.conclusion),
    profile: report.policyBundleRef,
    runs: report.runsFolder,
    unresolved: report.unresolvedPolicy,
    counts: countsJson(report),
    notices: report.notices,
    results: report.subjects.map(subjectJson),
    findings: report.findings.map(findingJson),
  });
}

function countsJson({ subjects, findings }: GateReport): Composable {
  const states = (state: Subject['state']): number => subjects.filter((one) => one.state === state).length;
  const levels = (level: Finding['level']): number => findings.filter((one) => one.level === level).length;
  return {
    runs: subjects.length,
    as_expected: states('as-expected'),
    unexpected: states('unexpected'),
    not_judged: states('not-judged'),
    passed: states('passed'),
    failed: states('failed'),
    withheld: states('withheld'),
    tampered: states('tampered'),
    unreadable: states('unreadable'),
    errors: levels('error'),
    warnings: levels('warning'),
    notes: levels('note'),
  };
}

function subjectJson(subject: Subject): Composable {
  const { outcome, grounding, sources, milliseconds } = subject;
  return {
    fixture: subject.fixture,
    agent_id: subject.agentId,
    repeat: subject.repeat.index,
    state: subject.state,
    error: subject.error,
    differences: subject.differences,
    invocation_id: subject.run,
    grounding_mode: subject.mode,
    outcome: outcome && {
      status: outcome.status,
      reason_code: outcome.reasonCode,
      problem: outcome.problem,
      statement: outcome.statement,
    },
    grounding: grounding && groundingJson(grounding),
    sources: sources && sourcesJson(sources),
    basis: basisJson(subject),
    tokens: subject.tokens,
    time_ms: milliseconds === null ? null : Math.round(milliseconds),
    replayed: subject.replayed,
    declared_derivations: subject.derivations.map((one) => ({
      field: one.field,
      how: one.how,
      recorded_in: one.recordedIn,
      checked: false,
    })),
  };
}

function basisJson(subject: Subject): Composable {
  const basis = basisOf(subject);
  if (basis === null) return null;
  return {
    citations: basis.citations,
    retrievals: { ...basis.retrievals },
    model_calls: { ...basis.modelCalls },
    cited: basis.cited.map((one) => ({ source_id: one.sourceId, content_hash: one.contentHash, basis: one.basis })),
  };
}

function findingJson(finding: Finding): Composable {
  const { place } = finding;
  return {
    rule: finding.rule,
    level: finding.level,
    title: finding.title,
    message: finding.message,
    mend: finding.mend,
    place: { file: place.file, line: place.line, column: place.column },
    source_id: finding.sourceId,
    content_hash: finding.contentHash,
    pointer: finding.pointer,
    span_id: finding.spanId,
    invocation_id: finding.run,
    fixture: finding.fixture,
    fingerprint: finding.fingerprint,
  };
}
