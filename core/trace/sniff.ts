import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';

/** How an object writes spans: one span as the Python SDK prints it (contract 4), or OTLP/JSON. */
export type SpanShape = 'to_json' | 'otlp';

const NAMES: Readonly<Record<SpanShape, string>> = {
  to_json: "the Python SDK's to_json (name, context)",
  otlp: 'OTLP/JSON (resourceSpans)',
};

/** What other shapes are called, by members that only they have; they are refused by that name. */
const OTHERS: readonly (readonly [members: readonly string[], name: string])[] = [
  [['traceId', 'id'], "the JavaScript SDK's console exporter"],
  [['resource_spans'], 'OTLP with names in snake case'],
  [['scopeSpans'], 'a part of OTLP/JSON without its resourceSpans'],
  [['traceId', 'spanId'], 'a span of OTLP/JSON without its resourceSpans'],
  [['resourceMetrics'], 'metrics in OTLP/JSON'],
  [['resourceLogs'], 'logs in OTLP/JSON'],
  [['traceID', 'spans'], "Jaeger's JSON"],
  [['data'], "an answer of Jaeger's or Tempo's query service"],
  [['batches'], "Tempo's JSON"],
];

/** What an object of OTLP/JSON may hold of other signals: passed over, it could hide what the spans should say. */
const OTHER_SIGNALS = ['resourceMetrics', 'resourceLogs', 'resourceProfiles'];

/** The most members that a refusal lists. */
const LISTED = 6;

/**
 * The shape of one object of a span file. Throws `spans-shape` for one that is not known, by its name or its members,
 * and `spans-mixed` for one that has the marks of two.
 */
export function shapeOf(node: JsonNode): SpanShape {
  const otlp = node.has('resourceSpans');
  const toJson = node.has('context');
  if (otlp && (toJson || node.has('traceId')))
    throw mixed(node, 'one object has the members of a span and of OTLP/JSON');
  const signal = OTHER_SIGNALS.find((member) => node.has(member));
  if (otlp && signal !== undefined) throw mixed(node, `one object has the members of spans and ${signal}`);
  if (toJson && node.has('traceId')) throw mixed(node, 'one object has the members of two shapes of spans');
  if (otlp) return 'otlp';
  if (toJson) return 'to_json';
  const other = OTHERS.find(([members]) => members.every((member) => node.has(member)));
  // A span without its context is one of contract 4 that lacks its ids, and its reader says so.
  if (other === undefined && node.has('name')) return 'to_json';
  const members = node.entries().map(([key]) => JSON.stringify(key.slice(0, 40)));
  const listed =
    members.length === 0 ? 'an object without members' : `an object with ${members.slice(0, LISTED).join(', ')}`;
  // The one mix-up of arguments that everybody makes once.
  const isEnvelope = node.has('outcome') && node.has('invocation_id');
  throw gateError('spans-shape', {
    blame: 'unreadable',
    message: `this is ${isEnvelope ? 'an envelope' : (other?.[1] ?? listed)}, which is not a shape that is read`,
    remedy: isEnvelope
      ? 'name the file of the spans here, before the envelope'
      : `write spans as ${Object.values(NAMES).join(' or as ')}`,
    place: node.place(),
  });
}

/** Throws `spans-mixed` when an object is of another shape than those before it. */
export function refuseMixture(node: JsonNode, shapes: { readonly before: SpanShape; readonly now: SpanShape }): void {
  if (shapes.before !== shapes.now)
    throw mixed(node, `this is ${NAMES[shapes.now]}, and the file began with ${NAMES[shapes.before]}`);
}

function mixed(node: JsonNode, message: string): Error {
  const remedy = 'keep one shape a file';
  return gateError('spans-mixed', { blame: 'unreadable', message, remedy, place: node.place() });
}
