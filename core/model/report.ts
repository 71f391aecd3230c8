import type { GroundingRuleId, SourceRuleId, Violation } from './violation.js';

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
