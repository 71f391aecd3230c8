import type { CitedSource, GroundingReport, SeenCounts, SourcesReport } from '../model/report.js';

/**
 * What a citation rests on, the strongest that holds: the conductor served the record itself, its hash was worked out again from a
 * pinned copy (S2), no copy could be asked, or it is the agent's word.
 */
export const BASES = ['witnessed', 'recomputed', 'unresolved', 'declared'] as const;
export type CitationBasis = (typeof BASES)[number];

/** What the citations, retrievals and model calls of one run rest on. */
export interface RunBasis {
  /** Null where neither check counted any. */
  readonly citations: Readonly<Record<CitationBasis, number>> | null;
  readonly retrievals: SeenCounts;
  readonly modelCalls: SeenCounts;
  /** Each citation that the linter listed; empty for a run without witnesses. */
  readonly cited: readonly { readonly sourceId: string; readonly contentHash: string; readonly basis: CitationBasis }[];
}

/** What is known of a run, of which the two verdicts are enough. */
interface JudgedSubject {
  readonly grounding: GroundingReport | null;
  readonly sources: SourcesReport | null;
}

/** What a run rests on; null where the linter did not judge it. */
export function basisOf({ grounding, sources }: JudgedSubject): RunBasis | null {
  if (grounding === null) return null;
  const { witness } = grounding;
  if (witness === undefined)
    return {
      citations: unwitnessed(sources),
      retrievals: { witnessed: 0, declared: grounding.retrievals },
      modelCalls: { witnessed: 0, declared: grounding.chats },
      cited: [],
    };
  const cited = witness.cited.map((one) => ({
    sourceId: one.sourceId,
    contentHash: one.contentHash,
    basis: citationBasis(one, sources),
  }));
  const count = (basis: CitationBasis): number => cited.filter((one) => one.basis === basis).length;
  const unlisted = witness.citations.witnessed + witness.citations.declared - cited.length;
  const unlistedSeen = witness.citations.witnessed - count('witnessed');
  return {
    citations: {
      witnessed: witness.citations.witnessed,
      recomputed: count('recomputed'),
      unresolved: count('unresolved'),
      declared: count('declared') + unlisted - unlistedSeen,
    },
    retrievals: witness.retrievals,
    modelCalls: witness.chats,
    cited,
  };
}

function citationBasis(cited: CitedSource, sources: SourcesReport | null): CitationBasis {
  if (cited.witnessed) return 'witnessed';
  // A reference without evidence is looked up nowhere.
  if (sources === null || !cited.evidence) return 'declared';
  const { sourceId, contentHash } = cited;
  if (sources.violations.some((one) => one.sourceId === sourceId && one.contentHash === contentHash)) return 'declared';
  return sources.unresolved.some((one) => one.sourceId === sourceId) ? 'unresolved' : 'recomputed';
}

/** Without witnesses the source check has counted everything that is not the agent's word. */
function unwitnessed(sources: SourcesReport | null): RunBasis['citations'] {
  if (sources === null) return null;
  const faulty = new Set(sources.violations.map((one) => `${one.contentHash ?? ''}${one.sourceId ?? ''}`));
  return {
    witnessed: 0,
    recomputed: sources.verified,
    unresolved: sources.unresolved.length,
    declared: faulty.size,
  };
}

/**
 * The basis in one line, and whether the agent ran isolated; null for a run without witnesses, whose counts stand beside it already, and of which
 * nobody asked that.
 */
export function basisText(subject: JudgedSubject): string | null {
  const isolated = subject.grounding?.isolated;
  const parts = [...witnessedText(subject), ...(isolated === undefined ? [] : [`isolated: ${isolated}`])];
  return parts.length === 0 ? null : parts.join('; ');
}

function witnessedText(subject: JudgedSubject): readonly string[] {
  const basis = subject.grounding?.witness === undefined ? null : basisOf(subject);
  if (basis?.citations === null || basis === null) return [];
  const counts = basis.citations;
  const citations = BASES.flatMap((one) => (counts[one] > 0 ? [`${counts[one]} ${one}`] : []));
  return [
    `citations: ${citations.join(', ') || 'none'}`,
    `retrievals: ${seenText(basis.retrievals)}`,
    `model calls: ${seenText(basis.modelCalls)}`,
  ];
}

function seenText({ witnessed, declared }: SeenCounts): string {
  const parts = [
    ...(witnessed > 0 ? [`${witnessed} witnessed`] : []),
    ...(declared > 0 ? [`${declared} declared`] : []),
  ];
  return parts.join(', ') || 'none';
}
