import { hashOf, isCanonicalisation, type JsonNode, project } from '../json/index.js';
import type { Pair } from '../lint/citation.js';
import { pairKey } from '../lint/citation.js';
import { gather } from '../lint/gather.js';
import { pointerOf } from '../lint/trail.js';
import { GateError } from '../model/errors.js';
import { basisOf, type CitationBasis } from '../report/basis.js';
import { collectFacts, type ItemFacts } from '../sources/collect.js';
import { type Comparison, compareDocuments } from './compare.js';
import type { NumberedFinding } from './marks.js';
import type { ReportedRun, RunFacts } from './run-facts.js';
import { readValue } from './run-facts.js';

/** Citations that a page shows; faulty ones come first where not all have room. */
export const MOST_CITATIONS = 150;
/** Places of one citation that are named. */
const MOST_PLACES = 8;

/** What stands beside the evidence: the source's own record, or why there is none to show. */
export type Beside =
  | { readonly kind: 'record'; readonly copy: string; readonly hash: string | null; readonly note: string | null }
  | { readonly kind: 'no-record'; readonly copy: string }
  | { readonly kind: 'unresolved'; readonly snapshotRef: string | null }
  | { readonly kind: 'input'; readonly hash: string }
  | { readonly kind: 'run'; readonly run: string }
  | { readonly kind: 'none'; readonly why: string };

/** An evidence item with its content, as far as its hash covers it, held against the source's own record. */
export interface ShownEvidence {
  readonly pointer: string;
  readonly node: JsonNode;
  /** Why the content is not there, or is shown although no hash covers it. */
  readonly note: string | null;
  readonly beside: Beside;
  readonly comparison: Comparison | null;
}

/** One cited source in one version: where it is cited, and its evidence. */
export interface ShownCitation extends Pair {
  /** RFC 6901 pointers of the references; none for evidence that nothing cites. */
  readonly places: readonly string[];
  readonly morePlaces: number;
  readonly evidence: readonly ShownEvidence[];
  /** What it rests on; null where nobody counted it. */
  readonly basis: CitationBasis | null;
  readonly faults: readonly NumberedFinding[];
}

/** All of them that have room. */
export interface ShownCitations {
  readonly shown: readonly ShownCitation[];
  readonly more: number;
}

/** Every citation of a run, in the order of the envelope: what the payload names, then evidence that nothing names. */
export function citationsOf(
  run: ReportedRun,
  { facts, findings }: { readonly facts: RunFacts; readonly findings: readonly NumberedFinding[] },
): ShownCitations {
  const envelope = readValue(facts.envelope);
  if (envelope === null) return { shown: [], more: 0 };
  const { references, evidence } = gather(readValue(facts.spans) ?? [], envelope);
  const cited = new Map<string, Gathered>();
  const entry = (pair: Pair): Gathered => {
    const known = cited.get(pairKey(pair)) ?? { pair, references: [], evidence: [] };
    cited.set(pairKey(pair), known);
    return known;
  };
  for (const reference of references) entry(reference).references.push(reference);
  for (const item of evidence) entry(item).evidence.push(item);
  const all = [...cited.values()].map((one) => ({ ...one, faults: faultsAbout(one.pair, findings) }));
  const kept = new Set(
    [...all.filter(({ faults }) => faults.length > 0), ...all.filter(({ faults }) => faults.length === 0)].slice(
      0,
      MOST_CITATIONS,
    ),
  );
  const bases = new Map(basisOf(run.verdict)?.cited.map((one) => [pairKey(one), one.basis]) ?? []);
  const around = { records: recordsOf(envelope, run), request: readValue(facts.request), copies: run.copies };
  const shown = all
    .filter((one) => kept.has(one))
    .map(({ pair, references: places, evidence: items, faults }) => ({
      ...pair,
      places: places.slice(0, MOST_PLACES).map(({ trail }) => pointerOf(trail)),
      morePlaces: Math.max(0, places.length - MOST_PLACES),
      evidence: items.map((item) => shownEvidence(item, around)),
      basis: bases.get(pairKey(pair)) ?? null,
      faults,
    }));
  return { shown, more: all.length - shown.length };
}

interface Gathered {
  readonly pair: Pair;
  readonly references: Located[];
  readonly evidence: Located[];
}

interface Located extends Pair {
  readonly node: JsonNode;
  readonly trail: Parameters<typeof pointerOf>[0];
}

function faultsAbout(
  { sourceId, contentHash }: Pair,
  findings: readonly NumberedFinding[],
): readonly NumberedFinding[] {
  return findings.filter(
    (finding) => finding.sourceId === sourceId && (finding.contentHash === null || finding.contentHash === contentHash),
  );
}

