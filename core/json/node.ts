import type { Place } from '../model/violation.js';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { type Origin, placeOf } from './place.js';
import { toPlain } from './plain.js';
import { asciiText, decodedString, utf8Text } from './strings.js';
import { COUNT_SHIFT, END, ESCAPED, FLAGS, FRACTIONAL, NEXT, START, STRIDE, type TapeView } from './tape.js';
import { decodedWord } from './words.js';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** A document as read: bytes, tape, and where it stands. */
export interface JsonDocument extends TapeView {
  /** Tape index of the root. */
  readonly root: number;
  /** Offset of the document's first byte in `bytes`. */
  readonly from: number;
  readonly origin: Origin;
}

/**
 * A value within a strictly read document: a cursor, not a copy. Keys are compared as text and never reach a prototype;
 * numbers keep their lexeme; line, column and pointer are worked out only when asked for.
 */
export class JsonNode {
  /** The document that this node stands in. */
  readonly document: JsonDocument;
  /** Tape index; two nodes of one document are the same value when their indices are. */
  readonly index: number;

  private constructor(document: JsonDocument, index: number) {
    this.document = document;
    this.index = index;
  }

  static root(document: JsonDocument): JsonNode {
    return new JsonNode(document, document.root);
  }

  get kind(): JsonKind {
    switch (this.document.bytes[this.start]) {
      case OPEN_OBJECT:
        return 'object';
      case OPEN_ARRAY:
        return 'array';
      case QUOTE:
        return 'string';
      case 0x74:
      case 0x66:
        return 'boolean';
      case 0x6e:
        return 'null';
      default:
        return 'number';
    }
  }

  /** Offset of the node's first byte in the document's bytes. */
  get start(): number {
    return this.document.words[this.index + START] as number;
  }

  /** Offset after the node's last byte. */
  get end(): number {
    return this.document.words[this.index + END] as number;
  }

  /** Members of an object or elements of an array; 0 for other kinds. */
  get size(): number {
    const kind = this.document.bytes[this.start];
    return kind === OPEN_OBJECT || kind === OPEN_ARRAY ? this.#flags >> COUNT_SHIFT : 0;
  }

