import { type JsonNode, placesOf } from '../json/index.js';
import type { SourcesReport, UnresolvedItem } from '../model/report.js';
import type { SourceRuleId, Violation } from '../model/violation.js';
import { factsOfItems, type ItemFacts, type ReadEvidence } from './collect.js';
import { type EvidenceItem, evidenceItems } from './evidence-item.js';
import type { SourceCopies } from './load-copies.js';
import type { SourceRule } from './rule.js';
import { SOURCE_CHECKS } from './rules.js';

/**
 * Checks what an envelope cites against the pinned copies (contract 6): collect the facts, let the rules judge them,
 * conclude. Total over every envelope; throws only `source-record-changed`, when a copy is no longer the pinned file.
 */
export function checkSources(envelope: JsonNode, copies: SourceCopies): SourcesReport {
  return checkEvidence({ envelope, items: evidenceItems(envelope) }, copies);
}

/** The same for an envelope whose items of evidence were read already. */
export function checkEvidence(read: ReadEvidence, copies: SourceCopies): SourcesReport {
  const facts = factsOfItems(read, copies);
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
  const findings: SourceFinding[] = [];
  for (const fact of facts) {
    for (const rule of rules) {
      const message = rule.check(fact);
      if (message !== null) findings.push({ rule: rule.id, message, item: fact.item });
    }
  }
  return findings;
}

/** The verdict: what was found in a copy and broke nothing is verified, what nobody could look up is unresolved. */
export function conclude(facts: readonly ItemFacts[], findings: readonly SourceFinding[]): SourcesReport {
  const unresolved: UnresolvedItem[] = [];
  for (const { kind, item } of facts)
    if (kind === 'unresolved') unresolved.push({ sourceId: item.sourceId, snapshotRef: item.snapshotRef });
  const resolved = facts.length - unresolved.length;
  if (findings.length === 0) return { passed: true, verified: resolved, unresolved, rules: [], violations: [] };
  const faulty = new Set(findings.map((finding) => finding.item));
  const found = new Set(findings.map((finding) => finding.rule));
  return {
    passed: false,
    verified: facts.filter((fact) => fact.kind !== 'unresolved' && !faulty.has(fact.item)).length,
    unresolved,
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
