import type { CitedSource, GroundingReport, SeenCounts } from '../model/report.js';
import { ATTRIBUTES, type Span } from '../trace/index.js';
import { type Pair, pairKey } from './citation.js';
import type { Facts, WitnessFacts } from './rule.js';
import type { TraceTree } from './trace-tree.js';

/** How many citations a report lists one by one. */
const MAX_LISTED = 1_000;

/**
 * What the conductor wrote of its doors: the first spans that bear its mark, as many as the root states, since its own
 * stand before an agent's. A mark beyond these breaks G0.
 */
export function witnessOf({ root, spans }: TraceTree): WitnessFacts | null {
  if (root === undefined) return null;
  const { conductorAttributes, witnessedSpans } = root.facts;
  // Any value asks for it: one that this build does not know asks for more, not for less.
  const required = conductorAttributes.includes(ATTRIBUTES.require);
  if (!required && !conductorAttributes.includes(ATTRIBUTES.witnessedSpans)) return null;
  const marked = spans.filter((span) => span !== root && span.facts.witnessed === true);
  const own = marked.slice(0, Math.max(0, witnessedSpans ?? 0));
  return {
    required,
    spans: new Set(own),
    served: own.flatMap((span) => servedBy(span, root)),
  };
}

/** A record counts when it was served whole, and before the run that it was served to ended. */
function servedBy({ end, failed, facts, recognition }: Span, root: Span): Pair[] {
  const { sourceId, contentHash } = facts;
  if (failed || recognition.conflict !== null || end === null || (root.end !== null && end > root.end)) return [];
  return sourceId === undefined || contentHash === undefined ? [] : [{ sourceId, contentHash }];
}

/** The members `witness` and `isolated` of a report; neither for a run without doors of which nobody asks anything. */
export function witnessReport(facts: Facts): Pick<GroundingReport, 'witness' | 'isolated'> {
  const { tree, witness } = facts;
  const isolated = tree.root?.facts.isolated;
  const stated = isolated === undefined ? {} : { isolated };
  if (witness === null) return stated;
  const cited = citedSources(facts, witness);
  const seen = cited.filter(({ witnessed }) => witnessed).length;
  return {
    ...stated,
    witness: {
      required: witness.required,
      citations: { witnessed: seen, declared: cited.length - seen },
      retrievals: countsOf(tree.retrievals, witness),
      chats: countsOf(tree.chats, witness),
      cited: cited.slice(0, MAX_LISTED),
    },
  };
}

function countsOf(spans: readonly Span[], witness: WitnessFacts): SeenCounts {
  const witnessed = spans.filter((span) => witness.spans.has(span)).length;
  return { witnessed, declared: spans.length - witnessed };
}

/** Every source that is cited, once. The input and delegated runs are the conductor's own record. */
function citedSources(facts: Facts, { served }: WitnessFacts): readonly CitedSource[] {
  const own = facts.input === undefined ? facts.delegated : [facts.input, ...facts.delegated];
  const seen = new Set([...served, ...own].map(pairKey));
  const evidence = new Set(facts.evidence.map(pairKey));
  const cited = new Map<string, CitedSource>();
  for (const citation of [...facts.references, ...facts.evidence]) {
    const key = pairKey(citation);
    if (cited.has(key)) continue;
    const { sourceId, contentHash } = citation;
    cited.set(key, { sourceId, contentHash, witnessed: seen.has(key), evidence: evidence.has(key) });
  }
  return [...cited.values()];
}
