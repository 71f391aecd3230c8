import {
  type Attributes,
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AlwaysOnSampler, BasicTracerProvider, type Span } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../model/ports.js';
import { SPAN_NAMES } from './names.js';
import { spanJson } from './span-json.js';
import { parseTraceparent, type SpanAddress, traceparentOf } from './traceparent.js';

/** Where span and trace ids come from; the real one is in core/io. */
export interface SpanIds {
  /** 32 lower-case hex digits, not all zero. */
  traceId(): string;
  /** 16 lower-case hex digits, not all zero. */
  spanId(): string;
}

/** What a span's start and end are read from, and what names it. */
export interface TracerWorld {
  readonly clock: Clock;
  readonly ids: SpanIds;
}

/** Span attributes of contract 4. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A started span. `end` returns its times in nanoseconds since the epoch; a second `end` is an internal error. */
export interface RecordedSpan {
  readonly address: SpanAddress;
  set(attributes: SpanAttributes): void;
  /** Marks the span as ERROR with a description. */
  fail(description: string): void;
  end(): { readonly startNs: bigint; readonly endNs: bigint };
}

/** When a step began and ended, in nanoseconds since the epoch; `failure` is null when it did not fail. */
export interface PastStep {
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly failure: string | null;
}

/** How a span starts; `links` are spans of other traces that it belongs with. */
export interface StartOptions {
  readonly attributes?: SpanAttributes;
  readonly parent?: SpanAddress;
  readonly links?: readonly SpanAddress[];
}

/** Records spans below one parent; nothing is registered globally and no parent is implied. */
export interface SpanRecorder {
  /** Starts a span below `parent`, or below the recorder's own parent when none is given. */
  start(name: string, options?: StartOptions): RecordedSpan;
  /** Adds the span of a step that is over. */
  record(name: string, step: PastStep, options?: StartOptions): void;
  /** Spans started and not yet ended. */
  readonly open: number;
  /** The finished spans as one-line JSON texts (contract 4), in the order of their starts. */
  finished(): readonly string[];
}

/** Records the spans of one process in the trace that `traceparent` names; without one, the first span begins a trace. */
export function recordSpans({ clock, ids }: TracerWorld, traceparent?: string): SpanRecorder {
  return recorderOn(tracerOf(ids), {
    clock,
    home: traceparent === undefined ? ROOT_CONTEXT : below(addressOf(traceparent)),
  });
}

function recorderOn(tracer: Tracer, { clock, home }: { readonly clock: Clock; readonly home: Context }): SpanRecorder {
  const started: Span[] = [];
  const begin = (name: string, startNs: bigint, { attributes = {}, parent, links = [] }: StartOptions) => {
    const span = tracer.startSpan(
      name,
      {
        startTime: hrTime(startNs),
        attributes: attributes as Attributes,
        links: links.map((address) => ({ context: { ...address, traceFlags: TraceFlags.SAMPLED } })),
      },
      parent === undefined ? home : below(parent),
    );
    // Whatever the SDK starts can be read as well, and nothing is left out by its sampler.
    started.push(span as Span);
    return span;
  };

  return {
    start(name, options = {}) {
      const startNs = clock.nowNs();
      const span = begin(name, startNs, options);
      const { traceId, spanId } = span.spanContext();
      return {
        address: { traceId, spanId },
        set: (more) => void span.setAttributes(more as Attributes),
        fail: (description) => void span.setStatus({ code: SpanStatusCode.ERROR, message: description }),
        end() {
          if (!span.isRecording()) throw new Error(`the span ${name} was ended twice`);
          const endNs = clock.nowNs();
          span.end(hrTime(endNs));
          return { startNs, endNs };
        },
      };
    },
    record(name, { startNs, endNs, failure }, options = {}) {
      const span = begin(name, startNs, options);
      if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end(hrTime(endNs));
    },
    get open() {
      return started.filter((span) => span.isRecording()).length;
    },
    finished: () => started.filter((span) => !span.isRecording()).map(spanJson),
  };
}

/** The conductor's tracer: one trace a run, with the root span `invoke_agent` (core/conductor/ports.ts declares what it must do). */
export function createTracer({ clock, ids }: TracerWorld) {
  const tracer = tracerOf(ids);
  return {
    startRun(attributes: SpanAttributes, { link }: { readonly link?: string } = {}) {
      const recorder = recorderOn(tracer, { clock, home: ROOT_CONTEXT });
      const linked = link === undefined ? null : parseTraceparent(link);
      const root = recorder.start(SPAN_NAMES.root, { attributes, links: linked === null ? [] : [linked] });
      return {
        traceId: root.address.traceId,
        traceparent: traceparentOf(root.address),
        child: (name: string, more: SpanAttributes) => recorder.start(name, { attributes: more, parent: root.address }),
        record: (name: string, step: PastStep, more: SpanAttributes) =>
          recorder.record(name, step, { attributes: more, parent: root.address }),
        finish(more: SpanAttributes): readonly string[] {
          root.set(more);
          root.end();
          return recorder.finished();
        },
      };
    },
  };
}

/** Sampler and limits are given, since the SDK would otherwise let OTEL_* variables drop spans and attributes. */
function tracerOf(ids: SpanIds): Tracer {
  const provider = new BasicTracerProvider({
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeCountLimit: 128, attributeValueLengthLimit: Number.POSITIVE_INFINITY },
    idGenerator: { generateTraceId: () => ids.traceId(), generateSpanId: () => ids.spanId() },
    spanProcessors: [],
  });
  return provider.getTracer('grounding-gate');
}

function addressOf(traceparent: string): SpanAddress {
  const address = parseTraceparent(traceparent);
  if (address === null) throw new Error(`not a traceparent: ${JSON.stringify(traceparent)}`);
  return address;
}

function below({ traceId, spanId }: SpanAddress): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}

/** The SDK keeps a pair of seconds and nanoseconds exactly; any other form of time loses digits. */
function hrTime(ns: bigint): HrTime {
  return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
}
