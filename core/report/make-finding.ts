import { GROUNDING_RULES, SOURCE_RULES, type Violation } from '../model/violation.js';
import { FINDING_LEVELS, type Finding, type FindingFacts, type FindingPlace, GATE_FAULTS } from './finding.js';
import { findingPage } from './finding-pages.js';
import { fingerprintOf } from './fingerprint.js';

/** Completes a finding with what its rule says and with its fingerprint. */
export function makeFinding(facts: FindingFacts): Finding {
  const { title, mend } = findingPage(facts.rule);
  return {
    rule: facts.rule,
    level: facts.level,
    title,
    message: facts.message,
    mend,
    place: facts.place,
    sourceId: facts.sourceId ?? null,
    contentHash: facts.contentHash ?? null,
    pointer: facts.pointer ?? null,
    spanId: facts.spanId ?? null,
    run: facts.run ?? null,
    fixture: facts.fixture ?? null,
    fingerprint: fingerprintOf(facts),
  };
}

/** A violation as a finding; `place` is taken when the violation has none of its own that a reader could open. */
export function violationFinding(
  violation: Violation,
  told: Pick<Finding, 'level' | 'run' | 'fixture'> & { readonly place: FindingPlace },
): Finding {
  const { rule, message, sourceId, contentHash, pointer, spanId } = violation;
  return makeFinding({
    rule,
    message,
    ...told,
    sourceId: sourceId ?? null,
    contentHash: contentHash ?? null,
    pointer: pointer ?? null,
    spanId: spanId ?? null,
  });
}

const ORDER: ReadonlyMap<string, number> = new Map(
  [...GATE_FAULTS.slice(0, 3), ...GROUNDING_RULES, ...SOURCE_RULES, ...GATE_FAULTS.slice(3)].map((rule, at) => [
    rule,
    at,
  ]),
);

/** Worst first, in a total order: by level, rule, fixture, run, place, pointer and message. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      FINDING_LEVELS.indexOf(a.level) - FINDING_LEVELS.indexOf(b.level) ||
      (ORDER.get(a.rule) ?? 0) - (ORDER.get(b.rule) ?? 0) ||
      byText(a.fixture ?? '', b.fixture ?? '') ||
      byText(a.run ?? '', b.run ?? '') ||
      byText(a.place.file, b.place.file) ||
      (a.place.line ?? 0) - (b.place.line ?? 0) ||
      (a.place.column ?? 0) - (b.place.column ?? 0) ||
      byText(a.pointer ?? '', b.pointer ?? '') ||
      byText(a.message, b.message),
  );
}

/** By code units, so that the order is the same on every machine. */
function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