/** By the offset at which an item stands, since two readings of one envelope make two nodes of it. */
function recordsOf(envelope: JsonNode, { copies }: ReportedRun): ReadonlyMap<number, ItemFacts> {
  return new Map(collectFacts(envelope, copies).map((fact) => [fact.item.node.start, fact]));
}

interface Around {
  readonly records: ReadonlyMap<number, ItemFacts>;
  readonly request: JsonNode | null;
  readonly copies: ReportedRun['copies'];
}

function shownEvidence(item: Located, around: Around): ShownEvidence {
  const { node, trail, sourceId } = item;
  const canonicalisation = node.get('canonicalisation')?.string() ?? null;
  const content = node.present('content') ?? null;
  const left = content === null ? null : coveredPart(content, canonicalisation);
  const fact = around.records.get(node.start);
  const { beside, record } = besideOf({ sourceId, fact, around, canonicalisation });
  const comparison = left === null && record === null ? null : compareDocuments(left?.document ?? null, record);
  return {
    pointer: pointerOf(trail),
    node,
    note: content === null ? 'The evidence carries no content: only its hash can be compared.' : (left?.note ?? null),
    beside,
    comparison,
  };
}

/** What of a content its hash covers; what the projection drops is shown nowhere (contract 5). */
function coveredPart(
  content: JsonNode,
  canonicalisation: string | null,
): { readonly document: JsonNode | null; readonly note: string | null } {
  if (content.kind !== 'object') return { document: null, note: 'The content is not an object, so that E1 breaks.' };
  if (canonicalisation === null || !isCanonicalisation(canonicalisation))
    return { document: content, note: 'The canonicalisation is not known: no hash covers this content.' };
  const projected = projectedOrNull(content, canonicalisation);
  if (projected === null) return { document: null, note: 'The content cannot be projected, so that E1 breaks.' };
  const dropped = content.size - projected.entries().filter(([key]) => content.has(key)).length;
  const note = dropped === 0 ? null : `${dropped} of its members are not shown, since the hash does not cover them.`;
  return { document: projected, note };
}

function projectedOrNull(document: JsonNode, canonicalisation: string): JsonNode | null {
  try {
    return project(document, canonicalisation);
  } catch (error) {
    if (error instanceof GateError) return null;
    throw error;
  }
}

interface Asked {
  readonly sourceId: string;
  readonly fact: ItemFacts | undefined;
  readonly around: Around;
  readonly canonicalisation: string | null;
}

interface Found {
  readonly beside: Beside;
  readonly record: JsonNode | null;
}

function besideOf(asked: Asked): Found {
  const { sourceId, fact, around } = asked;
  if (fact?.kind === 'record') return recordBeside(fact, asked);
  if (fact?.kind === 'no-record') return { beside: { kind: 'no-record', copy: fact.copy }, record: null };
  if (sourceId.startsWith('invocation:'))
    return { beside: { kind: 'run', run: sourceId.slice('invocation:'.length) }, record: null };
  if (!sourceId.startsWith('input:'))
    return { beside: { kind: 'unresolved', snapshotRef: fact?.item.snapshotRef ?? null }, record: null };
  const input = around.request?.get('input');
  if (input === undefined)
    return { beside: { kind: 'none', why: 'There is no request to compare with.' }, record: null };
  return { beside: { kind: 'input', hash: hashOf(input, 'dd-input-json-v1') }, record: input };
}

/** The record itself is shown even where nothing can be made of the hash that the evidence states. */
function recordBeside(
  { record, copy, item }: Extract<ItemFacts, { readonly kind: 'record' }>,
  { canonicalisation, around }: Asked,
): Found {
  const found = item.snapshotRef === null ? undefined : around.copies.copyFor(item.snapshotRef)?.find(item.sourceId);
  const known = canonicalisation !== null && isCanonicalisation(canonicalisation);
  const shown = found === undefined ? null : known ? (projectedOrNull(found, canonicalisation) ?? found) : found;
  const beside = { kind: 'record', copy } as const;
  switch (record.kind) {
    case 'hash':
      return { beside: { ...beside, hash: record.hash, note: null }, record: shown };
    case 'other-algorithm':
      return {
        beside: {
          ...beside,
          hash: null,
          note: `The evidence names the hash algorithm ${record.named ?? 'none'}, not sha256.`,
        },
        record: shown,
      };
    case 'unknown-canonicalisation':
      return {
        beside: {
          ...beside,
          hash: null,
          note: `The evidence names the canonicalisation ${record.named ?? 'none'}, which is not known.`,
        },
        record: shown,
      };
    case 'projection-refused':
      return {
        beside: { ...beside, hash: null, note: `The record cannot be projected under ${record.canonicalisation}.` },
        record: shown,
      };
  }
}
