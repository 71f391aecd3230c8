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
  const roots: Span[] = [];
  for (const span of spans) if (span.role === 'root') roots.push(span);
  const root = roots.length === 1 ? roots[0] : undefined;
  if (root === undefined) return { spans, roots, root, ...NOTHING };
  const { holders, states, repeated } = holdersOf(spans, root);
  const covered = new Uint8Array(spans.length);
  const detached = reach({ spans, holders, states, covered });
  const above = root.parentId === null ? undefined : holders.get(root.parentId);
  const { retrievals, chats, auxiliaries, opaque, unexplained, unknown } = sorted({ spans, holders, states, covered });
  return {
    spans,
    roots,
    root,
    retrievals,
    chats,
    auxiliaries,
    opaque,
    unexplained,
    unknown,
    detached,
    repeated,
    rootParent: above === undefined ? undefined : spans[above],
  };
}

type Sorted = Pick<TraceTree, 'retrievals' | 'chats' | 'auxiliaries' | 'opaque' | 'unexplained' | 'unknown'>;

/** In the order of a tree that was grown, so that both are of one shape. */
const NOTHING = {
  retrievals: [],
  chats: [],
  auxiliaries: [],
  opaque: [],
  unexplained: [],
  unknown: [],
  detached: [],
  repeated: [],
  rootParent: undefined,
};

interface Reached extends Pick<Holders, 'holders' | 'states'> {
  readonly spans: readonly Span[];
  /** By index: what the steps above explain. */
  readonly covered: Uint8Array;
}

/** The reached spans, by what they are to the rules. */
function sorted(reached: Reached): Sorted {
  const { spans, states, covered } = reached;
  const retrievals: Span[] = [];
  const chats: Span[] = [];
  const auxiliaries: Span[] = [];
  const unexplained: Span[] = [];
  const unknown: Span[] = [];
  const stated: Span[] = [];
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index] as Span;
    if (states[index] !== REACHED) continue;
    const { role, claims, modelUse } = span.recognition;
    if (modelUse !== null && role !== 'set-up') stated.push(span);
    if (role === 'root') continue;
    if (claims.includes('retrieval')) retrievals.push(span);
    if (claims.includes('chat') || (role === 'wire' && covered[index] !== 2)) chats.push(span);
    else if (isAuxiliary(span.recognition)) auxiliaries.push(span);
    if (isUnexplained(span) && isOutgoing(span)) {
      if (covered[index] === 0) unexplained.push(span);
    } else if (role === 'other') unknown.push(span);
  }
  return {
    retrievals,
    chats,
    auxiliaries,
    opaque: withoutModelBelow(stated, chats, reached),
    unexplained,
    unknown,
  };
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
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index] as Span;
    if (span === root) states[index] = REACHED;
    const holder = holders.get(span.spanId);
    if (holder === undefined) {
      holders.set(span.spanId, index);
      continue;
    }
    if (!repeats.has(span.spanId)) repeats.set(span.spanId, span);
    states[span === root ? holder : index] = PASSED_OVER;
    if (span === root) holders.set(span.spanId, index);
  }
  return { holders, states, repeated: repeats.size === 0 ? [] : [...repeats.values()] };
}

/**
 * Follows parents upwards from every span of unknown state until a known one is met, then marks the path from its top
 * down, so that each is walked once. Returns what hangs from nothing.
 */
function reach({ spans, holders, states, covered }: Reached): TraceTree['detached'] {
  const detached: { span: Span; why: Detachment }[] = [];
  const path: number[] = [];
  for (let index = 0; index < spans.length; index++) {
    const start = spans[index] as Span;
    if (states[index] !== UNKNOWN) continue;
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
    let cover: Cover = end === REACHED ? coverBelow(at, { spans, covered }) : 0;
    for (let i = path.length - 1; i >= 0; i--) {
      const passed = path[i] as number;
      states[passed] = end === REACHED ? REACHED : DETACHED;
      covered[passed] = cover;
      cover = coverBelow(passed, { spans, covered });
    }
  }
  return detached;
}

/** What the span at an index, and the steps above it, explain of what stands below it. */
function coverBelow(index: number, { spans, covered }: Pick<Reached, 'spans' | 'covered'>): Cover {
  const span = spans[index];
  const own = span === undefined ? 0 : coverOf(span.recognition);
  return Math.max(own, covered[index] as Cover) as Cover;
}
