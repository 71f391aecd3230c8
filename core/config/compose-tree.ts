import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { flowEnd } from './flow-end.js';
import type { LineTable } from './line-table.js';
import type { YamlEntry, YamlNode, YamlScalar } from './yaml-node.js';

/** What js-yaml found: its events, which know the places, and its data, which know the values. */
export interface ParsedYaml {
  readonly text: string;
  readonly lines: LineTable;
  readonly events: readonly Event[];
  readonly data: unknown;
  readonly limit: number;
}

/** What an anchor names; `node` is null while its collection is still open, and an alias to it then would be a cycle. */
interface Anchor {
  node: YamlNode | null;
  weight: number;
}

interface Frame {
  readonly start: number;
  readonly style: 'block' | 'flow';
  readonly anchor: Anchor | null;
  /** The constructed values of this collection's children in file order, keys and values alternating in a mapping. */
  readonly values: Iterator<unknown>;
  readonly items: YamlNode[];
  readonly entries: Map<string, YamlEntry> | null;
  key: YamlScalar | null;
  weight: number;
}

/**
 * Joins events and data to one tree with places. Throws `yaml-alias` for an alias to an enclosing node and for
 * a document whose aliases expand it past the limit, `yaml-key` for a key that is not a string.
 */
export function composeTree(parsed: ParsedYaml): YamlNode {
  return new Composer(parsed).compose();
}

class Composer {
  readonly #parsed: ParsedYaml;
  readonly #frames: Frame[] = [];
  readonly #anchors = new Map<string, Anchor>();
  #root: YamlNode | null = null;
  #end = 0;
  #weight = 0;
  #aliasSeen: number | null = null;

  constructor(parsed: ParsedYaml) {
    this.#parsed = parsed;
  }

