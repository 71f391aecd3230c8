import type { JsonNode } from '../json/index.js';
import { ShapeFacts } from '../json/shapes.js';
import { shortened } from '../model/wording.js';
import type { Asides } from './asides.js';
import { type AttributeSet, JsonAttributes } from './attributes.js';
import { type KeyEntry, type Match, TableIndex } from './dialects/index-table.js';
import { isPermissive, type Row } from './dialects/row.js';
import { DIALECTS } from './dialects/table.js';
import { isDocumentKey } from './documents.js';
import { LastValues } from './last-values.js';
import { isModelKey } from './model-names.js';
import { RESERVED_ATTRIBUTES, SPAN_NAMES } from './names.js';
import { type Hit, type Recognition, resolve, UNRECOGNISED } from './recognition.js';
import { type ShownAttribute, shownAttributes } from './shown.js';

/** What a span shows of itself. Attributes that are null are left out; `asides` are those of its events and links. */
export interface Shown {
  readonly name: string;
  readonly attributes: readonly ShownAttribute[];
  readonly events: readonly string[];
  readonly asides?: readonly ShownAttribute[];
}

const TABLE = new TableIndex(DIALECTS);

/** The one place that decides what a span is, by every sign that the table of dialects knows. */
export function classify({ name, attributes, events, asides = [] }: Shown): Recognition {
  const root = name === SPAN_NAMES.root;
  const signs = new Signs(root);
  signs.add(TABLE.name(name), () => `the name ${JSON.stringify(shortened(name))}`);
  for (const attribute of attributes) {
    for (const [matches, text] of told(attribute)) signs.add(matches, text);
  }
  for (const event of events) signs.add(TABLE.event(event), () => `the event ${shortened(event)}`);
  for (const attribute of asides) {
    for (const [matches, text] of told(attribute)) signs.addAside(matches, () => `${text()} of an event or link`);
  }
  const hits = signs.hits();
  return hits.length === 0 && !root ? UNRECOGNISED : resolve(hits, root);
}

/** What the key and each text of an attribute show. */
function told({ key, texts }: ShownAttribute): readonly (readonly [readonly Match[], () => string])[] {
  const entry = TABLE.key(key);
  if (entry === null) return [];
  const values = texts.map(
    (text) => [TABLE.value(entry, text), () => `${shortened(key)} ${JSON.stringify(shortened(text))}`] as const,
  );
  return [[entry.present, () => shortened(key)], ...values];
}

function isKnownKey(key: string): boolean {
  return TABLE.key(key) !== null;
}

/** The matches of one span; a row with two signs counts when both are there. */
class Signs {
  readonly #root: boolean;
  readonly #hits: Hit[] = [];
  readonly #halves = new Map<Row, { sign?: string; also?: string }>();

  constructor(root: boolean) {
    this.#root = root;
  }

