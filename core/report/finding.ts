import type { RuleId } from '../model/violation.js';

/**
 * What can be wrong with a run besides a broken rule, worst first. `fixture-removed`, `expectation-loosened` and
 * `registration-loosened` are for a door that compares two commits, `replayed`, `other-policy` and `claim-differs` for one that is handed runs as evidence.
 */
export const GATE_FAULTS = [
  'tampered',
  'unreadable',
  'not-judged',
  'unexpected',
  'fixture-removed',
  'expectation-loosened',
  'registration-loosened',
  'replayed',
  'other-policy',
  'unresolved',
  'claim-differs',
  'doubtful',
  'drift',
] as const;
export type GateFault = (typeof GATE_FAULTS)[number];

/** What a finding is about: a rule of one of the checks, or a fault that the gate itself sees. */
export type FindingRule = RuleId | GateFault;

/** `error` breaks the verdict, `warning` should be looked at, `note` is what a fixture expects. */
export const FINDING_LEVELS = ['error', 'warning', 'note'] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** Where a finding is shown; line and column count from 1, the column in UTF-16 units, null when only the file is known. */
export interface FindingPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/**
 * One thing to tell about one run, whatever was judged and wherever it is shown. `title` and `mend` are ours; every
 * other text may be a model's or a pull request's, so a renderer escapes it for its own format.
 */
export interface Finding {
  readonly rule: FindingRule;
  readonly level: FindingLevel;
  /** The rule as a clause without a full stop. */
  readonly title: string;
  readonly message: string;
  /** How to mend it, in Markdown. */
  readonly mend: string;
  readonly place: FindingPlace;
  readonly sourceId: string | null;
  readonly contentHash: string | null;
  /** RFC 6901 pointer into the envelope. */
  readonly pointer: string | null;
  readonly spanId: string | null;
  /** The invocation id, the folder of a stored run, or the envelope's file where only that is known. */
  readonly run: string | null;
  readonly fixture: string | null;
  /** The same for the same fault in another run: see fingerprint.ts. 64 hex digits. */
  readonly fingerprint: string;
}

/** A finding as a mapper makes it; what is left out is null, and the title and the mend text come from the rule's page. */
export type FindingFacts = Pick<Finding, 'rule' | 'level' | 'message' | 'place'> &
  Partial<Pick<Finding, 'sourceId' | 'contentHash' | 'pointer' | 'spanId' | 'run' | 'fixture'>>;
