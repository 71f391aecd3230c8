import type { Span } from '../trace/index.js';
import { MinHeap } from './min-heap.js';

/** The model calls of a run, in two accounts. */
export interface CallAccounts {
  /** As the conductor wrote them. */
  readonly seen: readonly Span[];
  /** As the agent did. */
  readonly declared: readonly Span[];
  /** The whole trace, in which parents are looked up. */
  readonly spans: readonly Span[];
  /** Agents that state the use of a model without showing a call. */
  readonly opaque: readonly Span[];
}

/** The calls of each account that none of the other one can be. */
export interface UnmatchedCalls {
  readonly unseen: readonly Span[];
  readonly undeclared: readonly Span[];
}

/**
 * How far two clocks of one machine may be apart: libraries take times from timers that drift, or cut them to
 * milliseconds. Declared times are the agent's own statement anyway, so that being exact would show nothing more.
 */
const CLOCK_SLACK_NS = 1_000_000_000n;

/**
 * Pairs the calls that began within each other, one to one: a call that was seen began while the one that declares it was under
 * way. Answered calls go first, so that an attempt that failed takes nobody's place; failed ones may stay alone. An
 * agent that hides its calls stands for all that began within it, and for one at least.
 */
export function matchCalls({ seen, declared, spans, opaque }: CallAccounts): UnmatchedCalls {
  const calls = innermost(declared, spans);
  const taken = new Set<Span>();
  const answered = pair(seen.filter(isAnswered), { declared: calls, taken });
  pair(
    seen.filter((span) => !isAnswered(span)),
    { declared: calls, taken },
  );
  const unseenAgents = opaque.filter((agent) => isAnswered(agent)).filter(withoutAny(seen));
  return {
    unseen: [...calls.filter((span) => isAnswered(span) && !taken.has(span)), ...unseenAgents],
    undeclared: opaque.length === 0 ? answered : answered.filter(outside(opaque)),
  };
}

function isAnswered({ failed }: Span): boolean {
  return !failed;
}

/** Takes a declared call for each that was seen, the one that ends first; returns those that were left without. */
function pair(
  seen: readonly Span[],
  { declared, taken }: { readonly declared: readonly Span[]; readonly taken: Set<Span> },
): readonly Span[] {
  const waiting = declared.filter((span) => !taken.has(span) && span.start !== null).sort(byStart);
  const open = new MinHeap<Span>(({ end }) => end ?? 0n);
  const left: Span[] = [];
  let next = 0;
  for (const span of [...seen].sort(byStart)) {
    const at = span.start ?? 0n;
    for (; next < waiting.length; next++) {
      const call = waiting[next];
      if (call === undefined || (call.start ?? 0n) > at + CLOCK_SLACK_NS) break;
      open.push(call);
    }
    let call = open.pop();
    while (call !== undefined && (call.end ?? 0n) + CLOCK_SLACK_NS < at) call = open.pop();
    if (call === undefined) left.push(span);
    else taken.add(call);
  }
  return left;
}

/** Whether none of some calls began within a span. */
function withoutAny(calls: readonly Span[]): (span: Span) => boolean {
  const starts = calls.flatMap(({ start }) => start ?? []).sort(ascending);
  return ({ start, end }) => {
    if (start === null || end === null) return true;
    const first = starts[firstAtLeast(starts, start - CLOCK_SLACK_NS)];
    return first === undefined || first > end + CLOCK_SLACK_NS;
  };
}

/** Whether a call began within none of some spans. */
function outside(spans: readonly Span[]): (call: Span) => boolean {
  const timed = spans.filter(({ start, end }) => start !== null && end !== null).sort(byStart);
  const starts = timed.map(({ start }) => (start ?? 0n) - CLOCK_SLACK_NS);
  // The furthest end of all that begin up to there.
  const ends: bigint[] = [];
  for (const { end } of timed) ends.push(larger(ends.at(-1) ?? 0n, (end ?? 0n) + CLOCK_SLACK_NS));
  return ({ start }) => {
    if (start === null) return true;
    const end = ends[firstAtLeast(starts, start + 1n) - 1];
    return end === undefined || end < start;
  };
}

/** Where the first of some ascending times stands that is not before another; their number when there is none. */
function firstAtLeast(times: readonly bigint[], least: bigint): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0n) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function ascending(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Frameworks record one call at several heights: the innermost spans are the calls. */
function innermost(declared: readonly Span[], spans: readonly Span[]): readonly Span[] {
  const byId = new Map<string, Span>();
  for (const span of spans) if (!byId.has(span.spanId)) byId.set(span.spanId, span);
  const above = new Set<Span>();
  for (const call of declared) {
    let at = parentOf(call, byId);
    while (at !== undefined && !above.has(at)) {
      above.add(at);
      at = parentOf(at, byId);
    }
  }
  return declared.filter((call) => !above.has(call));
}

function parentOf({ parentId }: Span, byId: ReadonlyMap<string, Span>): Span | undefined {
  return parentId === null ? undefined : byId.get(parentId);
}

function byStart({ start: one }: Span, { start: other }: Span): number {
  return ascending(one ?? 0n, other ?? 0n);
}
