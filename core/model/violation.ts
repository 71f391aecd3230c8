/** The rules of the grounding linter (grounding.txt), in the order in which reports list them. */
export const GROUNDING_RULES = [
  'G0',
  'E1',
  'G1',
  'G2',
  'G3',
  'G4',
  'R1',
  'R2',
  'R3',
  'N1',
  'D1',
  'D2',
  'D3',
  // Ours: judged only where a run has to be witnessed.
  'W1',
  'W2',
] as const;

/** The rules of the source check (grounding.txt, "The source check"). */
export const SOURCE_RULES = ['S1', 'S2'] as const;

/** The rules of both checks. */
export const RULE_IDS = [...GROUNDING_RULES, ...SOURCE_RULES] as const;

export type GroundingRuleId = (typeof GROUNDING_RULES)[number];
export type SourceRuleId = (typeof SOURCE_RULES)[number];
export type RuleId = GroundingRuleId | SourceRuleId;

/** A place in a text file; line and column count from 1, the column in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * One broken rule. `pointer` is an RFC 6901 pointer into the envelope, `spanId` 16 hex digits without `0x`;
 * every string may come from a model, so a renderer escapes it for its own format.
 */
export interface Violation<Rule extends RuleId = RuleId> {
  readonly rule: Rule;
  readonly message: string;
  readonly sourceId?: string;
  readonly contentHash?: string;
  readonly pointer?: string;
  readonly spanId?: string;
  readonly place?: Place;
}
