import type { ProblemSlug, ReasonCode, Status } from '../model/outcome.js';
import type { GroundingMode, GroundingReport, SourcesReport, UnresolvedPolicy } from '../model/report.js';
import type { Conclusion, FixtureState } from './conclusion.js';

/** How an envelope ended, as far as a report says it. */
export interface ReportedOutcome {
  readonly status: Status;
  readonly reasonCode: ReasonCode | null;
  readonly problem: ProblemSlug | null;
  readonly statement: string;
}

/** Where a payload field's value came from, in the agent's own words: declared, and checked by nothing (grounding.txt). */
export interface DeclaredDerivation {
  readonly field: string;
  readonly how: string;
  readonly recordedIn: string | null;
}

/** A run that was carried out and judged; `differences` says what its fixture does not expect. */
export interface JudgedRun {
  readonly kind: 'judged';
  readonly invocationId: string;
  readonly mode: GroundingMode | null;
  readonly outcome: ReportedOutcome;
  readonly grounding: GroundingReport;
  readonly sources: SourcesReport;
  /** Null when the run says nothing of tokens. */
  readonly tokens: { readonly input: number | null; readonly output: number | null } | null;
  readonly milliseconds: number;
  /** The run was judged again from a recording, and no agent was called. */
  readonly replayed?: true;
  readonly derivations: readonly DeclaredDerivation[];
  readonly differences: readonly string[];
}

/** A fixture's run that came to no verdict, with the reason on one line. */
export interface UnjudgedRun {
  readonly kind: 'unjudged';
  readonly reason: string;
}

/** One run of one fixture, in the order of the fixtures. */
export interface RunRow {
  readonly fixture: string;
  readonly agentId: string;
  /** Which of how many; `of` is 1 unless the fixture asks for repeats. */
  readonly repeat: { readonly index: number; readonly of: number };
  readonly result: JudgedRun | UnjudgedRun;
}

/** What `grounding run` reports, whatever the format. */
export interface RunReport {
  readonly rows: readonly RunRow[];
  readonly conclusion: Conclusion;
  readonly counts: Readonly<Record<FixtureState, number>>;
  readonly policyBundleRef: string;
  readonly runsFolder: string;
  readonly unresolvedPolicy: UnresolvedPolicy;
  /** Things that a reader should know and that decide nothing, a line each. */
  readonly notices: readonly string[];
}