  get #flags(): number {
    return this.document.words[this.index + FLAGS] as number;
  }

  /** The own member of exactly this key; undefined when there is none or this is not an object. */
  get(key: string): JsonNode | undefined {
    const { bytes, words } = this.document;
    if (bytes[this.start] !== OPEN_OBJECT) return undefined;
    const after = words[this.index + NEXT] as number;
    for (let at = this.index + STRIDE; at < after; at = words[at + STRIDE + NEXT] as number) {
      if (this.#keyIs(at, key)) return new JsonNode(this.document, at + STRIDE);
    }
    return undefined;
  }

  /** Like `get`, but a null member counts as absent (contract 3). */
  present(key: string): JsonNode | undefined {
    const value = this.get(key);
    return value === undefined || value.isNull ? undefined : value;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get isNull(): boolean {
    return this.document.bytes[this.start] === 0x6e;
  }

  #keyIs(at: number, key: string): boolean {
    const { bytes, words } = this.document;
    if (((words[at + FLAGS] as number) & ESCAPED) !== 0) return decodedString(this.document, at) === key;
    const from = (words[at + START] as number) + 1;
    const length = (words[at + END] as number) - 1 - from;
    // UTF-8 is never shorter than UTF-16 in units.
    if (length < key.length) return false;
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      if (unit > 0x7f) return decodedString(this.document, at) === key;
      if (bytes[from + i] !== unit) return false;
    }
    return length === key.length;
  }

  /** The elements of an array, in order; none for other kinds. */
  items(): JsonNode[] {
    const { bytes, words } = this.document;
    const nodes: JsonNode[] = [];
    if (bytes[this.start] !== OPEN_ARRAY) return nodes;
    const after = words[this.index + NEXT] as number;
    for (let at = this.index + STRIDE; at < after; at = words[at + NEXT] as number)
      nodes.push(new JsonNode(this.document, at));
    return nodes;
  }

  /** The members of an object, in the order of the file; none for other kinds. */
  entries(): [key: string, value: JsonNode][] {
    const { bytes, words } = this.document;
    const members: [string, JsonNode][] = [];
    if (bytes[this.start] !== OPEN_OBJECT) return members;
    const after = words[this.index + NEXT] as number;
    for (let at = this.index + STRIDE; at < after; at = words[at + STRIDE + NEXT] as number)
      members.push([decodedString(this.document, at), new JsonNode(this.document, at + STRIDE)]);
    return members;
  }

  /**
   * What holds further values, by its key or its index and in the order of the file, and besides the member of one key
   * whatever it is: a walk to all depths needs neither nodes nor keys of the rest.
   */
  branches(key: string): [token: string | number, value: JsonNode][] {
    const { bytes, words } = this.document;
    const found: [string | number, JsonNode][] = [];
    const object = bytes[this.start] === OPEN_OBJECT;
    if (!object && bytes[this.start] !== OPEN_ARRAY) return found;
    const after = words[this.index + NEXT] as number;
    let position = 0;
    for (let at = this.index + STRIDE; at < after; position++) {
      const value = object ? at + STRIDE : at;
      const opening = bytes[words[value + START] as number];
      const holds =
        (opening === OPEN_OBJECT || opening === OPEN_ARRAY) && (words[value + NEXT] as number) > value + STRIDE;
      if (holds || (object && this.#keyIs(at, key)))
        found.push([object ? decodedWord(this.document, at) : position, new JsonNode(this.document, value)]);
      at = words[value + NEXT] as number;
    }
    return found;
  }

  /** The values of the members at these ascending positions, counted from 0, in one walk; positions past the end are left out. */
  pick(positions: readonly number[]): JsonNode[] {
    const { words } = this.document;
    const nodes: JsonNode[] = [];
    const after = words[this.index + NEXT] as number;
    let at = this.index + STRIDE;
    let member = 0;
    for (const position of positions) {
      for (; member < position && at < after; member++) at = words[at + STRIDE + NEXT] as number;
      if (at >= after) break;
      nodes.push(new JsonNode(this.document, at + STRIDE));
    }
    return nodes;
  }

  /** The decoded text of a string; undefined for other kinds. */
  string(): string | undefined {
    return this.document.bytes[this.start] === QUOTE ? decodedString(this.document, this.index) : undefined;
  }

  /** The same for a text that mostly stood in other documents before, which is then known without being decoded. */
  word(): string | undefined {
    return this.document.bytes[this.start] === QUOTE ? decodedWord(this.document, this.index) : undefined;
  }

  boolean(): boolean | undefined {
    return this.kind === 'boolean' ? this.document.bytes[this.start] === 0x74 : undefined;
  }

  /** The source text of a number; undefined for other kinds. */
  lexeme(): string | undefined {
    return this.kind === 'number' ? asciiText(this.document.bytes, { from: this.start, to: this.end }) : undefined;
  }

  /** A number without fraction or exponent that a double holds exactly; undefined for anything else. */
  integer(): number | undefined {
    const lexeme = this.lexeme();
    if (lexeme === undefined || (this.#flags & FRACTIONAL) !== 0) return undefined;
    const value = Number(lexeme);
    return Number.isSafeInteger(value) ? value : undefined;
  }

  /** The node's own source bytes; a view, not a copy. */
  raw(): Uint8Array {
    return this.document.bytes.subarray(this.start, this.end);
  }

  /** The node's own source text. */
  text(): string {
    return utf8Text(this.document.bytes, { from: this.start, to: this.end });
  }

  /** Where the node begins: file, line and column, from 1. */
  place(): Place {
    const { bytes, from, origin } = this.document;
    return placeOf(bytes, { from, offset: this.start, origin });
  }

  /** RFC 6901 pointer from the document's root to this node; the pointer of a key is that of its value. */
  pointer(): string {
    const { bytes, words } = this.document;
    let pointer = '';
    let at = this.document.root;
    while (at !== this.index) {
      const object = bytes[words[at + START] as number] === OPEN_OBJECT;
      let child = at + STRIDE;
      for (let i = 0; ; i++) {
        const value = object ? child + STRIDE : child;
        const next = words[value + NEXT] as number;
        if (next > this.index) {
          const token = object ? decodedString(this.document, child) : String(i);
          pointer += `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          at = value;
          break;
        }
        child = next;
      }
    }
    return pointer;
  }

  /** The node that an RFC 6901 pointer names below this one; undefined when there is none. */
  locate(pointer: string): JsonNode | undefined {
    if (pointer === '') return this;
    if (!pointer.startsWith('/')) return undefined;
    let node: JsonNode | undefined = this;
    for (const token of pointer.slice(1).split('/')) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (node.kind === 'array') node = /^(0|[1-9][0-9]*)$/.test(key) ? node.items()[Number(key)] : undefined;
      else node = node.get(key);
      if (node === undefined) return undefined;
    }
    return node;
  }

  /** Plain JavaScript data for a schema validator: objects without a prototype, numbers as doubles. Never hash it. */
  toPlain(): unknown {
    return toPlain(this.document, this.index);
  }
}
