import type { Finding, HeldFiles } from '../../core/index.js';

/** Stored runs that came together and are held in memory. */
export interface HeldArchive {
  readonly files: HeldFiles;
  /** The folder of the runs in `files`, and what findings call it. */
  readonly folder: string;
  /** The runs to judge; null judges all. */
  readonly only: ReadonlySet<string> | null;
  /** Runs that this change brings, so that they must have been made under what binds now. */
  readonly isFresh: (run: string) => boolean;
  /** The report that came with them, as somebody else's word; null when none did. */
  readonly claim: Uint8Array | null;
}

/** Runs that were found. */
export interface FoundEvidence {
  readonly kind: 'found';
  readonly archives: readonly HeldArchive[];
  /** What is wrong with the evidence itself. */
  readonly findings: readonly Finding[];
  readonly notices: readonly string[];
  /** When the workflow ran, in milliseconds since 1970; null for runs that no workflow stored. */
  readonly between: { readonly from: number; readonly to: number } | null;
  /** The workflow's run that stored them, by its number; null for runs that no workflow stored. */
  readonly workflowRun: string | null;
}

/** What there is to judge a commit by. */
export type Evidence =
  | FoundEvidence
  /** It is still to come. */
  | { readonly kind: 'awaited'; readonly what: string }
  /** It did not come, or there never will be any; `remedy` says what to do. */
  | { readonly kind: 'missing'; readonly what: string; readonly remedy: string };
