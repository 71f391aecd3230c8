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

/** Builds the tree in time and memory linear in the spans, whatever their parents say. */
export function growTree(spans: readonly Span[]): TraceTree {
  const roots = spans.filter((span) => span.role === 'root');
  const root = roots.length === 1 ? roots[0] : undefined;
  if (root === undefined)
    return { spans, roots, root, retrievals: [], chats: [], detached: [], repeated: [], rootParent: undefined };
  const { holders, repeated } = holdersOf(spans, root);
  const { states, detached } = reach({ spans, root, holders });
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

/** Index of the span that holds each id: the first in the file, but the root its own. */
function holdersOf(spans: readonly Span[], root: Span): { holders: Map<string, number>; repeated: Span[] } {
  const holders = new Map<string, number>();
  const repeats = new Map<string, Span>();
  spans.forEach((span, index) => {
    if (!holders.has(span.spanId)) holders.set(span.spanId, index);
    else if (!repeats.has(span.spanId)) repeats.set(span.spanId, span);
  });
  holders.set(root.spanId, spans.indexOf(root));
  return { holders, repeated: [...repeats.values()] };
}

/**
 * Follows parents upwards from every holder until something known is met, then marks the path: each span is walked
 * once. A span that holds no id stays unknown, and is neither judged nor walked.
 */
function reach(given: { spans: readonly Span[]; root: Span; holders: ReadonlyMap<string, number> }) {
  const { spans, root, holders } = given;
  const states = new Uint8Array(spans.length);
  const detached: { span: Span; why: Detachment }[] = [];
  const parentOf = (span: Span) => (span.parentId === null ? NOBODY : (holders.get(span.parentId) ?? NOBODY));
  states[holders.get(root.spanId) ?? NOBODY] = REACHED;
  const path: number[] = [];
  spans.forEach((start, index) => {
    if (holders.get(start.spanId) !== index) return;
    path.length = 0;
    let at = index;
    let top = start;
    while (at !== NOBODY && states[at] === UNKNOWN) {
      states[at] = ON_PATH;
      path.push(at);
      top = spans[at] ?? top;
      at = parentOf(top);
    }
    const end = at === NOBODY ? DETACHED : states[at];
    if (at === NOBODY) detached.push({ span: top, why: top.parentId === null ? 'parentless' : 'orphan' });
    else if (end === ON_PATH) detached.push({ span: spans[at] ?? top, why: 'cycle' });
    for (const passed of path) states[passed] = end === REACHED ? REACHED : DETACHED;
  });
  return { states, detached };
}
