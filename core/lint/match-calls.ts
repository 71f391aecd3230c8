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
  /** Calls of both that would be one, but for the names of their models. */
  readonly renamed: readonly { readonly declared: Span; readonly seen: Span }[];
}

/**
 * How far two clocks of one machine may be apart: libraries take times from timers that drift, or cut them to
 * milliseconds. Declared times are the agent's own statement anyway, so that being exact would show nothing more.
 */
const CLOCK_SLACK_NS = 1_000_000_000n;

/**
 * Pairs the calls that began within each other, one to one: a call that was seen began while the one that declares it was under
 * way, and every model that this one names is the one that was asked or the one that answered. Answered calls go first, so that an
 * attempt that failed takes nobody's place; failed ones may stay alone. An agent that hides its calls stands for all that began
 * within it and go by the names that it gives, and for one at least.
 */
export function matchCalls({ seen, declared, spans, opaque }: CallAccounts): UnmatchedCalls {
  const calls = innermost(declared, spans);
  const answered = pair(seen.filter(isAnswered), { declared: calls, named: true });
  const open = calls.filter((span) => !answered.taken.has(span));
  const failed = pair(
    seen.filter((span) => !isAnswered(span)),
    { declared: open, named: true },
  );
  const unseen = open.filter((span) => isAnswered(span) && !failed.taken.has(span));
  const undeclared = opaque.length === 0 ? answered.left : answered.left.filter(outside(opaque));
  const renamed = pair(undeclared, { declared: unseen, named: false });
  const unseenAgents = opaque.filter((agent) => isAnswered(agent)).filter(withoutAny(seen));
  return {
    unseen: [...unseen.filter((span) => !renamed.taken.has(span)), ...unseenAgents],
    undeclared: renamed.left,
    renamed: [...renamed.taken].map(([span, other]) => ({ declared: span, seen: other })),
  };
}

function isAnswered({ failed }: Span): boolean {
  return !failed;
}

interface Paired {
  /** The declared calls that were taken, each with the one that it was taken for. */
  readonly taken: ReadonlyMap<Span, Span>;
  /** The calls that were seen and left without. */
  readonly left: readonly Span[];
}

/** Takes a declared call for each that was seen, the one that ends first of those that go by its names, or of all. */
function pair(
  seen: readonly Span[],
  { declared, named }: { readonly declared: readonly Span[]; readonly named: boolean },
): Paired {
  const waiting = declared.filter((span) => span.start !== null).sort(byStart);
  const open = new Map<string, MinHeap<Span>>();
  const taken = new Map<Span, Span>();
  const left: Span[] = [];
  let next = 0;
  for (const span of [...seen].sort(byStart)) {
    const at = span.start ?? 0n;
    for (; next < waiting.length; next++) {
      const call = waiting[next];
      if (call === undefined || (call.start ?? 0n) > at + CLOCK_SLACK_NS) break;
      valueIn(open, named ? keyOf(call) : ANY, newHeap).push(call);
    }
    const call = earliest((named ? keysFor(span) : [ANY]).flatMap((key) => open.get(key) ?? [])).under(at);
    if (call === undefined) left.push(span);
    else taken.set(call, span);
  }
  return { taken, left };
}

const ANY = '';

function newHeap(): MinHeap<Span> {
  return new MinHeap(({ end }) => end ?? 0n);
}

/** Takes the call that ends first out of several heaps, of those that are under way; the times that are asked for ascend. */
function earliest(heaps: readonly MinHeap<Span>[]): { under(at: bigint): Span | undefined } {
  return {
    under(at) {
      let best: MinHeap<Span> | undefined;
      for (const heap of heaps) {
        while (heap.first !== undefined && (heap.first.end ?? 0n) + CLOCK_SLACK_NS < at) heap.pop();
        if (heap.first === undefined) continue;
        if (best?.first === undefined || (heap.first.end ?? 0n) < (best.first.end ?? 0n)) best = heap;
      }
      return best?.pop();
    },
  };
}

/** The names that a call gives, as a key; they stand in ascending order, each once. */
function keyOf({ facts: { models = [] } }: Span): string {
  return JSON.stringify(models);
}

/** The keys of all that may be said of a call that was seen: nothing, the model that was asked, the one that answered, or both. */
function keysFor({ facts: { models = [] } }: Span): readonly string[] {
  const alone = models.map((name) => [name]);
  return [...new Set([[], ...alone, models].map((names) => JSON.stringify(names)))];
}

function valueIn<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

/** Whether none of some calls that go by its names began within a span. */
function withoutAny(calls: readonly Span[]): (span: Span) => boolean {
  const starts = new Map<string, bigint[]>();
  for (const call of [...calls].filter(({ start }) => start !== null).sort(byStart))
    for (const key of keysFor(call)) valueIn(starts, key, (): bigint[] => []).push(call.start ?? 0n);
  return (span) => {
    const { start, end } = span;
    if (start === null || end === null) return true;
    const times = starts.get(keyOf(span)) ?? [];
    const first = times[firstAtLeast(times, start - CLOCK_SLACK_NS)];
    return first === undefined || first > end + CLOCK_SLACK_NS;
  };
}

/** Whether a call began within none of some spans, or goes by none of the names of those. */
function outside(spans: readonly Span[]): (call: Span) => boolean {
  const groups = new Map<string, Span[]>();
  for (const span of spans) valueIn(groups, keyOf(span), (): Span[] => []).push(span);
  const apart = new Map([...groups].map(([key, group]) => [key, outsideAll(group)]));
  return (call) => keysFor(call).every((key) => apart.get(key)?.(call) ?? true);
}

function outsideAll(spans: readonly Span[]): (call: Span) => boolean {
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
