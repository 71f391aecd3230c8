import type { SpanRole } from './classify.js';

/**
 * One finished span, cut down to what the rules ask and what it takes to report it, so that a million of them fit in
 * memory. Ids are without `0x`; times are nanoseconds since the Unix epoch, null when the span states none.
 */
export interface Span {
  readonly role: SpanRole;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly start: bigint | null;
  readonly end: bigint | null;
  /** The span's status is ERROR. */
  readonly failed: boolean;
  readonly kind: string | null;
  readonly facts: SpanFacts;
  readonly file: string;
  /** The line of `file` on which the span stands, from 1. */
  readonly line: number;
}

/** What a span's `dd.*` attributes say; a value that is not a string is left out, as a null one is. */
export interface SpanFacts {
  readonly sourceId?: string | undefined;
  readonly contentHash?: string | undefined;
  readonly groundingMode?: string | undefined;
  readonly inputHash?: string | undefined;
  /** Which of the conductor's attributes are there, whatever their values. */
  readonly conductorAttributes: readonly string[];
  /** Members of the span whose type is not that of contract 4. */
  readonly malformed: readonly string[];
}

/** Shared by every span that states nothing, to save memory. */
export const NO_FACTS: SpanFacts = { conductorAttributes: [], malformed: [] };
