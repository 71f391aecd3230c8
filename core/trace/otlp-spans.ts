import type { JsonNode } from '../json/index.js';
import { ShapeFacts } from '../json/shapes.js';
import { gateError } from '../model/error-codes.js';
import { type AsidesShape, asidesOf } from './asides.js';
import { Classifier, shownOf } from './classify.js';
import { factsOf } from './facts.js';
import { type Counter, countedLosses } from './losses.js';
import { OtlpAttributes } from './otlp-attributes.js';
import { misshapen } from './refusals.js';
import { type Loss, NO_FACTS, type Span } from './span.js';

/** By the integer of the enumeration; OTLP/JSON writes integers only. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'];
const COUNTERS: readonly Counter[] = [
  { key: 'droppedAttributesCount', what: 'attributes' },
  { key: 'droppedEventsCount', what: 'events' },
  { key: 'droppedLinksCount', what: 'links' },
];
const ASIDES: AsidesShape = {
  attributes: (node) => new OtlpAttributes(node),
  dropped: ['droppedAttributesCount'],
};
/** Spellings of other mappings and older versions: passed over as unknown, they would hide spans or what they say. */
const OTHER_SPELLINGS = new Set([
  'resource_spans',
  'scope_spans',
  'instrumentationLibrarySpans',
  'instrumentation_library_spans',
  'trace_id',
  'span_id',
  'parent_span_id',
  'start_time_unix_nano',
  'end_time_unix_nano',
  'dropped_attributes_count',
  'dropped_events_count',
  'dropped_links_count',
]);
const SAMPLED = 1n;
/** Emitters that fill in the other bits of `flags` and never those of W3C Trace Context (their OTLP exporters, 1.2x). */
const WITHOUT_TRACE_FLAGS = new Set(['python', 'go', 'rust']);
const MAX_TIME = 2n ** 64n - 1n;

/** The spans of one OTLP/JSON object, in its order. Throws `GateError`s of blame `unreadable`, as `readSpans` says. */
export function* otlpSpans(file: JsonNode, classifier = new Classifier()): Generator<Span> {
  const seen: Shapes = new ShapeFacts();
  refuseSpellings(file, { inner: 'resourceSpans', seen });
  const lines = new Lines(file);
  for (const resourceSpans of listOf(file, { key: 'resourceSpans', seen })) {
    const resource = resourceSpans.present('resource');
    const language = new OtlpAttributes(resource?.present('attributes')).text('telemetry.sdk.language');
    for (const scopeSpans of listOf(resourceSpans, { key: 'scopeSpans', seen })) {
      for (const node of listOf(scopeSpans, { key: 'spans', seen }))
        yield spanOf(node, { language, line: lines.of(node), classifier });
    }
  }
}

function spanOf(
  node: JsonNode,
  from: { readonly language: string | undefined; readonly line: number; readonly classifier: Classifier },
): Span {
  const name = node.get('name')?.string();
  const traceId = node.get('traceId')?.string()?.toLowerCase();
  const spanId = node.get('spanId')?.string()?.toLowerCase();
  if (name === undefined) throw misshapen(node, 'a span has no name');
  if (traceId === undefined || spanId === undefined) throw misshapen(node, 'a span has no traceId or no spanId');
  const attributes = new OtlpAttributes(node.present('attributes'));
  const parent = parentOf(node);
  const status = statusOf(node);
  const asides = asidesOf({ events: node.present('events'), links: node.present('links') }, ASIDES);
  const recognition = from.classifier.shown(shownOf(name, { attributes, asides }));
  const malformed = [
    ...(isId(traceId, 32) ? [] : ['traceId']),
    ...(isId(spanId, 16) ? [] : ['spanId']),
    ...(parent === null || isId(parent, 16) ? [] : ['parentSpanId']),
    ...(attributes.sound ? [] : ['attributes']),
    ...(status === undefined ? ['status'] : []),
    ...asides.malformed,
  ];
  const losses = [
    ...countedLosses(node, { counters: COUNTERS, attributes: attributes.size }),
    ...asides.losses,
    ...samplingLoss(node, from),
  ];
  return {
    role: recognition.role,
    recognition,
    name,
    traceId,
    spanId,
    parentId: parent,
    start: timeOf(node, 'startTimeUnixNano'),
    end: timeOf(node, 'endTimeUnixNano'),
    failed: status === 'ERROR',
    kind: kindOf(node),
    facts:
      malformed.length + losses.length === 0 && attributes.size === 0
        ? NO_FACTS
        : factsOf({ recognition, attributes, malformed, losses, ...MAY }),
    file: node.document.origin.file,
    line: from.line,
  };
}

const MAY = { mayConduct: true, listsDocuments: true, namesModels: true };

