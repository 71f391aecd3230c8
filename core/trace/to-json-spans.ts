import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { type Asides, type AsidesShape, asidesOf } from './asides.js';
import { JsonAttributes } from './attributes.js';
import type { Classifier } from './classify.js';
import { factsOf, namesModels } from './facts.js';
import { InstantReader } from './instant.js';
import { LastText } from './last-text.js';
import { ATTRIBUTE_LIMIT, type Counter, countedLosses, NO_LOSSES } from './losses.js';
import { ModelFacts } from './model-names.js';
import { misshapen } from './refusals.js';
import type { Loss, Span } from './span.js';
import { NO_FACTS } from './span.js';

/** The Python SDK counts what it drops and does not print it; others that write its shape may. */
const COUNTERS: readonly Counter[] = [
  { key: 'dropped_attributes', what: 'attributes' },
  { key: 'dropped_attributes_count', what: 'attributes' },
  { key: 'droppedAttributesCount', what: 'attributes' },
  { key: 'dropped_events', what: 'events' },
  { key: 'dropped_events_count', what: 'events' },
  { key: 'droppedEventsCount', what: 'events' },
  { key: 'dropped_links', what: 'links' },
  { key: 'dropped_links_count', what: 'links' },
  { key: 'droppedLinksCount', what: 'links' },
];

const ASIDES: AsidesShape = {
  attributes: (node) => new JsonAttributes(node),
  dropped: COUNTERS.flatMap(({ key, what }) => (what === 'attributes' ? [key] : [])),
};

/** The members that are read of a span; null ones count as absent, but for the name. */
const MEMBERS = [
  'name',
  'context',
  'parent_id',
  'start_time',
  'end_time',
  'status',
  'attributes',
  'events',
  'links',
  'kind',
];

/** Where a sequence of keys has the members that are read, in ascending order, and which they are. */
export interface MemberPlan {
  readonly positions: readonly number[];
  readonly slots: readonly number[];
  /** A counter of something that was dropped is among the keys. */
  readonly counts: boolean;
}

/** The plan for the spans that have the keys of this one, in this order. */
export function memberPlan(node: JsonNode): MemberPlan {
  const keys = node.entries().map(([key]) => key);
  const slots = keys.map((key) => MEMBERS.indexOf(key));
  return {
    positions: slots.flatMap((slot, position) => (slot === -1 ? [] : [position])),
    slots: slots.filter((slot) => slot !== -1),
    counts: COUNTERS.some(({ key }) => keys.includes(key)),
  };
}

/** Reads spans in the shape of contract 4, and keeps what neighbours share. All spans must be of one buffer. */
export class ToJsonReader {
  readonly #name = new LastText(true);
  readonly #traceId = new LastText(false);
  readonly #parentId = new LastText(false);
  readonly #kind = new LastText(true);
  readonly #status = new LastText(true);
  readonly #instants = new InstantReader();
  readonly #models = new ModelFacts();
  readonly #classifier: Classifier;
  readonly #found: (JsonNode | undefined)[] = [];

  constructor(classifier: Classifier) {
    this.#classifier = classifier;
  }

