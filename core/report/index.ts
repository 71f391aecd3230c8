/** What a door (the Action, the bot) needs to tell about a report; core/index.ts passes it on. */
export { type Annotation, type AnnotationLevel, annotationsOf } from './annotations.js';
export { checkSummary, checkTitle, MOST_ANNOTATIONS } from './check-text.js';
export { type Comparison, compareReports, type EarlierFinding } from './compare.js';
export {
  FINDING_LEVELS,
  type Finding,
  type FindingFacts,
  type FindingLevel,
  type FindingPlace,
  type FindingRule,
  GATE_FAULTS,
  type GateFault,
} from './finding.js';
export { type FindingPage, findingPage, findingPages } from './finding-pages.js';
export type { Budget } from './fit-sections.js';
export type { TimedSpan } from './gantt.js';
export { type GateReport, type ReportedCommand, type Subject, type SubjectState, verdictOf } from './gate-report.js';
export { renderJunit } from './junit.js';
export { renderLogCommands } from './log-commands.js';
export { inOrder, makeFinding, violationFinding } from './make-finding.js';
export {
  CHECK_BUDGET,
  COMMENT_BUDGET,
  type MarkdownOptions,
  renderMarkdown,
  SUMMARY_BUDGET,
} from './markdown.js';
export { code, fenced } from './markdown-text.js';
export { DRIFT_LABEL, DRIFT_MARKER, type Marker, markerLine, readMarker } from './marker.js';
export { REPORT_VERSION, renderReportJson } from './report-json.js';
export { type ArchiveFacts, reportOfArchive } from './report-of-archive.js';
export { reportOfLint, reportOfVerify } from './report-of-envelope.js';
export { reportOfRun } from './report-of-run.js';
export { renderSarif } from './sarif.js';
export { cut, cutBytes, visible, visibleLines } from './visible.js';
