import { parseTraceParent } from '@opentelemetry/core';

/** A span as another process names it: 32 and 16 lower-case hex digits. */
export interface SpanAddress {
  readonly traceId: string;
  readonly spanId: string;
}

/** W3C Trace Context `traceparent` of a span, always marked as sampled. */
export function traceparentOf({ traceId, spanId }: SpanAddress): string {
  return `00-${traceId}-${spanId}-01`;
}

/** The span that a `traceparent` names; null for anything that W3C Trace Context does not allow. */
export function parseTraceparent(header: string): SpanAddress | null {
  const context = parseTraceParent(header);
  return context === null ? null : { traceId: context.traceId, spanId: context.spanId };
}
