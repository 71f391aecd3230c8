import { cut } from './visible.js';

/** What a timeline shows of a span; times are nanoseconds since the Unix epoch, null when the span states none. */
export interface TimedSpan {
  readonly name: string;
  readonly role: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly start: bigint | null;
  readonly end: bigint | null;
  readonly failed: boolean;
  readonly facts: { readonly sourceId?: string | undefined };
}

/** Longest timeline; Mermaid gets slow, and nobody reads on. */
const MAX_BARS = 40;

/** Mermaid counts whole milliseconds: a short run is drawn with its microseconds in their place. */
const SHORT_NS = 60_000_000_000n;

/**
 * The span tree of a run as a Mermaid gantt chart, children below their parents; null when no span states its times.
 * `faulty` holds the ids of spans that findings are about, which are drawn as critical.
 */
export function ganttOf(spans: readonly TimedSpan[], faulty: ReadonlySet<string> = new Set()): string | null {
  const rows = treeOrder(spans).flatMap((row) => barOf(row, faulty));
  const first = rows.reduce<bigint | null>(
    (least, { start }) => (least === null || start < least ? start : least),
    null,
  );
  const last = rows.reduce<bigint | null>((most, { end }) => (most === null || end > most ? end : most), null);
  if (first === null || last === null || last - first > LONGEST_NS) return null;
  const unit = last - first < SHORT_NS ? SHORT : LONG;
  const bars = rows.slice(0, MAX_BARS).map((bar, at) => {
    const start = (bar.start - first) / unit.ns;
    const end = (bar.end - first) / unit.ns;
    return `  ${at + 1} ${bar.label} :${bar.tags}s${at + 1}, ${start}, ${end > start ? end : start + 1n}`;
  });
  const title = rows.length > MAX_BARS ? `${unit.title}, ${MAX_BARS} of ${rows.length} spans` : unit.title;
  const tick = tickOf(Number((last - first) / unit.ns));
  const axis = tick % 1000 === 0 ? '%s' : '%s.%L';
  return [
    'gantt',
    `  title ${title}`,
    '  dateFormat x',
    `  axisFormat ${axis}`,
    `  tickInterval ${tick}millisecond`,
    ...bars,
  ].join('\n');
}

const SHORT = { ns: 1_000n, title: 'milliseconds since the first span began' } as const;
const LONG = { ns: 1_000_000n, title: 'seconds since the first span began' } as const;

/** A day: what lasts longer has a clock that nobody set. */
const LONGEST_NS = 86_400_000_000_000n;

/** A round number that a stretch holds at most eight times. */
function tickOf(length: number): number {
  const least = Math.max(1, length / 8);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((step) => step * power).find((tick) => tick >= least) ?? 10 * power;
}

interface Row {
  readonly span: TimedSpan;
  readonly depth: number;
}

/** Depth first from the spans without a parent in the file; each once, what hangs on a circle last. */
function treeOrder(spans: readonly TimedSpan[]): readonly Row[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, TimedSpan[]>();
  const tops: TimedSpan[] = [];
  for (const span of spans) {
    const siblings = span.parentId === null || !ids.has(span.parentId) ? tops : children.get(span.parentId);
    if (siblings === undefined) children.set(span.parentId ?? '', [span]);
    else siblings.push(span);
  }
  const seen = new Set<TimedSpan>();
  const rows: Row[] = [];
  const stack: Row[] = [...tops].reverse().map((span) => ({ span, depth: 0 }));
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    if (seen.has(row.span)) continue;
    seen.add(row.span);
    rows.push(row);
    const { depth } = row;
    for (const span of [...(children.get(row.span.spanId) ?? [])].reverse()) stack.push({ span, depth: depth + 1 });
  }
  return [...rows, ...spans.filter((span) => !seen.has(span)).map((span) => ({ span, depth: 0 }))];
}

interface Bar {
  readonly label: string;
  readonly tags: string;
  readonly start: bigint;
  readonly end: bigint;
}

function barOf({ span, depth }: Row, faulty: ReadonlySet<string>): readonly Bar[] {
  const { start, end } = span;
  if (start === null || end === null || end < start) return [];
  const source = span.facts.sourceId === undefined ? '' : ` ${span.facts.sourceId}`;
  const label = `${'· '.repeat(Math.min(depth, 8))}${plainLabel(`${span.name}${source}`)}`;
  return [{ label, tags: tagsOf(span, faulty), start, end }];
}

function tagsOf(span: TimedSpan, faulty: ReadonlySet<string>): string {
  if (span.failed || faulty.has(span.spanId)) return 'crit, ';
  if (span.role === 'chat') return 'active, ';
  return span.role === 'retrieval' ? 'done, ' : '';
}

/** Mermaid has no quoting that holds: letters, digits and a few marks pass, all else is a low line. */
function plainLabel(text: string): string {
  return cut(text, 60).replaceAll(/[^\p{L}\p{N} ._/…-]/gu, '_');
}
