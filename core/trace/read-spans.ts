import { type JsonNode, parseJsonLines } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { classify, type SpanRole } from './classify.js';
import { InstantReader } from './instant.js';
import { LastText } from './last-text.js';
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
  const memory = new Memory();
  const spans: Span[] = [];
  for (const node of parseJsonLines(buffer, options)) spans.push(spanOf(node, memory));
  if (spans.length === 0) throw emptyFile(options.file);
  return spans;
}

/** What is kept from span to span: one memory for each member that neighbours share. */
class Memory {
  readonly name = new LastText();
  readonly traceId = new LastText();
  readonly parentId = new LastText();
  readonly kind = new LastText();
  readonly status = new LastText();
  readonly instants = new InstantReader();
}

function spanOf(node: JsonNode, memory: Memory): Span {
  if (node.kind !== 'object') throw malformed(node, 'a span line is not an object');
  const nameNode = node.get('name');
  const name = memory.name.read(nameNode);
  if (name === undefined) throw malformed(nameNode ?? node, 'a span has no name');
  const context = node.get('context');
  const traceId = memory.traceId.read(context?.get('trace_id'), bareId);
  const spanId = context?.get('span_id')?.string();
  if (traceId === undefined || spanId === undefined)
    throw malformed(context ?? node, 'a span has no trace_id or no span_id');
  const parent = node.present('parent_id');
  const status = node.present('status');
  const code = status?.present('status_code');
  const attributes = node.present('attributes');
  const role = classify(name);
  return {
    role,
    name,
    traceId,
    spanId: bareId(spanId),
    parentId: memory.parentId.read(parent, bareId) ?? null,
    start: timeOf(node, { key: 'start_time', instants: memory.instants }),
    end: timeOf(node, { key: 'end_time', instants: memory.instants }),
    failed: memory.status.read(code) === 'ERROR',
    kind: memory.kind.read(node.get('kind')) ?? null,
    facts: factsOf({ role, attributes, malformed: malformedMembers({ parent, status, code, attributes }) }),
    file: node.document.origin.file,
    line: node.document.origin.firstLine,
  };
}

function bareId(id: string): string {
  return id.startsWith('0x') ? id.slice(2) : id;
}

function timeOf(span: JsonNode, of: { readonly key: string; readonly instants: InstantReader }): bigint | null {
  const node = span.present(of.key);
  if (node === undefined) return null;
  const instant = instantOf(node, of.instants);
  if (instant !== undefined) return instant;
  throw gateError('span-time', {
    blame: 'unreadable',
    message: `${of.key} is not a time with an offset`,
    remedy: 'write it as RFC 3339 with Z or an offset and at most nine decimals',
    place: node.place(),
  });
}

/** Read where it stands, without a string for each; one that is written with escapes is decoded first. */
function instantOf(node: JsonNode, instants: InstantReader): bigint | undefined {
  if (node.kind !== 'string') return undefined;
  return instants.readQuoted(node.document.bytes, node.start) ?? instants.read(node.string() ?? '');
}

/** A span's members that are there and not null. */
interface Members {
  readonly parent: JsonNode | undefined;
  readonly status: JsonNode | undefined;
  readonly code: JsonNode | undefined;
  readonly attributes: JsonNode | undefined;
}

/** A member of another type than contract 4 gives it might hide what it should state, so it is told, not guessed at. */
function malformedMembers({ parent, status, code, attributes }: Members): readonly string[] {
  const flaws: string[] = [];
  if (parent !== undefined && parent.kind !== 'string') flaws.push('parent_id');
  if (attributes !== undefined && attributes.kind !== 'object') flaws.push('attributes');
  if (status !== undefined && status.kind !== 'object') flaws.push('status');
  if (code !== undefined && code.kind !== 'string') flaws.push('status_code');
  return flaws.length === 0 ? NO_FACTS.malformed : flaws;
}

interface FactsInit {
  readonly role: SpanRole;
  readonly attributes: JsonNode | undefined;
  readonly malformed: readonly string[];
}

function factsOf({ role, attributes, malformed }: FactsInit): SpanFacts {
  const conductorAttributes = attributes === undefined ? NO_FACTS.conductorAttributes : carried(attributes);
  const conductor = conductorAttributes.length > 0 ? attributes : undefined;
  const retrieval = role === 'retrieval' ? attributes : undefined;
  if (conductor === undefined && retrieval === undefined && malformed.length === 0) return NO_FACTS;
  return {
    sourceId: retrieval?.get(ATTRIBUTES.sourceId)?.string(),
    contentHash: retrieval?.get(ATTRIBUTES.contentHash)?.string(),
    groundingMode: conductor?.get(ATTRIBUTES.groundingMode)?.string(),
    inputHash: conductor?.get(ATTRIBUTES.inputHash)?.string(),
    conductorAttributes,
    malformed,
  };
}

/** The conductor's attributes that stand there and are not null. */
function carried(attributes: JsonNode): readonly string[] {
  const names: string[] = [];
  for (const name of CONDUCTOR_ATTRIBUTES) if (attributes.present(name) !== undefined) names.push(name);
  return names.length === 0 ? NO_FACTS.conductorAttributes : names;
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