  add(matches: readonly Match[], text: () => string): void {
    for (const { row, part } of matches) {
      if (this.#root && row.offRoot === true) continue;
      if (row.also === undefined) this.#hits.push({ says: row.says, text: text() });
      else this.#halves.set(row, { ...this.#halves.get(row), [part]: text() });
    }
  }

  /** What an event or a link says explains no step; that a model wrote or was named there is a message of its own kind. */
  addAside(matches: readonly Match[], text: () => string): void {
    for (const match of matches) {
      const { says } = match.row;
      if (isPermissive(says) || (this.#root && match.row.offRoot === true)) continue;
      if (says === 'writes' || says === 'model') this.#hits.push({ says: 'told', text: text() });
      else this.add([match], text);
    }
  }

  hits(): readonly Hit[] {
    for (const [{ says }, { sign, also }] of this.#halves) {
      if (sign !== undefined && also !== undefined) this.#hits.push({ says, text: `${sign} with ${also}` });
    }
    return this.#hits;
  }
}

/** What the keys of one shape of attributes tell, and what was found out about their values before. */
export interface Plan {
  readonly entries: readonly KeyEntry[];
  /** Where the attributes stand that the table knows. */
  readonly positions: readonly number[];
  readonly known: Map<string, Recognition>;
  /** The span before, so that one which says the same is known without a string. */
  readonly last: LastValues;
  /** One of the conductor's attributes is among them. */
  readonly conductor: boolean;
  /** Documents of a retrieval may be among them. */
  readonly documents: boolean;
  /** Where those stand that name models. */
  readonly models: readonly number[];
}

/** How many combinations of telling values are remembered, and how long one may be: some megabytes a thread. */
const MEMORY = 4096;
const LONGEST = 1024;

/**
 * Classifies spans. They mostly repeat the same attributes in the same order, from file to file too, so what was worked
 * out for one is kept for the next: the table is asked once for each kind of span, not once for each span.
 */
export class Classifier {
  #plans = new ShapeFacts<Plan>();
  /** Apart from what the plans remember: their keys are made otherwise, and might be alike. */
  #shown = new Map<string, Recognition>();
  /** Spans whose attributes tell nothing are known by their names. */
  #bare = barePlan();
  #remembered = 0;

  /** What the keys of a span's attributes tell. */
  plan(attributes: JsonNode | undefined): Plan {
    if (attributes === undefined || attributes.size === 0) return this.#bare;
    const known = this.#plans.recall(attributes.document, attributes.index);
    if (known !== undefined) return known;
    const keys = attributes.entries().map(([key]) => key);
    const entries = keys.map((key) => TABLE.key(key));
    const plan = {
      entries: entries.filter((entry) => entry !== null),
      positions: entries.flatMap((entry, position) => (entry === null ? [] : [position])),
      known: new Map<string, Recognition>(),
      last: new LastValues(),
      conductor: RESERVED_ATTRIBUTES.some((name) => keys.includes(name)),
      documents: keys.some(isDocumentKey),
      models: keys.flatMap((key, position) => (isModelKey(key) ? [position] : [])),
    };
    this.#plans.learn(attributes.document, attributes.index, plan);
    this.#count();
    return plan;
  }

  /** Starting over is as good as any order here, and costs nothing while everything fits. */
  #count(): void {
    this.#remembered++;
    if (this.#remembered < MEMORY) return;
    this.#plans = new ShapeFacts();
    this.#shown = new Map();
    this.#bare = barePlan();
    this.#remembered = 0;
  }

  #remember(
    key: string,
    { known, found }: { readonly known: Map<string, Recognition>; readonly found: Recognition },
  ): void {
    if (key.length > LONGEST) return;
    known.set(key, found);
    this.#count();
  }

  /** What `classify` says, remembered by the name and what the table knows of the rest. */
  shown(of: Shown): Recognition {
    const key = keyOf(of);
    const known = this.#shown;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = classify(of);
    this.#remember(key, { known, found });
    return found;
  }

  /** What `classify` says of a span with a JSON object of attributes, or none. */
  read(name: string, of: SpanMembers & { readonly plan: Plan }): Recognition {
    const { attributes, asides, plan } = of;
    if (asides.events.length + asides.sets.length > 0) return this.shown(shownBy(name, of));
    const last = plan.last.recall(name, { attributes, plan });
    if (last !== undefined) return last;
    const found = this.#known(name, of);
    plan.last.learn(name, { attributes, plan, found });
    return found;
  }

  /** What was found for the same name and values before, or now. */
  #known(name: string, of: SpanMembers & { readonly plan: Plan }): Recognition {
    const { known } = of.plan;
    const key = tellingValues(name, of);
    const before = key === null ? undefined : known.get(key);
    if (before !== undefined) return before;
    const found = classify(shownBy(name, of));
    if (key !== null) this.#remember(key, { known, found });
    return found;
  }
}

function barePlan(): Plan {
  const nothing = { entries: [], positions: [], conductor: false, documents: false, models: [] };
  return { ...nothing, known: new Map(), last: new LastValues() };
}

/** A key for all that the table knows of a span. Each text comes behind its length, so that no two keys are alike by chance. */
function keyOf({ name, attributes, events, asides = [] }: Shown): string {
  let key = `${name.length}:${name}`;
  for (const attribute of attributes) key += attributeKey(attribute);
  for (const event of events) if (TABLE.event(event).length > 0) key += `!${event.length}:${event}`;
  for (const attribute of asides) key += `/${attributeKey(attribute)}`;
  return key;
}

function attributeKey({ key, texts }: ShownAttribute): string {
  const entry = TABLE.key(key);
  if (entry === null) return '';
  return `${key.length}:${key}${entry.valued ? valuesKey(entry, texts) : ''}`;
}

/** The values that the table knows; all others are one. */
function valuesKey(entry: KeyEntry, texts: readonly string[]): string {
  return texts
    .map((text) => (TABLE.value(entry, text).length === 0 ? '?' : `=${text.length}:${text}`))
    .join('')
    .concat(';');
}

interface SpanMembers {
  readonly attributes: JsonNode | undefined;
  readonly asides: Asides;
}

/**
 * A key for the values of a span's telling attributes and its name; null when a value is not a plain one. What the
 * table does not know is all one. Each text comes behind its length, so that no two keys are alike by chance.
 */
function tellingValues(name: string, of: SpanMembers & { readonly plan: Plan }): string | null {
  const { entries, positions } = of.plan;
  const nodes = of.attributes?.pick(positions) ?? [];
  let key = '';
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    const node = nodes[i];
    if (entry === undefined || node === undefined) return null;
    if (node.isNull) key += '0';
    else if (!entry.valued) key += '1';
    else {
      const text = node.string();
      if (text === undefined) return null;
      key += TABLE.value(entry, text).length === 0 ? '?' : `${text.length}:${text}`;
    }
  }
  return key + name;
}

function shownBy(name: string, { attributes, asides }: SpanMembers): Shown {
  return shownOf(name, { attributes: new JsonAttributes(attributes), asides });
}

/** What a span shows, of the attributes that the table knows. */
export function shownOf(name: string, of: { readonly attributes: AttributeSet; readonly asides: Asides }): Shown {
  return {
    name,
    attributes: shownAttributes(of.attributes, isKnownKey),
    events: of.asides.events,
    asides: of.asides.sets.flatMap((set) => shownAttributes(set, isKnownKey)),
  };
}
