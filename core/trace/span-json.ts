import { type HrTime, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { timestampOf } from './timestamp.js';

const STATUS_NAMES: Readonly<Record<SpanStatusCode, string>> = {
  [SpanStatusCode.UNSET]: 'UNSET',
  [SpanStatusCode.OK]: 'OK',
  [SpanStatusCode.ERROR]: 'ERROR',
};

/** One line of `spans.jsonl`: a finished span in the members and the order of contract 4. */
export function spanJson(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  const parent = span.parentSpanContext;
  return JSON.stringify({
    name: span.name,
    context: { trace_id: `0x${traceId}`, span_id: `0x${spanId}`, trace_state: '[]' },
    kind: 'SpanKind.INTERNAL',
    parent_id: parent === undefined ? null : `0x${parent.spanId}`,
    start_time: timestampOf(nanoseconds(span.startTime)),
    end_time: timestampOf(nanoseconds(span.endTime)),
    status: {
      status_code: STATUS_NAMES[span.status.code],
      ...(span.status.message === undefined ? {} : { description: span.status.message }),
    },
    attributes: span.attributes,
    events: [],
    links: span.links.map(({ context }) => ({
      context: { trace_id: `0x${context.traceId}`, span_id: `0x${context.spanId}`, trace_state: '[]' },
      attributes: {},
    })),
    resource: { attributes: {}, schema_url: '' },
  });
}

/** Exact nanoseconds of the SDK's pair; its own helper goes through a double and loses the last digits. */
function nanoseconds([seconds, rest]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}
