import type { RulePage } from '../model/rule-page.js';
import type { SourceRuleId } from '../model/violation.js';
import type { ItemFacts } from './collect.js';

/** One rule of the source check: its page, then its check, which returns what is wrong with an item, or null. */
export interface SourceRule extends RulePage<SourceRuleId> {
  readonly check: (facts: ItemFacts) => string | null;
}
