import type { Composable } from '../json/index.js';
import type { Doubt, GroundingReport, SourcesReport, UnresolvedItem, WitnessReport } from '../model/report.js';
import type { Place, Violation } from '../model/violation.js';

/** The linter's verdict with the members that contract 9 names; the rules in the order of their ids, each once. */
export function groundingJson(report: GroundingReport): Composable {
  return {
    passed: report.passed,
    mode: report.mode,
    rules: [...report.rules].sort(),
    violations: report.violations.map(violationJson),
    retrievals: report.retrievals,
    chats: report.chats,
    unknown: report.unknown?.map(({ name, count, spanId }) => ({ name, count, span_id: spanId })),
    warnings: report.doubts?.map(doubtJson),
    witness: report.witness && witnessJson(report.witness),
    isolated: report.isolated,
  };
}

function witnessJson({ required, citations, retrievals, chats, cited }: WitnessReport): Composable {
  return {
    required,
    citations: { ...citations },
    retrievals: { ...retrievals },
    chats: { ...chats },
    cited: cited.map(({ sourceId, contentHash, witnessed, evidence }) => ({
      source_id: sourceId,
      content_hash: contentHash,
      witnessed,
      evidence,
    })),
  };
}

/** The source check's verdict with the members that contract 9 names. */
export function sourcesJson(report: SourcesReport): Composable {
  return {
    passed: report.passed,
    verified: report.verified,
    unresolved: report.unresolved.map(unresolvedText),
    rules: report.rules,
    violations: report.violations.map(violationJson),
  };
}

/** `<source_id> (<snapshot_ref>)`, or `(live)` without one (contract 6); not yet safe for a terminal. */
export function unresolvedText(item: UnresolvedItem): string {
  return `${item.sourceId} (${item.snapshotRef ?? 'live'})`;
}

function doubtJson({ kind, message, pointer, spanId, place }: Doubt): Composable {
  return { kind, message, pointer, span_id: spanId, place: place && placeJson(place) };
}

function placeJson({ file, line, column }: Place): Composable {
  return { file, line, column };
}

function violationJson(violation: Violation): Composable {
  const { place } = violation;
  return {
    rule: violation.rule,
    message: violation.message,
    source_id: violation.sourceId,
    content_hash: violation.contentHash,
    pointer: violation.pointer,
    span_id: violation.spanId,
    place: place && placeJson(place),
  };
}
