import type { Span } from '../trace/index.js';
import { type Cover, coverOf, isAuxiliary, isOutgoing, isUnexplained } from './span-classes.js';

/** Why a span does not descend from the root: it has no parent, its parent is not in the file, or parents go in a circle. */
export type Detachment = 'parentless' | 'orphan' | 'cycle';

/** The trace as the linter sees it (contract 5). Without exactly one root nothing is judged, and the lists are empty. */
export interface TraceTree {
  readonly spans: readonly Span[];
  /** Every span named `invoke_agent`, in the order of the file. */
  readonly roots: readonly Span[];
  readonly root: Span | undefined;
  /** Judged spans, in the order of the file: all that a sign makes a retrieval or a model call. */
  readonly retrievals: readonly Span[];
  readonly chats: readonly Span[];
  /** Steps that ask a model without having it answer: embeddings, rerankers, guardrails, evaluators. */
  readonly auxiliaries: readonly Span[];
  /** Agents that state the use of a model, with no model call below that would account for it. */
  readonly opaque: readonly Span[];
  /** Calls to elsewhere that no row of the dialects knows, and that belong to no step which is known. */
  readonly unexplained: readonly Span[];
  /** Other spans that no row knows. */
  readonly unknown: readonly Span[];
  /** One span for each part of the trace that hangs from nothing, or one on each circle; what is below goes with it. */
  readonly detached: readonly { readonly span: Span; readonly why: Detachment }[];
  /** For each id that stands more than once, the first span to repeat it. */
  readonly repeated: readonly Span[];
  /** The span in the file whose id the root names as its parent. */
  readonly rootParent: Span | undefined;
}

const NOBODY = -1;
const UNKNOWN = 0;
const ON_PATH = 1;
const REACHED = 2;
const DETACHED = 3;
const PASSED_OVER = 4;

/** Builds the tree in time and memory linear in the spans, whatever their parents say. */
export function growTree(spans: readonly Span[]): TraceTree {
  const roots = spans.filter((span) => span.role === 'root');
  const root = roots.length === 1 ? roots[0] : undefined;
  if (root === undefined) return { spans, roots, root, ...NOTHING, detached: [], repeated: [], rootParent: undefined };
  const { holders, states, repeated } = holdersOf(spans, root);
  const covered = new Uint8Array(spans.length);
  const detached = reach({ spans, holders, states, covered });
  const above = root.parentId === null ? undefined : holders.get(root.parentId);
  return {
    spans,
    roots,
    root,
    ...sorted({ spans, holders, states, covered }),
    detached,
    repeated,
    rootParent: above === undefined ? undefined : spans[above],
  };
}

type Sorted = Pick<TraceTree, 'retrievals' | 'chats' | 'auxiliaries' | 'opaque' | 'unexplained' | 'unknown'>;

const NOTHING: Sorted = { retrievals: [], chats: [], auxiliaries: [], opaque: [], unexplained: [], unknown: [] };

interface Reached extends Pick<Holders, 'holders' | 'states'> {
  readonly spans: readonly Span[];
  /** By index: what the steps above explain. */
  readonly covered: Uint8Array;
}

/** The reached spans, by what they are to the rules. */
function sorted(reached: Reached): Sorted {
  const lists = { retrievals: [], chats: [], auxiliaries: [], unexplained: [], unknown: [] } satisfies Record<
    string,
    Span[]
  > as Record<Exclude<keyof Sorted, 'opaque'>, Span[]>;
  const stated: Span[] = [];
  reached.spans.forEach((span, index) => {
    if (reached.states[index] !== REACHED) return;
    const { role, claims, modelUse } = span.recognition;
    if (modelUse !== null && role !== 'set-up') stated.push(span);
    if (role === 'root') return;
    if (claims.includes('retrieval')) lists.retrievals.push(span);
    if (claims.includes('chat') || (role === 'wire' && reached.covered[index] !== 2)) lists.chats.push(span);
    else if (isAuxiliary(span.recognition)) lists.auxiliaries.push(span);
    if (isOutgoing(span) && isUnexplained(span)) {
      if (reached.covered[index] === 0) lists.unexplained.push(span);
    } else if (role === 'other') lists.unknown.push(span);
  });
  return { ...lists, opaque: withoutModelBelow(stated, lists.chats, reached) };
}

/** The spans that are above no model call. Parents are climbed from each call until a known one, each span once. */
function withoutModelBelow(
  stated: readonly Span[],
  calls: readonly Span[],
  { spans, holders }: Reached,
): readonly Span[] {
  if (stated.length === 0) return stated;
  const above = new Set<Span>();
  for (const call of calls) {
    let at = parentOf(call, { spans, holders });
    while (at !== undefined && !above.has(at)) {
      above.add(at);
      at = parentOf(at, { spans, holders });
    }
  }
  return stated.filter((span) => !above.has(span));
}

function parentOf({ parentId }: Span, { spans, holders }: Pick<Reached, 'spans' | 'holders'>): Span | undefined {
  const index = parentId === null ? undefined : holders.get(parentId);
  return index === undefined ? undefined : spans[index];
}

interface Holders {
  /** Index of the span that holds each id: the first in the file, but the root its own. */
  readonly holders: ReadonlyMap<string, number>;
  /** By index: the root is reached, a span that does not hold its id is passed over, all others are unknown. */
  readonly states: Uint8Array;
  readonly repeated: readonly Span[];
}

function holdersOf(spans: readonly Span[], root: Span): Holders {
  const holders = new Map<string, number>();
  const states = new Uint8Array(spans.length);
  const repeats = new Map<string, Span>();
  spans.forEach((span, index) => {
    if (span === root) states[index] = REACHED;
    const holder = holders.get(span.spanId);
    if (holder === undefined) {
      holders.set(span.spanId, index);
      return;
    }
    if (!repeats.has(span.spanId)) repeats.set(span.spanId, span);
    states[span === root ? holder : index] = PASSED_OVER;
    if (span === root) holders.set(span.spanId, index);
  });
  return { holders, states, repeated: [...repeats.values()] };
}

/**
 * Follows parents upwards from every span of unknown state until a known one is met, then marks the path from its top
 * down, so that each is walked once. Returns what hangs from nothing.
 */
function reach({ spans, holders, states, covered }: Reached): TraceTree['detached'] {
  const detached: { span: Span; why: Detachment }[] = [];
  const path: number[] = [];
  const coverBelow = (index: number): Cover => {
    const span = spans[index];
    const own = span === undefined ? 0 : coverOf(span.recognition);
    return Math.max(own, covered[index] as Cover) as Cover;
  };
  spans.forEach((start, index) => {
    if (states[index] !== UNKNOWN) return;
    path.length = 0;
    let at = index;
    let top = start;
    while (at !== NOBODY && states[at] === UNKNOWN) {
      states[at] = ON_PATH;
      path.push(at);
      top = spans[at] ?? top;
      at = top.parentId === null ? NOBODY : (holders.get(top.parentId) ?? NOBODY);
    }
    const end = at === NOBODY ? DETACHED : states[at];
    if (at === NOBODY) detached.push({ span: top, why: top.parentId === null ? 'parentless' : 'orphan' });
    else if (end === ON_PATH) detached.push({ span: spans[at] ?? top, why: 'cycle' });
    let cover: Cover = end === REACHED ? coverBelow(at) : 0;
    for (let i = path.length - 1; i >= 0; i--) {
      const passed = path[i] as number;
      states[passed] = end === REACHED ? REACHED : DETACHED;
      covered[passed] = cover;
      cover = coverBelow(passed);
    }
  });
  return detached;
}
