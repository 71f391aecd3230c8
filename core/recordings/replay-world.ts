import { type JsonNode, parseJson } from '../json/index.js';
import type { Clock } from '../model/ports.js';
import { InstantReader, readSpans } from '../trace/index.js';
import { traceparentOf } from '../trace/traceparent.js';
import type { SpanIds } from '../trace/tracer.js';
import type { RecordedRun } from './recording.js';

/** The clocks and ids of one recorded run, so that a conductor makes the same documents of it again. */
export interface ReplayWorld {
  /** The conductor's: when the run was accepted, then when it was completed. */
  readonly clock: Clock;
  /** The tracer's: every start and end of the conductor's own spans, in the order in which they were read. */
  readonly traceClock: Clock;
  readonly ids: SpanIds;
  /** The traceparent of the span that asked for the run; undefined when none did. */
  readonly link: string | undefined;
}

/** Reads a run's times and ids back; what was written from a clock that never goes back is in order when it is sorted. */
export function replayWorld(run: RecordedRun): ReplayWorld {
  const spans = readSpans(Buffer.from(run.ownSpans.map((line) => `${line}\n`).join('')), { file: 'own spans' });
  // What doors saw was written with times of its own.
  const times = spans
    .filter(({ facts }) => facts.witnessed === undefined)
    .flatMap(({ start, end }) => [start ?? 0n, end ?? 0n])
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const instants = new InstantReader();
  const spanIds = tape(spans.map(({ spanId }) => spanId));
  return {
    clock: { nowNs: tape([run.startedAt, run.completedAt].map((time) => instants.read(time) ?? 0n)) },
    traceClock: { nowNs: tape(times) },
    ids: { traceId: () => spans[0]?.traceId ?? '', spanId: spanIds },
    link: linkOf(run),
  };
}

/** One value after the other; the last one stays. */
function tape<Value>(values: readonly Value[]): () => Value {
  let at = 0;
  return () => {
    const value = values[Math.min(at++, values.length - 1)];
    if (value === undefined) throw new Error('a recording holds no time or id');
    return value;
  };
}

function linkOf({ ownSpans: [root = '{}'] }: RecordedRun): string | undefined {
  const context = parseJson(Buffer.from(root), { file: 'own spans' }).get('links')?.items()[0]?.get('context');
  const [traceId, spanId] = [context?.get('trace_id'), context?.get('span_id')].map(digits);
  return traceId === undefined || spanId === undefined ? undefined : traceparentOf({ traceId, spanId });
}

function digits(node: JsonNode | undefined): string | undefined {
  return node?.string()?.replace(/^0x/, '');
}
