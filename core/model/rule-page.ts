import type { RuleId } from './violation.js';

/**
 * One case that a rule passes or breaks. `documents` maps a document's name (`envelope`, `spans`, `records`…) to its
 * JSON value: the page shows them and the tests run them, so that an example can never drift from the check.
 */
export interface RuleExample {
  readonly caption: string;
  readonly documents: Readonly<Record<string, unknown>>;
}

/** One of several ways in which a rule breaks, with a paragraph and examples of its own. */
export interface RuleCause {
  readonly title: string;
  readonly text: string;
  readonly passes: RuleExample;
  readonly fails: RuleExample;
}

/**
 * What `docs/rules.md` and `grounding explain` say about a rule; every rule of both checks has one. `title` is a
 * clause without a full stop, `why` and `mend` are whole sentences in Markdown.
 */
export interface RulePage<Id extends RuleId = RuleId> {
  readonly id: Id;
  readonly title: string;
  readonly why: string;
  readonly mend: string;
  readonly passes: RuleExample;
  readonly fails: RuleExample;
  /** Ways to break the rule that need words of their own. */
  readonly causes?: readonly RuleCause[];
}
