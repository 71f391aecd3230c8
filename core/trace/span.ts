import type { FetchedDocument } from './documents.js';
import type { Recognition, SpanRole } from './recognition.js';

/**
 * One finished span, cut down to what the rules ask and what it takes to report it, so that a million of them fit in
 * memory. Ids are without `0x`; times are nanoseconds since the Unix epoch, null when the span states none.
 */
export interface Span {
  readonly role: SpanRole;
  readonly recognition: Recognition;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly start: bigint | null;
  readonly end: bigint | null;
  /** The span's status is ERROR. */
  readonly failed: boolean;
  /** `SpanKind.CLIENT` and so on; any other text is one that OpenTelemetry does not know. */
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
  /** The span carries `dd.witnessed`, whatever its value. */
  readonly witnessed?: boolean | undefined;
  /** `dd.witnessed_spans` of a root, when it is a whole number. */
  readonly witnessedSpans?: number | undefined;
  /** Whether `dd.isolation` of a root is `isolated`; undefined without one. */
  readonly isolated?: boolean | undefined;
  /** The models that a model call, or an agent that states the use of one, names; an empty one stands for a name that is no text. */
  readonly models?: readonly string[] | undefined;
  /** Documents of a retrieval that state an id and a hash of their own. */
  readonly documents?: readonly FetchedDocument[] | undefined;
  /** Which of the conductor's attributes are there, whatever their values. */
  readonly conductorAttributes: readonly string[];
  /** Members of the span whose type is not that of its file shape. */
  readonly malformed: readonly string[];
  /** Ways in which what was recorded of the span, or of its trace, is not all that happened. */
  readonly losses?: readonly Loss[] | undefined;
}

/** Something that may hide a call: attributes, events or links left out, so many attributes that some may be missing, or a span that was not sampled. */
export type Loss =
  | { readonly kind: 'dropped'; readonly what: Dropped; readonly count: string }
  | { readonly kind: 'crowded'; readonly attributes: number }
  | { readonly kind: 'unsampled' };

/** What an exporter counts as dropped. */
export type Dropped = 'attributes' | 'events' | 'links' | 'attributes of events' | 'attributes of links';

/** Shared by every span that states nothing, to save memory. */
export const NO_FACTS: SpanFacts = {
  sourceId: undefined,
  contentHash: undefined,
  groundingMode: undefined,
  inputHash: undefined,
  witnessed: undefined,
  witnessedSpans: undefined,
  isolated: undefined,
  models: undefined,
  documents: undefined,
  conductorAttributes: [],
  malformed: [],
  losses: undefined,
};
