import type { JsonNode } from '../json/index.js';

/** A span's attributes, however the file writes them. A null one counts as absent (contract 3). */
export interface AttributeSet {
  /** How many there are, null ones included. */
  readonly size: number;
  /** The value, when it is a string. */
  text(key: string): string | undefined;
  /** The digits, when it is an integer. */
  integer(key: string): string | undefined;
  has(key: string): boolean;
  /** All that are present, in the order of the file. */
  present(): readonly (readonly [key: string, value: AttributeValue])[];
  /** Whether everything in it is of the type that its file shape gives it. */
  readonly sound: boolean;
}

/** One value: a string or integer as text, the items of a list, or the members of an object. */
export interface AttributeValue {
  /** The string; undefined for any other kind. */
  readonly text: string | undefined;
  /** The digits of an integer; undefined for any other kind. */
  readonly integer: string | undefined;
  items(): readonly AttributeValue[];
  member(key: string): AttributeValue | undefined;
  /** All members of an object that are present, in the order of the file. */
  members(): readonly (readonly [key: string, value: AttributeValue])[];
}

/** Attributes that stand as a JSON object (contract 4); no node, or one of another kind, holds none. */
export class JsonAttributes implements AttributeSet {
  readonly #node: JsonNode | undefined;
  readonly sound: boolean;

  constructor(node: JsonNode | undefined) {
    this.#node = node?.kind === 'object' ? node : undefined;
    this.sound = node === undefined || this.#node !== undefined;
  }

  get size(): number {
    return this.#node?.size ?? 0;
  }

  text(key: string): string | undefined {
    return this.#node?.get(key)?.string();
  }

  integer(key: string): string | undefined {
    const node = this.#node?.get(key);
    return node === undefined ? undefined : integerText(node);
  }

  has(key: string): boolean {
    return this.#node?.present(key) !== undefined;
  }

  present(): readonly (readonly [string, AttributeValue])[] {
    const entries = this.#node?.entries() ?? [];
    return entries.flatMap(([key, node]) => (node.isNull ? [] : [[key, new JsonValue(node)] as const]));
  }
}

/** A value that stands as JSON. */
export class JsonValue implements AttributeValue {
  readonly #node: JsonNode;

  constructor(node: JsonNode) {
    this.#node = node;
  }

  get text(): string | undefined {
    return this.#node.string();
  }

  get integer(): string | undefined {
    return integerText(this.#node);
  }

  items(): readonly AttributeValue[] {
    return this.#node.items().map((item) => new JsonValue(item));
  }

  member(key: string): AttributeValue | undefined {
    const node = this.#node.present(key);
    return node === undefined ? undefined : new JsonValue(node);
  }
  members(): readonly (readonly [string, AttributeValue])[] {
    return new JsonAttributes(this.#node).present();
  }
}

function integerText(node: JsonNode): string | undefined {
  const lexeme = node.lexeme();
  return lexeme !== undefined && /^-?[0-9]+$/.test(lexeme) ? lexeme : undefined;
}
