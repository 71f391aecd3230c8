import type { GroundingMode, GroundingReport, SourcesReport, UnresolvedPolicy } from '../model/report.js';
import type { RunState } from '../model/stored-run.js';
import type { Conclusion, FixtureState } from './conclusion.js';
import type { Finding } from './finding.js';
import type { DeclaredDerivation, ReportedOutcome } from './run-report.js';

/** What became of a subject: of a fixture's run, or of a stored one. */
export type SubjectState = FixtureState | RunState;

/** One run that was judged or should have been. Null where nothing is known. */
export interface Subject {
  readonly fixture: string | null;
  readonly agentId: string | null;
  readonly repeat: { readonly index: number; readonly of: number };
  /** The invocation id, the folder of a stored run, or the envelope's file where only that is known. */
  readonly run: string | null;
  readonly state: SubjectState;
  /** Why nothing was judged. */
  readonly error: string | null;
  readonly differences: readonly string[];
  readonly mode: GroundingMode | null;
  readonly outcome: ReportedOutcome | null;
  readonly grounding: GroundingReport | null;
  readonly sources: SourcesReport | null;
  readonly tokens: { readonly input: number | null; readonly output: number | null } | null;
  readonly milliseconds: number | null;
  /** The run was judged again from a recording, and no agent was called. */
  readonly replayed?: true;
  readonly derivations: readonly DeclaredDerivation[];
}

/** The command whose result is told. */
export type ReportedCommand = 'run' | 'lint' | 'verify' | 'reverify';

/** The one model behind markdown, sarif, junit, annotations and report.json. */
export interface GateReport {
  readonly command: ReportedCommand;
  readonly conclusion: Conclusion;
  readonly policyBundleRef: string | null;
  readonly runsFolder: string | null;
  readonly unresolvedPolicy: UnresolvedPolicy | null;
  /** In the order in which they were judged. */
  readonly subjects: readonly Subject[];
  /** Worst first (`inOrder`). */
  readonly findings: readonly Finding[];
  /** Things that a reader should know and that decide nothing, a line each. */
  readonly notices: readonly string[];
}

/** What a subject's state means for a reader. */
export function verdictOf(state: SubjectState): 'good' | 'bad' | 'doubtful' {
  if (state === 'as-expected' || state === 'passed') return 'good';
  return state === 'withheld' || state === 'not-judged' ? 'doubtful' : 'bad';
}
