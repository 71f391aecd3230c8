import type { Span } from '../trace/index.js';

/** Why a span does not descend from the root: it has no parent, its parent is not in the file, or parents go in a circle. */
export type Detachment = 'parentless' | 'orphan' | 'cycle';

/** The trace as the linter sees it (contract 5). Without exactly one root nothing is judged, and the lists are empty. */
export interface TraceTree {
  readonly spans: readonly Span[];
  /** Every span named `invoke_agent`, in the order of the file. */
  readonly roots: readonly Span[];
  readonly root: Span | undefined;
  /** Judged spans, in the order of the file. */
  readonly retrievals: readonly Span[];
  readonly chats: readonly Span[];
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
  if (root === undefined)
    return { spans, roots, root, retrievals: [], chats: [], detached: [], repeated: [], rootParent: undefined };
  const { holders, states, repeated } = holdersOf(spans, root);
  const detached = reach({ spans, holders, states });
  const reached = spans.filter((_, index) => states[index] === REACHED);
  const above = root.parentId === null ? undefined : holders.get(root.parentId);
  return {
    spans,
    roots,
    root,
    retrievals: reached.filter((span) => span.role === 'retrieval'),
    chats: reached.filter((span) => span.role === 'chat'),
    detached,
    repeated,
    rootParent: above === undefined ? undefined : spans[above],
  };
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
 * Follows parents upwards from every span of unknown state until a known one is met, then marks the path, so that each
 * is walked once. Returns what hangs from nothing.
 */
function reach(
  given: Pick<Holders, 'holders' | 'states'> & { readonly spans: readonly Span[] },
): TraceTree['detached'] {
  const { spans, holders, states } = given;
  const detached: { span: Span; why: Detachment }[] = [];
  const path: number[] = [];
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
    for (const passed of path) states[passed] = end === REACHED ? REACHED : DETACHED;
  });
  return detached;
}
