import type { GroundingRuleId, Place, SourceRuleId, Violation } from './violation.js';

/** The four grounding modes of grounding.txt; there is no default. */
export const GROUNDING_MODES = ['retrieval', 'input_only', 'none', 'delegation'] as const;
export type GroundingMode = (typeof GROUNDING_MODES)[number];

/** Spans of one name that no dialect knows; they break nothing, and are listed where only what is known is allowed. */
export interface UnknownSpans {
  readonly name: string;
  readonly count: number;
  /** The first of them. */
  readonly spanId: string;
}

/** How many of a kind the conductor saw itself, and how many are an agent's own statement. */
export interface SeenCounts {
  readonly witnessed: number;
  readonly declared: number;
}

/** A source that an envelope cites: whether it was served to the agent in this run, and whether it stands in the evidence. */
export interface CitedSource {
  readonly sourceId: string;
  readonly contentHash: string;
  readonly witnessed: boolean;
  readonly evidence: boolean;
}

/** What the conductor saw of a run for which doors were open, or which had to be witnessed. */
export interface WitnessReport {
  /** Whether W1 and W2 were judged. */
  readonly required: boolean;
  /** Sources cited in the payload or the evidence, each once. */
  readonly citations: SeenCounts;
  readonly retrievals: SeenCounts;
  readonly chats: SeenCounts;
  /** The first thousand of the citations, in the order of the envelope. */
  readonly cited: readonly CitedSource[];
}

/** What a doubt is about: an id beside another one's hash, a status that there is not, an id or key that looks like another, a clock. */
export const DOUBT_KINDS = ['status', 'pair', 'look-alike', 'clock'] as const;

/** What breaks no rule and should be looked at all the same. */
export interface Doubt {
  readonly kind: (typeof DOUBT_KINDS)[number];
  readonly message: string;
  /** RFC 6901 pointer into the envelope. */
  readonly pointer?: string;
  readonly spanId?: string;
  readonly place?: Place;
}

/** The linter's verdict on one run (contract 5); `mode` is null when the envelope names none of the four. */
export interface GroundingReport {
  readonly passed: boolean;
  readonly mode: GroundingMode | null;
  /** Broken rules in the order of GROUNDING_RULES, each once. */
  readonly rules: readonly GroundingRuleId[];
  readonly violations: readonly Violation<GroundingRuleId>[];
  readonly retrievals: number;
  readonly chats: number;
  /** In the modes `none`, `input_only` and `delegation`: unknown spans, by name, the first hundred names; left out when there are none. */
  readonly unknown?: readonly UnknownSpans[];
  /** The first hundred; left out when there are none. */
  readonly doubts?: readonly Doubt[];
  /** Left out for a run without doors that need not be witnessed. */
  readonly witness?: WitnessReport;
  /** Whether the agent ran where only the conductor's doors exist; left out for a run of which nobody asked that. */
  readonly isolated?: boolean;
}

/** An evidence item for which no pinned copy is held; `snapshotRef` is null when the item names none ("live"). */
export interface UnresolvedItem {
  readonly sourceId: string;
  readonly snapshotRef: string | null;
}

/** The source check's verdict on one envelope (contract 6). */
export interface SourcesReport {
  readonly passed: boolean;
  readonly verified: number;
  readonly unresolved: readonly UnresolvedItem[];
  readonly rules: readonly SourceRuleId[];
  readonly violations: readonly Violation<SourceRuleId>[];
}

/** What `--unresolved` may say about items that no pinned copy covers (contract 9). */
export const UNRESOLVED_POLICIES = ['allow', 'warn', 'fail'] as const;
export type UnresolvedPolicy = (typeof UNRESOLVED_POLICIES)[number];