/** The objects of a list; none when it is absent. Throws for anything else, since it might have held spans. */
function listOf(node: JsonNode, { key, seen }: { readonly key: ListKey; readonly seen: Shapes }): readonly JsonNode[] {
  const list = node.present(key);
  if (list === undefined) return [];
  if (list.kind !== 'array') throw misshapen(list, `${key} is not a list`);
  const items = list.items();
  for (const item of items) {
    if (item.kind !== 'object') throw misshapen(item, `${key} holds something that is not an object`);
    refuseSpellings(item, { inner: BELOW[key], seen });
  }
  return items;
}

type ListKey = 'resourceSpans' | 'scopeSpans' | 'spans';

/** What the objects of each list hold in turn; spans hold no spans. */
const BELOW: Readonly<Record<ListKey, ListKey | null>> = {
  resourceSpans: 'scopeSpans',
  scopeSpans: 'spans',
  spans: null,
};

/** The key sequences in which nothing was refused, with the list that they may hold: spans mostly share one. */
type Shapes = ShapeFacts<ListKey | null>;

/** Throws for another spelling, and for a list of spans where none belongs: passed over, both would hide spans. */
function refuseSpellings(node: JsonNode, of: { readonly inner: ListKey | null; readonly seen: Shapes }): void {
  const { inner, seen } = of;
  if (seen.recall(node.document, node.index) === inner) return;
  for (const [key, value] of node.entries()) {
    if (OTHER_SPELLINGS.has(key)) throw misshapen(value, `${key} is not a member of OTLP/JSON`);
    if (Object.hasOwn(BELOW, key) && key !== inner) throw misshapen(value, `${key} stands where OTLP/JSON has none`);
  }
  seen.learn(node.document, node.index, inner);
}

function isId(text: string, digits: number): boolean {
  return text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text);
}

/** An empty parent is none, as protobuf has it; anything that is no string is no id either. */
function parentOf(node: JsonNode): string | null {
  const parent = node.present('parentSpanId');
  if (parent === undefined) return null;
  const id = parent.string();
  if (id === undefined) return parent.text().slice(0, 64);
  return id === '' ? null : id.toLowerCase();
}

/** Nanoseconds since the epoch, exactly; zero is protobuf's word for absent. */
function timeOf(node: JsonNode, key: string): bigint | null {
  const time = node.present(key);
  if (time === undefined) return null;
  const text = time.string() ?? time.lexeme() ?? '';
  const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= MAX_TIME) return value === 0n ? null : value;
  throw gateError('span-time', {
    blame: 'unreadable',
    message: `${key} is not a time in nanoseconds`,
    remedy: 'write it as a whole number below 2^64, or as a string of its digits',
    place: time.place(),
  });
}

function kindOf(node: JsonNode): string | null {
  const kind = node.present('kind');
  if (kind === undefined) return null;
  const text = kind.string() ?? kind.text();
  const name = KINDS[Number(kind.integer() ?? -1)] ?? KINDS.find((one) => text === `SPAN_KIND_${one}`);
  return name === undefined ? text.slice(0, 64) : `SpanKind.${name}`;
}

/** The name of the status code; undefined when it is none that OTLP knows. */
function statusOf(node: JsonNode): string | undefined {
  const status = node.present('status');
  if (status === undefined) return 'UNSET';
  if (status.kind !== 'object') return undefined;
  const code = status.present('code');
  if (code === undefined) return 'UNSET';
  return STATUS_CODES[code.integer() ?? -1] ?? STATUS_CODES.find((one) => code.string() === `STATUS_CODE_${one}`);
}

/** Whether `flags`, where the emitter fills it in, says that the span was not sampled. */
function samplingLoss(node: JsonNode, { language }: { readonly language: string | undefined }): readonly Loss[] {
  const flags = node.present('flags');
  if (flags === undefined) return [];
  const text = flags.string() ?? flags.lexeme() ?? '';
  const value = /^[0-9]{1,10}$/.test(text) ? BigInt(text) : 0n;
  if ((value & SAMPLED) === SAMPLED) return [];
  return value !== 0n && language !== undefined && WITHOUT_TRACE_FLAGS.has(language) ? [] : [{ kind: 'unsampled' }];
}

const LINE_FEED = 0x0a;

/** Counts the lines of spans in one pass, since a file may be a single object of a million spans. */
class Lines {
  readonly #bytes: Uint8Array;
  #line: number;
  #feed: number;

  constructor({ document: { bytes, from, origin } }: JsonNode) {
    this.#bytes = bytes;
    this.#line = origin.firstLine;
    this.#feed = bytes.indexOf(LINE_FEED, from);
  }

  /** The line of a node that stands behind the one asked for before. */
  of({ start }: JsonNode): number {
    while (this.#feed !== -1 && this.#feed < start) {
      this.#line++;
      this.#feed = this.#bytes.indexOf(LINE_FEED, this.#feed + 1);
    }
    return this.#line;
  }
}
