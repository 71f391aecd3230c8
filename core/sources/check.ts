import { type JsonNode, placesOf } from '../json/index.js';
import type { SourcesReport } from '../model/report.js';
import type { SourceRuleId, Violation } from '../model/violation.js';
import { collectFacts, type ItemFacts } from './collect.js';
import type { EvidenceItem } from './evidence-item.js';
import type { SourceCopies } from './load-copies.js';
import type { SourceRule } from './rule.js';
import { SOURCE_CHECKS } from './rules.js';

/**
 * Checks what an envelope cites against the pinned copies (contract 6): collect the facts, let the rules judge them,
 * conclude. Total over every envelope; throws only `source-record-changed`, when a copy is no longer the pinned file.
 */
export function checkSources(envelope: JsonNode, copies: SourceCopies): SourcesReport {
  const facts = collectFacts(envelope, copies);
  return conclude(facts, judgeFacts(SOURCE_CHECKS, facts));
}

/** What a rule says about an item. */
export interface SourceFinding {
  readonly rule: SourceRuleId;
  readonly message: string;
  readonly item: EvidenceItem;
}

/** Judges every item by every rule of a registry, in the order of the envelope. */
export function judgeFacts(rules: readonly SourceRule[], facts: readonly ItemFacts[]): readonly SourceFinding[] {
  return facts.flatMap((fact) =>
    rules.flatMap((rule) => {
      const message = rule.check(fact);
      return message === null ? [] : [{ rule: rule.id, message, item: fact.item }];
    }),
  );
}

/** The verdict: what was found in a copy and broke nothing is verified, what nobody could look up is unresolved. */
export function conclude(facts: readonly ItemFacts[], findings: readonly SourceFinding[]): SourcesReport {
  const faulty = new Set(findings.map((finding) => finding.item));
  const found = new Set(findings.map((finding) => finding.rule));
  return {
    passed: findings.length === 0,
    verified: facts.filter((fact) => fact.kind !== 'unresolved' && !faulty.has(fact.item)).length,
    unresolved: facts
      .filter((fact) => fact.kind === 'unresolved')
      .map(({ item }) => ({ sourceId: item.sourceId, snapshotRef: item.snapshotRef })),
    rules: SOURCE_CHECKS.map((rule) => rule.id).filter((id) => found.has(id)),
    violations: violationsOf(findings),
  };
}

function violationsOf(findings: readonly SourceFinding[]): readonly Violation<SourceRuleId>[] {
  const places = placesOf(findings.map((finding) => finding.item.node));
  return findings.map(({ rule, message, item }) => {
    const place = places.get(item.node);
    const { sourceId, contentHash, pointer } = item;
    return { rule, message, sourceId, contentHash, pointer, ...(place === undefined ? {} : { place }) };
  });
}
