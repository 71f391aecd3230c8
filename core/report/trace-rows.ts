/** What the tree of a trace shows of a span. Times are nanoseconds since the Unix epoch, null when the span states none. */
export interface ToldSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly start: bigint | null;
  readonly end: bigint | null;
  readonly failed: boolean;
  readonly kind: string | null;
  readonly recognition: {
    readonly role: string;
    readonly signs: readonly string[];
    readonly conflict: readonly [string, string] | null;
    readonly modelUse: string | null;
  };
  readonly facts: {
    readonly sourceId?: string | undefined;
    readonly contentHash?: string | undefined;
    readonly documents?: readonly { readonly sourceId: string; readonly contentHash: string }[] | undefined;
    readonly losses?: readonly unknown[] | undefined;
    readonly witnessed?: boolean | undefined;
  };
}

/** A span at its place in the tree; `above` says of each level above it, from the top, whether more follows there. */
export interface TraceRow<Of extends ToldSpan = ToldSpan> {
  readonly span: Of;
  readonly depth: number;
  /** No sibling follows. */
  readonly last: boolean;
  readonly above: TraceRow<Of> | null;
  /** The span hangs from nothing: its parent is not in the file, or parents go in a circle. */
  readonly detached: boolean;
}

/**
 * Depth first from the spans that have no parent in the file, siblings in the order of their starts; each span once,
 * what hangs on a circle last. Linear but for the sorting, and without recursion, whatever the parents say.
 */
export function traceRows<Of extends ToldSpan>(spans: readonly Of[]): readonly TraceRow<Of>[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, Of[]>();
  const tops: Of[] = [];
  for (const span of spans) {
    const siblings = span.parentId === null || !ids.has(span.parentId) ? tops : children.get(span.parentId);
    if (siblings === undefined) children.set(span.parentId ?? '', [span]);
    else siblings.push(span);
  }
  const seen = new Set<Of>();
  const rows: TraceRow<Of>[] = [];
  const walk = (from: readonly Of[], circle: boolean): void => {
    const stack = rowsOf(from, { above: null, circle });
    for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
      if (seen.has(row.span)) continue;
      seen.add(row.span);
      rows.push(row);
      // The first span of an id holds it; children go below it alone.
      const below = children.get(row.span.spanId) ?? [];
      children.delete(row.span.spanId);
      for (const child of rowsOf(below, { above: row, circle: false })) stack.push(child);
    }
  };
  walk(tops, false);
  for (const span of spans) if (!seen.has(span)) walk([span], true);
  return rows;
}

/** The rows of siblings, last one first, as a stack takes them. */
function rowsOf<Of extends ToldSpan>(
  spans: readonly Of[],
  at: { readonly above: TraceRow<Of> | null; readonly circle: boolean },
): TraceRow<Of>[] {
  const inOrder = [...spans].sort(byStart);
  return inOrder
    .map((span, index) => ({
      span,
      depth: at.above === null ? 0 : at.above.depth + 1,
      last: index === inOrder.length - 1,
      above: at.above,
      detached: at.circle || (at.above === null && span.recognition.role !== 'root'),
    }))
    .reverse();
}

function byStart(one: ToldSpan, other: ToldSpan): number {
  if (one.start === other.start) return 0;
  if (one.start === null) return 1;
  if (other.start === null) return -1;
  return one.start < other.start ? -1 : 1;
}
