import { scaleUtc } from 'd3-scale';
import { timestampOf } from '../trace/timestamp.js';

/** Stretches of time that a chart counts by: about so many, of a length that a calendar knows. */
const ABOUT = 36;
/** Half the width of the axis when all runs were made at one instant, in milliseconds. */
const LONELY_MS = 1_800_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Stretches of time, one behind the other; edges are milliseconds since the Unix epoch, in ascending order. */
export interface Buckets {
  readonly edges: readonly number[];
  readonly first: number;
  readonly last: number;
  /** The stretch that an instant falls into. */
  indexOf(ms: number): number;
}

/** Cuts the time between the first and the last of many instants; null when there is none. */
export function bucketsOf(times: readonly number[]): Buckets | null {
  if (times.length === 0) return null;
  const [first, last] = extentOf(times);
  const lonely = first === last ? LONELY_MS : 0;
  const scale = scaleUtc()
    .domain([first - lonely, last + lonely])
    .nice(ABOUT);
  const edges = scale.ticks(ABOUT).map(Number);
  // Between two instants that are milliseconds apart no calendar helps.
  const whole = edges.length > 1 ? edges : [first - LONELY_MS, last + LONELY_MS];
  return { edges: whole, first, last, indexOf: (ms) => indexIn(whole, ms) };
}

function extentOf(times: readonly number[]): readonly [number, number] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return [first, last];
}

/** The last edge belongs to the last stretch. */
function indexIn(edges: readonly number[], ms: number): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((edges[middle] ?? 0) <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** An edge as a label: as exact as the stretches are long. `ms` counts from the Unix epoch, the text is in UTC. */
export function edgeText(ms: number, { edges }: Buckets): string {
  const iso = timestampOf(BigInt(Math.max(0, Math.trunc(ms))) * 1_000_000n);
  const [first = 0, second = 0] = edges;
  const step = second - first;
  if (step >= 28 * DAY_MS) return iso.slice(0, 7);
  if (step >= DAY_MS) return iso.slice(0, 10);
  if (step >= 60_000) return ms % DAY_MS === 0 ? iso.slice(0, 10) : iso.slice(11, 16);
  return step >= 1000 ? iso.slice(11, 19) : iso.slice(11, 21);
}
