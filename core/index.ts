/** The library: everything that a door (the Action, the bot, a program of yours) may use of the core. */
export type {
  Agent,
  AgentCall,
  AgentRegistry,
  AgentReply,
  Delegation,
  IncompatibleAgent,
  UnavailableAgent,
} from './agents/agent.js';
export { parseAgentsConfig } from './agents/parse-agents-config.js';
export type { AgentSpecification, ClassSchema, Derivation } from './agents/specification.js';
export * from './change/index.js';
export { type Conductor, createConductor, type InvokeCall } from './conductor/conductor.js';
export type { Door, DoorRun, OpenDoor } from './conductor/doors.js';
export { Grants } from './conductor/grants.js';
export type { DelegatedCall } from './conductor/invoke-delegated.js';
export type { FinishedRun, InvokedRun, Projects, RunStore, Tracer } from './conductor/ports.js';
export type { ConductorDeps } from './conductor/run-context.js';
export type { Noted, Seen, SeenChat, SeenRetrieval, Witness } from './conductor/witness.js';
export { Faults, MappingReader, parseYaml, type YamlNode } from './config/index.js';
export {
  assess,
  describeReason,
  type Expectation,
  type Fixture,
  type FixtureFiles,
  type FoundFixture,
  findFixtures,
  globMatches,
  type RunFacts,
} from './fixtures/index.js';
export * from './github/index.js';
export { systemClock } from './io/clock.js';
export { coreCount } from './io/cores.js';
export { diskFixtureFiles } from './io/fixture-files.js';
export { readInputFile } from './io/input-file.js';
export { writeOutputFile } from './io/output-file.js';
export { diskRecordingFiles } from './io/recording-files.js';
export { diskSourceFiles, sourceFilesFor } from './io/source-files.js';
export { storeWorld } from './io/store-files.js';
export * from './json/index.js';
export { explain, explainable, judge, readEnvelope } from './lint/index.js';
export { assertNever } from './model/assert-never.js';
export { ERROR_CODES, type ErrorCode, gateError } from './model/error-codes.js';
export { type Blame, GateError, messageOf, oneLine } from './model/errors.js';
export * from './model/outcome.js';
export type { Clock, Ids } from './model/ports.js';
export type { Authenticator, Principal } from './model/principal.js';
export * from './model/report.js';
export * from './model/stored-run.js';
export * from './model/violation.js';
export { decide, type GateDecision, type Profile, parseProfile } from './policy/index.js';
export type { RecordingFiles } from './recordings/index.js';
export { buildReport, stateOf } from './report/build-report.js';
export {
  type Conclusion,
  concludeCheck,
  concludeFixtures,
  concludeOutcome,
  exitCodeOf,
  type FixtureState,
} from './report/conclusion.js';
export { groundingText } from './report/grounding-text.js';
export * from './report/index.js';
export type { DeclaredDerivation, JudgedRun, RunReport, RunRow, UnjudgedRun } from './report/run-report.js';
export { renderRunText, type TextSurface } from './report/run-text.js';
export { sourcesText } from './report/sources-text.js';
export { underPolicy } from './report/unresolved.js';
export { groundingJson, sourcesJson, unresolvedText } from './report/verdict-json.js';
export { type PresentedRun, presentRun } from './reverify/present-run.js';
export { type HeldReverification, type HeldVerdicts, reverifyHeld } from './reverify/reverify-held.js';
export { completeRequest, type RequestWorld } from './runner/complete-request.js';
export { openDelegation } from './runner/open-harness.js';
export { readTraces } from './runner/read-traces.js';
export { openReplay, type Replay, type ReplayOptions } from './runner/replay-runs.js';
export { openExaminer, openRuns } from './runner/reverify-archive.js';
export { type AskedRun, countRuns, type FixtureRun, runFixtures } from './runner/run-fixtures.js';
export { openSession, type Session, type SessionSettings } from './runner/session.js';
export { openReport, type ReportInProgress, type ReportSettings } from './runner/write-report.js';
export {
  checkSources,
  type HeldSources,
  heldSourceFiles,
  loadSources,
  NO_COPIES,
  parseSourcesConfiguration,
  pinSource,
  SOURCE_CHECKS,
  type SourceCopies,
  type SourcesLocation,
} from './sources/index.js';
export {
  type HeldFiles,
  INDEX_FILE,
  isInvocationId,
  openArchive,
  openStore,
  RUN_FILES,
  type RunArchive,
  type RunContents,
} from './store/index.js';
export { readSpans, type Span } from './trace/index.js';
export { InstantReader } from './trace/instant.js';
export { timestampOf } from './trace/timestamp.js';
