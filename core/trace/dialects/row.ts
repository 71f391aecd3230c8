/** What kind of step a span is when a row says so outright. `chain` is a step that only holds others. */
export type Kind =
  | 'chat'
  | 'embedding'
  | 'reranker'
  | 'guardrail'
  | 'evaluator'
  | 'retrieval'
  | 'agent'
  | 'set-up'
  | 'delegate'
  | 'tool'
  | 'gate'
  | 'chain';

/**
 * What a sign gives away without naming a kind: that a model wrote something, that a model was involved, that an event
 * holds messages as models have them (tools have them too), that the span belongs to a vendor of models, or that a
 * request went to a host where models are served.
 */
export type Evidence = 'writes' | 'model' | 'told' | 'vendor' | 'wire';

/** One observable of a span. How its texts are compared depends on what the row says: see `isPermissive`. */
export type Sign =
  | { readonly name: string }
  /** The name itself, or the name followed by a space and more. */
  | { readonly nameStarts: string }
  /** The end of the name from its last point on, point included. */
  | { readonly nameEnds: string }
  /** An attribute that is there and not null. */
  | { readonly key: string }
  | { readonly key: string; readonly is: string }
  /** The value itself, or the value followed by a space and more. */
  | { readonly key: string; readonly starts: string }
  /** The end of the value. */
  | { readonly key: string; readonly ends: string }
  /** Any attribute whose key begins so, or is this without its final point. */
  | { readonly keyStarts: string }
  | { readonly event: string }
  /** The host that a client names, whole, by its beginning or by its end. */
  | { readonly host: string }
  | { readonly hostStarts: string }
  | { readonly hostEnds: string };

/**
 * Whether a row of this kind can only explain a step, and never makes it a call or a retrieval. Its texts are compared
 * exactly, but for the case of an attribute's value; those of all others by their likeness, so that no step hides
 * behind an odd spelling and none is explained by one.
 */
export function isPermissive(says: Kind | Evidence): boolean {
  return PERMISSIVE.has(says);
}

const PERMISSIVE: ReadonlySet<Kind | Evidence> = new Set(['agent', 'set-up', 'delegate', 'tool', 'gate', 'chain']);

/** One row of the table: what a sign says, who emits it, and in which version that was seen. */
export interface Row {
  readonly says: Kind | Evidence;
  readonly sign: Sign;
  /** A second sign that the same span must show. */
  readonly also?: Sign;
  /** Emitter and version, and where its source or documentation says so. */
  readonly seen: string;
  /** On the root the conductor writes this attribute itself, and it says nothing. */
  readonly offRoot?: true;
}

/** The rows of one emitter's vocabulary. */
export interface Dialect {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Rows that say the same and were seen in the same emitter. */
export function rows(
  says: Row['says'],
  seen: string,
): (signs: readonly (Sign | { readonly sign: Sign; readonly also: Sign })[]) => readonly Row[] {
  return (signs) => signs.map((one) => ('sign' in one ? { says, seen, ...one } : { says, seen, sign: one }));
}

/** A sign for each value of one attribute. */
export function values(key: string, ...of: readonly string[]): readonly Sign[] {
  return of.map((is) => ({ key, is }));
}
