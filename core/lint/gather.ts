import type { JsonNode } from '../json/index.js';
import { GROUNDING_MODES, type GroundingMode } from '../model/report.js';
import type { Span } from '../trace/index.js';
import { type Pair, pairOf } from './citation.js';
import { evidenceOf, referencesOf } from './references.js';
import type { Facts } from './rule.js';
import { growTree } from './trace-tree.js';
import { witnessOf } from './witness.js';

/** Reads out of the spans and the envelope what the rules ask; it judges nothing and takes any envelope (contract 5). */
export function gather(spans: readonly Span[], envelope: JsonNode): Facts {
  const tree = growTree(spans);
  const payload = envelope.present('payload');
  const references = referencesOf(payload);
  const evidence = evidenceOf(envelope);
  return {
    envelope,
    mode: modeOf(envelope),
    succeeded: envelope.get('outcome')?.get('status')?.word() === 'succeeded',
    tree,
    payload,
    references: references.citations,
    evidence: evidence.citations,
    flaws: references.flaws.concat(evidence.flaws),
    moreFlaws: references.moreFlaws + evidence.moreFlaws,
    fetched: fetchedBy(tree.retrievals),
    input: inputOf(envelope, tree.root),
    delegated: delegationsOf(envelope),
    witness: witnessOf(tree),
  };
}

function modeOf(envelope: JsonNode): GroundingMode | null {
  const stated = envelope.get('grounding_mode')?.word();
  return GROUNDING_MODES.find((mode) => mode === stated) ?? null;
}

/** A retrieval that failed, that lacks id or hash, or whose signs contradict each other fetched nothing that could be cited. */
function fetchedBy(retrievals: readonly Span[]): Pair[] {
  const fetched: Pair[] = [];
  for (const { failed, facts, recognition } of retrievals) {
    if (failed || recognition.conflict !== null) continue;
    const { sourceId, contentHash, documents } = facts;
    if (sourceId !== undefined && contentHash !== undefined) fetched.push({ sourceId, contentHash });
    for (const document of documents ?? []) fetched.push(document);
  }
  return fetched;
}

function inputOf(envelope: JsonNode, root: Span | undefined): Pair | undefined {
  const invocation = envelope.get('invocation_id')?.string();
  const contentHash = root?.facts.inputHash;
  if (invocation === undefined || contentHash === undefined) return undefined;
  return { sourceId: `input:${invocation}`, contentHash };
}

/** A malformed delegation counts as absent, and no rule reports it (contract 5). */
function delegationsOf(envelope: JsonNode): Pair[] {
  const delegated: Pair[] = [];
  for (const item of envelope.get('delegations')?.items() ?? []) {
    const pair = pairOf(item, 'delegated_invocation_id');
    if (pair !== undefined) delegated.push({ sourceId: `invocation:${pair.sourceId}`, contentHash: pair.contentHash });
  }
  return delegated;
}
