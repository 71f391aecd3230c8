import { type JsonNode, parseJsonLines } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { classify, type SpanRole } from './classify.js';
import { instantOf } from './instant.js';
import { ATTRIBUTES, CONDUCTOR_ATTRIBUTES } from './names.js';
import { NO_FACTS, type Span, type SpanFacts } from './span.js';

/**
 * Reads a span file (contract 4): one span a line, blank lines skipped. Throws a `GateError` of blame `unreadable`
 * for what contract 9 calls unreadable: `json-*`, `spans-empty`, `span-malformed`, `span-time`. All else that is
 * wrong with a span is kept in it, for G0 to report.
 */
export function readSpans(bytes: Uint8Array, options: { readonly file: string }): Span[] {
  // Strings are cut out of a Buffer without a wrapper for each.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { file } = options;
  const spans: Span[] = [];
  let last: Span | undefined;
  for (const node of parseJsonLines(buffer, { file })) {
    last = spanOf(node, last);
    spans.push(last);
  }
  if (last === undefined) throw emptyFile(file);
  return spans;
}

/** Neighbours share most of their ids: taking over an equal string keeps one copy of it in memory. */
function spanOf(node: JsonNode, previous: Span | undefined): Span {
  if (node.kind !== 'object') throw malformed(node, 'a span line is not an object');
  const name = node.get('name')?.string();
  if (name === undefined) throw malformed(node.get('name') ?? node, 'a span has no name');
  const context = node.get('context');
  const traceId = idOf(context?.get('trace_id'));
  const spanId = idOf(context?.get('span_id'));
  if (traceId === undefined || spanId === undefined)
    throw malformed(context ?? node, 'a span has no trace_id or no span_id');
  const role = classify(name);
  const parentId = idOf(node.get('parent_id')) ?? null;
  const kind = node.get('kind')?.string() ?? null;
  return {
    role,
    name: previous?.name === name ? previous.name : name,
    traceId: previous?.traceId === traceId ? previous.traceId : traceId,
    spanId,
    parentId: previous?.parentId === parentId ? previous.parentId : parentId,
    start: timeOf(node, 'start_time'),
    end: timeOf(node, 'end_time'),
    failed: node.get('status')?.get('status_code')?.string() === 'ERROR',
    kind: previous?.kind === kind ? previous.kind : kind,
    facts: factsOf(node, role),
    file: node.document.origin.file,
    line: node.document.origin.firstLine,
  };
}

function idOf(node: JsonNode | undefined): string | undefined {
  const text = node?.string();
  return text?.startsWith('0x') ? text.slice(2) : text;
}

function timeOf(span: JsonNode, key: string): bigint | null {
  const node = span.present(key);
  if (node === undefined) return null;
  const text = node.string();
  const instant = text === undefined ? undefined : instantOf(text);
  if (instant !== undefined) return instant;
  throw gateError('span-time', {
    blame: 'unreadable',
    message: `${key} is not a time with an offset`,
    remedy: 'write it as RFC 3339 with Z or an offset and at most nine decimals',
    place: node.place(),
  });
}

function factsOf(node: JsonNode, role: SpanRole): SpanFacts {
  const attributes = node.get('attributes');
  const flaws = malformedMembers(node);
  const conductorAttributes = carried(attributes);
  const retrieval = role === 'retrieval';
  if (!retrieval && flaws === undefined && conductorAttributes === undefined) return NO_FACTS;
  return {
    sourceId: retrieval ? attributes?.get(ATTRIBUTES.sourceId)?.string() : undefined,
    contentHash: retrieval ? attributes?.get(ATTRIBUTES.contentHash)?.string() : undefined,
    groundingMode: conductorAttributes && attributes?.get(ATTRIBUTES.groundingMode)?.string(),
    inputHash: conductorAttributes && attributes?.get(ATTRIBUTES.inputHash)?.string(),
    conductorAttributes: conductorAttributes ?? NO_FACTS.conductorAttributes,
    malformed: flaws ?? NO_FACTS.malformed,
  };
}

/** The conductor's attributes that stand there and are not null; undefined for none. */
function carried(attributes: JsonNode | undefined): string[] | undefined {
  if (attributes === undefined || attributes.size === 0) return undefined;
  const names = CONDUCTOR_ATTRIBUTES.filter((name) => attributes.present(name) !== undefined);
  return names.length === 0 ? undefined : names;
}

/** A member of another type than contract 4 gives it might hide what it should state, so it is told, not guessed at. */
function malformedMembers(node: JsonNode): string[] | undefined {
  const parent = node.present('parent_id');
  const attributes = node.present('attributes');
  const status = node.present('status');
  const code = status?.present('status_code');
  const flaws: string[] = [];
  if (parent !== undefined && parent.kind !== 'string') flaws.push('parent_id');
  if (attributes !== undefined && attributes.kind !== 'object') flaws.push('attributes');
  if (status !== undefined && status.kind !== 'object') flaws.push('status');
  if (code !== undefined && code.kind !== 'string') flaws.push('status_code');
  return flaws.length === 0 ? undefined : flaws;
}

function malformed(node: JsonNode, message: string): Error {
  const remedy = 'write one object a line with a string name and context.trace_id and context.span_id';
  return gateError('span-malformed', { blame: 'unreadable', message, remedy, place: node.place() });
}

function emptyFile(file: string): Error {
  return gateError('spans-empty', {
    blame: 'unreadable',
    message: 'the span file holds no span',
    remedy: 'give the spans.jsonl of a finished run',
    place: { file },
  });
}