  compose(): YamlNode {
    for (const event of this.#parsed.events) this.#take(event);
    if (this.#root === null) throw new Error('js-yaml reported a document without a node');
    if (this.#aliasSeen !== null && this.#weight > this.#parsed.limit) throw this.#tooManyNodes(this.#aliasSeen);
    return this.#root;
  }

  #take(event: Event): void {
    if (event.type === EVENT_ID.SCALAR) this.#scalar(event);
    else if (event.type === EVENT_ID.ALIAS) this.#alias(event.anchorStart - 1, event.anchorEnd);
    else if (event.type === EVENT_ID.POP) this.#close();
    else if (event.type !== EVENT_ID.DOCUMENT) this.#open(event);
  }

  #scalar(event: ScalarEvent): void {
    const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
    const empty = Math.max(this.#end, event.tagEnd, event.anchorEnd);
    const start = event.valueStart === -1 ? empty : event.valueStart - quoted;
    const end = event.valueStart === -1 ? empty : event.valueEnd + quoted;
    const source = event.valueStart === -1 ? '' : getScalarValue(this.#parsed.text, event);
    const node = this.#scalarNode({ value: this.#nextValue(), source, start, end });
    this.#end = Math.max(this.#end, end);
    settle(this.#declareAnchor(event), node, 1);
    this.#add(node, 1);
  }

  #scalarNode(init: { value: unknown; source: string; start: number; end: number }): YamlScalar {
    const { value, source, start, end } = init;
    // Written out four times, since spreading a common part costs more than everything else here together.
    const span = { start, end };
    const place = this.#parsed.lines.place(start);
    if (typeof value === 'string') {
      if (!value.isWellFormed())
        throw this.#refuse(
          'yaml-syntax',
          'a string holds half of a surrogate pair',
          start,
          'write the whole character',
        );
      return { kind: 'string', value, source, span, place };
    }
    if (typeof value === 'number') return { kind: 'number', value, source, span, place };
    if (typeof value === 'boolean') return { kind: 'boolean', value, source, span, place };
    if (value === null) return { kind: 'null', value, source, span, place };
    throw this.#refuse('yaml-tag', 'a tag makes an empty scalar a collection', start, 'remove the tag');
  }

  #open(event: Extract<Event, { start: number }>): void {
    const value = this.#nextValue();
    const anchor = this.#declareAnchor(event);
    this.#frames.push({
      start: event.start,
      style: event.style === COLLECTION_STYLE.FLOW ? 'flow' : 'block',
      anchor,
      values: childValues(value),
      items: [],
      entries: event.type === EVENT_ID.MAPPING ? new Map() : null,
      key: null,
      weight: 1,
    });
    this.#end = Math.max(this.#end, event.start);
  }

  #close(): void {
    const frame = this.#frames.pop();
    // The last POP closes the document itself.
    if (frame === undefined) return;
    if (frame.style === 'flow') this.#end = flowEnd(this.#parsed.text, Math.max(this.#end, frame.start + 1));
    const base = {
      style: frame.style,
      span: { start: frame.start, end: this.#end },
      place: this.#parsed.lines.place(frame.start),
    };
    const node: YamlNode =
      frame.entries === null
        ? { ...base, kind: 'sequence', items: frame.items }
        : { ...base, kind: 'mapping', entries: frame.entries };
    settle(frame.anchor, node, frame.weight);
    this.#add(node, frame.weight);
  }

  #alias(start: number, end: number): void {
    this.#nextValue();
    this.#aliasSeen ??= start;
    this.#end = Math.max(this.#end, end);
    const name = this.#parsed.text.slice(start + 1, end);
    const target = this.#anchors.get(name);
    if (target === undefined)
      throw this.#refuse('yaml-alias', `no anchor is named ${name}`, start, 'write the value out');
    if (target.node === null)
      throw this.#refuse(
        'yaml-alias',
        `the alias ${name} stands inside the node it names`,
        start,
        'write the values out',
      );
    this.#add(target.node, target.weight);
  }

  #add(node: YamlNode, weight: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#root = node;
      this.#weight = weight;
      return;
    }
    // Weights only grow, so that a bomb ends here long before a number could lose precision.
    frame.weight += weight;
    if (this.#aliasSeen !== null && frame.weight > this.#parsed.limit) throw this.#tooManyNodes(this.#aliasSeen);
    if (frame.entries === null) frame.items.push(node);
    else if (frame.key === null) frame.key = this.#keyOf(node);
    else {
      frame.entries.set(String(frame.key.value), { key: frame.key, value: node });
      frame.key = null;
    }
  }

  #keyOf(node: YamlNode): YamlScalar {
    if (node.kind === 'string') return node;
    const what =
      node.kind === 'mapping' || node.kind === 'sequence' ? `a ${node.kind}` : `the ${node.kind} ${node.source}`;
    throw this.#refuse('yaml-key', `a key is ${what}, a string was expected`, node.span.start, 'put the key in quotes');
  }

  #declareAnchor(event: { readonly anchorStart: number; readonly anchorEnd: number }): Anchor | null {
    if (event.anchorStart === -1) return null;
    const anchor: Anchor = { node: null, weight: 0 };
    this.#anchors.set(this.#parsed.text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  #nextValue(): unknown {
    const frame = this.#frames.at(-1);
    return frame === undefined ? this.#parsed.data : frame.values.next().value;
  }

  #tooManyNodes(offset: number): GateError {
    const message = `with its aliases written out, the file has more than ${this.#parsed.limit} nodes`;
    return this.#refuse('yaml-alias', message, offset, 'write the values out instead of using aliases');
  }

  #refuse(code: ErrorCode, message: string, offset: number, remedy: string): GateError {
    return gateError(code, { blame: 'configuration', message, remedy, place: this.#parsed.lines.place(offset) });
  }
}

function settle(anchor: Anchor | null, node: YamlNode, weight: number): void {
  if (anchor === null) return;
  anchor.node = node;
  anchor.weight = weight;
}

function childValues(value: unknown): Iterator<unknown> {
  if (Array.isArray(value)) return value.values();
  return value instanceof Map ? keysAndValues(value) : [].values();
}

function* keysAndValues(map: ReadonlyMap<unknown, unknown>): Generator<unknown> {
  for (const [key, value] of map) {
    yield key;
    yield value;
  }
}
