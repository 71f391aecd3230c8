import type { GroundingReport, SourcesReport } from './report.js';

/** What a stored run can be, the first that holds (contract 9). */
export const RUN_STATES = ['unreadable', 'tampered', 'withheld', 'failed', 'passed'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The tests of contract 10, and two of a seal: what was found to differ from what it should agree with. */
export const TAMPER_TESTS = [
  'folder-name',
  'index-missing',
  'index-doubled',
  'index-differs',
  'no-folder',
  'child-differs',
  'child-missing',
  'input-hash',
  'trace-id',
  'grounding-text',
  'seal-missing',
  'seal-changed',
] as const;
export type TamperTest = (typeof TAMPER_TESTS)[number];

/** One test that a stored run did not stand; the message may quote untrusted text. */
export interface Tampering {
  readonly test: TamperTest;
  readonly message: string;
}

/** The verdict on one stored run (contracts 9 and 10). */
export interface StoredRunVerdict {
  /** The folder's name, or the id of an index line without a folder. */
  readonly run: string;
  readonly state: RunState;
  /** Null for an unreadable run and for one without a folder. */
  readonly grounding: GroundingReport | null;
  /** Null as `grounding` is; `--unresolved` has been applied. */
  readonly sources: SourcesReport | null;
  /** Why the run is unreadable, or what was tampered with, on one line; null otherwise. */
  readonly error: string | null;
  readonly tampering: readonly Tampering[];
  /** Delegated runs that are neither in the archive nor in its index: nothing can be said of them. */
  readonly absent: readonly string[];
  /** sources.txt says something else than today's check: the copies changed since, which is no tampering. */
  readonly sourcesDrift: boolean;
  /** Whether the seal covers the run; null when no seal was given. */
  readonly sealed: boolean | null;
}

/** Whether a state makes an archive fail (contract 9). */
export function isBadState(state: RunState): boolean {
  return state === 'unreadable' || state === 'tampered' || state === 'failed';
}