  /** One span. Throws `span-malformed` and `span-time`; all else that is wrong is kept for G0. */
  read(node: JsonNode, members: MemberPlan): Span {
    const [nameNode, context, parent, start, end, status, attributes, events, links, kind] = this.#members(
      node,
      members,
    );
    const name = this.#name.read(nameNode);
    if (name === undefined) throw misshapen(nameNode ?? node, 'a span has no name');
    const traceId = this.#traceId.read(context?.get('trace_id'), bareId);
    const spanId = context?.get('span_id')?.string();
    if (context === undefined || traceId === undefined || spanId === undefined)
      throw misshapen(context ?? node, 'a span has no trace_id or no span_id');
    const code = status?.present('status_code');
    const plan = this.#classifier.plan(attributes);
    const asides = asidesOf({ events, links }, ASIDES);
    const recognition = this.#classifier.read(name, { attributes, asides, plan });
    const malformed = malformedMembers({ parent, status, code, attributes, asides });
    const losses = lossesOf(node, { context, attributes: attributes?.size ?? 0, counts: members.counts, asides });
    const plain =
      malformed.length + losses.length === 0 && !plan.conductor && !recognition.claims.includes('retrieval');
    return {
      role: recognition.role,
      recognition,
      name,
      traceId,
      spanId: bareId(spanId),
      parentId: this.#parentId.read(parent, bareId) ?? null,
      start: timeOf(start, { key: 'start_time', instants: this.#instants }),
      end: timeOf(end, { key: 'end_time', instants: this.#instants }),
      failed: this.#status.read(code) === 'ERROR',
      kind: this.#kindOf(kind),
      facts: plain
        ? plan.models.length > 0 && namesModels(recognition)
          ? this.#models.at(attributes, plan.models)
          : NO_FACTS
        : factsOf({
            recognition,
            attributes: new JsonAttributes(attributes),
            malformed,
            losses,
            mayConduct: plan.conductor,
            listsDocuments: plan.documents,
            namesModels: plan.models.length > 0,
          }),
      file: node.document.origin.file,
      line: node.document.origin.firstLine,
    };
  }

  /** The members in the order of `MEMBERS`; the list is used again for the next span. */
  #members(node: JsonNode, { positions, slots }: MemberPlan): readonly (JsonNode | undefined)[] {
    const found = this.#found;
    found.length = 0;
    for (let slot = 0; slot < MEMBERS.length; slot++) found.push(undefined);
    const nodes = node.pick(positions);
    for (let i = 0; i < slots.length; i++) {
      const value = nodes[i];
      if (value?.isNull !== true) found[slots[i] as number] = value;
    }
    return found;
  }

  /** A kind that is no string is told by its text, so that it is not taken for none. */
  #kindOf(node: JsonNode | undefined): string | null {
    if (node === undefined) return null;
    return this.#kind.read(node) ?? node.text().slice(0, 64);
  }
}

function bareId(id: string): string {
  return id.startsWith('0x') ? id.slice(2) : id;
}

function timeOf(
  node: JsonNode | undefined,
  of: { readonly key: string; readonly instants: InstantReader },
): bigint | null {
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
  readonly asides: Asides;
}

/** A member of another type than contract 4 gives it might hide what it should state, so it is told, not guessed at. */
function malformedMembers({ parent, status, code, attributes, asides }: Members): readonly string[] {
  const flaws: string[] = [];
  if (parent !== undefined && parent.kind !== 'string') flaws.push('parent_id');
  if (attributes !== undefined && attributes.kind !== 'object') flaws.push('attributes');
  if (status !== undefined && status.kind !== 'object') flaws.push('status');
  if (code !== undefined && code.kind !== 'string') flaws.push('status_code');
  flaws.push(...asides.malformed);
  return flaws.length === 0 ? NO_FACTS.malformed : flaws;
}

function lossesOf(
  node: JsonNode,
  of: {
    readonly context: JsonNode;
    readonly attributes: number;
    readonly counts: boolean;
    readonly asides: Asides;
  },
): readonly Loss[] {
  const counters = of.counts ? COUNTERS : [];
  const counted =
    counters.length > 0 || of.attributes >= ATTRIBUTE_LIMIT
      ? countedLosses(node, { counters, attributes: of.attributes })
      : NO_LOSSES;
  const losses = of.asides.losses.length === 0 ? counted : [...counted, ...of.asides.losses];
  const flags = of.context.present('trace_flags');
  if (flags === undefined) return losses;
  const text = flags.string() ?? flags.lexeme() ?? '';
  return /^(0x)?0*[0-9a-f]?[13579bdf]$/i.test(text) ? losses : [...losses, { kind: 'unsampled' }];
}
