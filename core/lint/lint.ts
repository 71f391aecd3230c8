import { type JsonNode, placesOf } from '../json/index.js';
import type { GroundingReport } from '../model/report.js';
import type { GroundingRuleId, Place, Violation } from '../model/violation.js';
import type { Span } from '../trace/index.js';
import { doubtsOf } from './doubts.js';
import { spotFinding } from './finding.js';
import { gather } from './gather.js';
import type { Facts, Finding, Rule } from './rule.js';
import { RULES } from './rules.js';
import { pointerOf } from './trail.js';
import { unknownSpans } from './unknown-spans.js';
import { witnessReport } from './witness.js';

/**
 * How many violations of one rule are listed one by one: the verdict goes into the statement, the texts and the reports
 * of a run, and an agent of a few megabytes can break a rule millions of times.
 */
const MAX_LISTED = 100_000;

/** Judges one run (contract 5): pure, total over every envelope and span list, linear in both. */
export function judge(spans: readonly Span[], envelope: JsonNode): GroundingReport {
  return judgeBy(RULES, { spans, envelope });
}

/** Judges by a chosen registry: collect the facts, let each rule that applies judge them, conclude. */
export function judgeBy(
  rules: readonly Rule[],
  run: { readonly spans: readonly Span[]; readonly envelope: JsonNode },
): GroundingReport {
  const facts = gather(run.spans, run.envelope);
  const findings: Found[] = [];
  const broken: GroundingRuleId[] = [];
  for (const rule of rules) {
    if (!applies(rule, facts)) continue;
    const before = findings.length;
    addFound(findings, { rule, facts });
    if (findings.length > before && !broken.includes(rule.id)) broken.push(rule.id);
  }
  return {
    passed: findings.length === 0,
    mode: facts.mode,
    rules: broken,
    violations: findings.length === 0 ? [] : violationsOf(findings),
    retrievals: facts.tree.retrievals.length,
    chats: facts.tree.chats.length,
    ...unknownSpans(facts),
    ...doubtsOf(facts),
    ...witnessReport(facts),
  };
}

/** Without exactly one root, or without a known mode, G0 alone is reported (contract 5). */
function applies(rule: Rule, facts: Facts): boolean {
  if (facts.tree.root === undefined || facts.mode === null) return rule.id === 'G0';
  return rule.modes.includes(facts.mode);
}

interface Found {
  readonly rule: GroundingRuleId;
  readonly finding: Finding;
}

/** Adds what a rule found; beyond the longest list, one last finding says how much more there is. */
function addFound(found: Found[], { rule, facts }: { readonly rule: Rule; readonly facts: Facts }): void {
  const findings = rule.check(facts);
  const listed = Math.min(findings.length, MAX_LISTED);
  for (let i = 0; i < listed; i++) found.push({ rule: rule.id, finding: findings[i] as Finding });
  const more = findings.length - listed + (rule.id === 'G0' ? facts.moreFlaws : 0);
  if (more > 0)
    found.push({ rule: rule.id, finding: spotFinding(`${more} more of this kind are not listed`, undefined) });
}

/** Only here, for what is reported, are pointers and places worked out. */
function violationsOf(findings: readonly Found[]): Violation<GroundingRuleId>[] {
  const nodes: JsonNode[] = [];
  for (const { finding } of findings) if (finding.spot !== undefined) nodes.push(finding.spot.node);
  const places = placesOf(nodes);
  return findings.map((found) => violationOf(found, places));
}

/** What is not stated is no member; the members are added in one order, so that violations have few shapes. */
function violationOf({ rule, finding }: Found, places: ReadonlyMap<JsonNode, Place>): Violation<GroundingRuleId> {
  const { message, cited, span, spot } = finding;
  const violation: Writable<Violation<GroundingRuleId>> = { rule, message };
  if (cited !== undefined) {
    violation.sourceId = cited.sourceId;
    violation.contentHash = cited.contentHash;
  }
  if (spot !== undefined) violation.pointer = pointerOf(spot.trail);
  if (span !== undefined) violation.spanId = span.spanId;
  const place = spot === undefined ? placeOfSpan(span) : places.get(spot.node);
  if (place !== undefined) violation.place = place;
  return violation;
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function placeOfSpan(span: Span | undefined): Place | undefined {
  return span === undefined ? undefined : { file: span.file, line: span.line, column: 1 };
}
