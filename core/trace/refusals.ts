import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';

/** `span-malformed`: a span, or what holds it, that contract 9 calls unreadable. */
export function misshapen(node: JsonNode, message: string): Error {
  const remedy =
    'write spans with a string name and string ids: context.trace_id and context.span_id, or OTLP/JSON with traceId and spanId';
  return gateError('span-malformed', { blame: 'unreadable', message, remedy, place: node.place() });
}
