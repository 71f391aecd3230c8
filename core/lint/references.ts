import type { JsonNode } from '../json/index.js';
import { type Citation, citationOf } from './citation.js';
import type { Trail } from './trail.js';

/** Something that is not what contract 5 calls well formed; G0 alone reports it. */
export interface Flaw {
  readonly kind: 'list' | 'entry';
  readonly of: 'grounded_on' | 'evidence';
  readonly node: JsonNode;
  readonly trail: Trail;
}

/** What a list of citations holds. */
export interface Cited {
  readonly citations: readonly Citation[];
  /** The first flaws, in the order of the file. */
  readonly flaws: readonly Flaw[];
  /** How many flaws there are besides. */
  readonly moreFlaws: number;
}

/** A flaw takes two bytes of an envelope and a hundred times as many to keep, so that only so many are kept. */
const MAX_FLAWS = 100_000;

/** Collects the entries of every `grounded_on` at any depth of a payload, inside references too (contract 5). */
export function referencesOf(payload: JsonNode | undefined): Cited {
  const found: Found = { citations: [], flaws: [], moreFlaws: 0 };
  if (payload === undefined) return found;
  // A stack of our own, since a model chose the depth; children are pushed last first, to keep the order of the file.
  const stack: Step[] = [{ node: payload, trail: { above: null, token: 'payload' } }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const children = childrenOf(step, found);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i] as Step);
  }
  return found;
}

/** Collects the items of an envelope's `evidence`; a missing or null one holds none. */
export function evidenceOf(envelope: JsonNode): Cited {
  const found: Found = { citations: [], flaws: [], moreFlaws: 0 };
  const node = envelope.present('evidence');
  if (node !== undefined) collect({ node, trail: EVIDENCE }, { of: 'evidence', found });
  return found;
}

/** Where a report points when the evidence lacks something; undefined when there is no evidence to point at. */
export function evidenceSpot(envelope: JsonNode): { readonly node: JsonNode; readonly trail: Trail } | undefined {
  const node = envelope.get('evidence');
  return node === undefined ? undefined : { node, trail: EVIDENCE };
}

const EVIDENCE: Trail = { above: null, token: 'evidence' };

interface Step {
  readonly node: JsonNode;
  readonly trail: Trail;
}

interface Found {
  readonly citations: Citation[];
  readonly flaws: Flaw[];
  moreFlaws: number;
}

function childrenOf(step: Step, found: Found): Step[] {
  const children: Step[] = [];
  for (const [token, node] of step.node.branches('grounded_on')) {
    const child = { node, trail: { above: step.trail, token } };
    if (token === 'grounded_on' && !node.isNull) collect(child, { of: 'grounded_on', found });
    if (holdsValues(node)) children.push(child);
  }
  return children;
}

function holdsValues(node: JsonNode): boolean {
  return node.size > 0;
}

function collect(list: Step, into: { readonly of: Flaw['of']; readonly found: Found }): void {
  const { of, found } = into;
  if (list.node.kind !== 'array') {
    addFlaw(found, { kind: 'list', of, node: list.node, trail: list.trail });
    return;
  }
  const items = list.node.items();
  for (let token = 0; token < items.length; token++) {
    const node = items[token] as JsonNode;
    const trail = { above: list.trail, token };
    const citation = citationOf(node, trail);
    if (citation === undefined) addFlaw(found, { kind: 'entry', of, node, trail });
    else found.citations.push(citation);
  }
}

function addFlaw(found: Found, flaw: Flaw): void {
  if (found.flaws.length < MAX_FLAWS) found.flaws.push(flaw);
  else found.moreFlaws++;
}
