import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { firstFinish } from '../lint/first-finish.js';
import { growTree } from '../lint/trace-tree.js';
import { type TraceRow, traceRows } from '../report/trace-rows.js';
import { firstStart } from '../report/trace-text.js';
import type { Span } from '../trace/index.js';

/** Spans that a page shows; a model chose how many there are. */
export const MOST_SPANS = 400;

/** What kind of step a bar stands for; each has a shape of its own. */
export type BarKind = 'retrieval' | 'chat' | 'agent' | 'step';

/** One span at its place in the tree, and where its bar goes: percent of the width, null when it states no times. */
export interface TimelineRow {
  readonly row: TraceRow<Span>;
  readonly kind: BarKind;
  readonly bar: { readonly from: number; readonly width: number } | null;
}

/** A tick of the axis: percent of the width, nanoseconds since the first span began. */
export interface Tick {
  readonly at: number;
  readonly ns: bigint;
}

/** When G1 turns on: from then on a model may be asked. `at` is in percent, null when no retrieval ever finished. */
export interface G1Moment {
  readonly at: number | null;
  readonly ns: bigint | null;
}

/** A trace drawn to scale. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** Spans that are not shown. */
  readonly more: number;
  readonly ticks: readonly Tick[];
  /** Null outside the mode `retrieval`, where G1 does not apply. */
  readonly g1: G1Moment | null;
  /** Nanoseconds from the first start to the last end; null when the trace states no times. */
  readonly length: bigint | null;
  /** Nanoseconds that the axis shows when the run itself went on for long after its last step; else null. */
  readonly axisEnd: bigint | null;
  readonly first: bigint | null;
  readonly witnessed: boolean;
}

/** What a timeline depends on besides its spans. */
export interface TimelineOptions {
  readonly mode: string | null;
  /** Ids of spans that findings are about. */
  readonly faulty: ReadonlySet<string>;
  /** Whether the conductor saw some of the run itself, so that its marks on spans mean something. */
  readonly witnessed: boolean;
}

/** Lays out a trace; spans that findings are about come first where not all of them have room. */
export function timelineOf(spans: readonly Span[], { mode, faulty, witnessed }: TimelineOptions): Timeline {
  const first = firstStart(spans);
  const last = lastEnd(spans);
  const axisEnd = first === null || last === null ? null : axisEndOf(spans, { first, last });
  const scale = first === null || last === null ? null : scaleOf(axisEnd ?? last - first);
  const all = traceRows(spans);
  const shown = chosen(all, faulty);
  return {
    rows: shown.map((row) => ({ row, kind: kindOf(row.span), bar: barOf(row.span, { first, scale }) })),
    more: all.length - shown.length,
    ticks: scale === null ? [] : ticksOf(scale),
    g1: mode === 'retrieval' ? g1Of(spans, { first, scale }) : null,
    length: first === null || last === null ? null : last - first,
    axisEnd,
    first,
    witnessed,
  };
}

const TICKS = 4;
/** Where a label would leave the lane. */
const LAST_LABEL = 93;

function ticksOf(scale: ScaleLinear<number, number>): readonly Tick[] {
  const ticks = scale.ticks(TICKS).map((ns) => ({ at: scale(ns), ns: BigInt(Math.round(ns)) }));
  return ticks.filter(({ at }) => at <= LAST_LABEL);
}

/** How many times as long as all of its steps a run may be before its steps are drawn on a shorter axis. */
const LONG_TAIL = 4n;

/** Where the axis ends when the steps of a run would all stand on one spot: a little after the last of them. */
function axisEndOf(
  spans: readonly Span[],
  { first, last }: { readonly first: bigint; readonly last: bigint },
): bigint | null {
  const steps = spans.filter(({ role }) => role !== 'root');
  const end = lastEnd(steps);
  if (end === null || end <= first || (end - first) * LONG_TAIL > last - first) return null;
  return ((end - first) * 11n) / 10n;
}

interface Axis {
  readonly first: bigint | null;
  readonly scale: ScaleLinear<number, number> | null;
}

/** Nanoseconds since the first start to percent; a trace without length still has a width to divide by. */
function scaleOf(length: bigint): ScaleLinear<number, number> {
  return scaleLinear()
    .domain([0, Math.max(1, Number(length))])
    .range([0, 100])
    .clamp(true);
}

function lastEnd(spans: readonly Span[]): bigint | null {
  let last: bigint | null = null;
  for (const { start, end } of spans) {
    const at = end ?? start;
    if (at !== null && (last === null || at > last)) last = at;
  }
  return last;
}

function barOf({ start, end }: Span, { first, scale }: Axis): TimelineRow['bar'] {
  if (start === null || end === null || end < start || first === null || scale === null) return null;
  const from = scale(Number(start - first));
  return { from, width: scale(Number(end - first)) - from };
}

function kindOf({ recognition }: Span): BarKind {
  const { role, claims } = recognition;
  if (claims.includes('chat') || role === 'wire') return 'chat';
  if (claims.includes('retrieval')) return 'retrieval';
  return role === 'root' || role === 'agent' || role === 'delegate' ? 'agent' : 'step';
}

function g1Of(spans: readonly Span[], { first, scale }: Axis): G1Moment {
  const moment = firstFinish(growTree(spans));
  if (moment === undefined || first === null || scale === null) return { at: null, ns: null };
  return { at: scale(Number(moment - first)), ns: moment - first };
}

/** As many rows as there is room for, in their order: faulty spans, then what the rules judge, then the rest. */
function chosen(rows: readonly TraceRow<Span>[], faulty: ReadonlySet<string>): readonly TraceRow<Span>[] {
  if (rows.length <= MOST_SPANS) return rows;
  const rank = ({ span }: TraceRow<Span>): number => {
    if (faulty.has(span.spanId) || span.role === 'root') return 0;
    return kindOf(span) === 'step' ? 2 : 1;
  };
  const ranked = [0, 1, 2].flatMap((wanted) => rows.filter((row) => rank(row) === wanted));
  const kept = new Set(ranked.slice(0, MOST_SPANS));
  return rows.filter((row) => kept.has(row));
}
