import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { AttributeSet, AttributeValue } from './attributes.js';

const isText = (node: JsonNode) => node.kind === 'string';
const isNumber = (node: JsonNode) => node.kind === 'number' || node.kind === 'string';
/** An object whose `values` are a list, or left out when there are none. */
const isList = (node: JsonNode) =>
  node.kind === 'object' &&
  node.entries().every(([key]) => key === 'values') &&
  (node.present('values')?.kind ?? 'array') === 'array';

/** The variants of a value, and whether a node can be one: what is of another type might be read otherwise elsewhere. */
const VARIANTS: ReadonlyMap<string, (node: JsonNode) => boolean> = new Map([
  ['stringValue', isText],
  ['intValue', isNumber],
  ['doubleValue', isNumber],
  ['boolValue', (node) => node.kind === 'boolean'],
  ['arrayValue', isList],
  ['kvlistValue', isList],
  ['bytesValue', isText],
]);

/**
 * Attributes as OTLP/JSON lists them: `[{"key", "value": {"stringValue": …}}]`. Throws `span-attribute-twice` where a
 * key stands twice in one list, at any depth: two readers could see two values. `sound` is false for an entry that is
 * not a key with one value.
 */
export class OtlpAttributes implements AttributeSet {
  readonly #values = new Map<string, JsonNode>();
  readonly size: number;
  readonly sound: boolean;

  constructor(list: JsonNode | undefined) {
    this.size = list?.size ?? 0;
    this.sound = (list === undefined || list.kind === 'array') && readList(list, this.#values);
  }

  text(key: string): string | undefined {
    return this.#values.get(key)?.get('stringValue')?.string();
  }

  integer(key: string): string | undefined {
    const node = this.#values.get(key);
    return node === undefined ? undefined : new OtlpValue(node).integer;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  present(): readonly (readonly [string, AttributeValue])[] {
    return Array.from(this.#values, ([key, node]) => [key, new OtlpValue(node)] as const);
  }
}

/** Collects a list's values by key, and looks through what they hold; false when something is malformed. */
function readList(list: JsonNode | undefined, values: Map<string, JsonNode>): boolean {
  let sound = true;
  const seen = new Set<string>();
  const nested: JsonNode[] = [];
  for (const item of list?.items() ?? []) {
    const key = keyOf(item, seen);
    const value = item.present('value');
    if (key === undefined || (value !== undefined && value.kind !== 'object')) sound = false;
    else if (value !== undefined && value.size > 0) {
      values.set(key, value);
      nested.push(value);
    }
  }
  return soundBelow(nested) && sound;
}

/** Looks at every value below without recursion, since an agent chose the depth. */
function soundBelow(stack: JsonNode[]): boolean {
  let sound = true;
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const stated = value.entries().filter(([key, node]) => VARIANTS.has(key) && !node.isNull);
    const [variant, node] = stated[0] ?? [];
    if (stated.length > 1 || variant === undefined || node === undefined) {
      // In a list, an empty value is protobuf's word for null.
      if (value.kind !== 'object' || value.size > 0) sound = false;
    } else if (VARIANTS.get(variant)?.(node) !== true) sound = false;
    else if (variant !== 'arrayValue' && variant !== 'kvlistValue') continue;
    for (const item of value.get('arrayValue')?.get('values')?.items() ?? []) stack.push(item);
    const seen = new Set<string>();
    for (const item of value.get('kvlistValue')?.get('values')?.items() ?? []) {
      if (keyOf(item, seen) === undefined) sound = false;
      const inner = item.present('value');
      if (inner !== undefined) stack.push(inner);
    }
  }
  return sound;
}

function keyOf(item: JsonNode, seen: Set<string>): string | undefined {
  const key = item.get('key')?.string();
  if (key === undefined) return undefined;
  if (seen.has(key))
    throw gateError('span-attribute-twice', {
      blame: 'unreadable',
      message: `an attribute list holds the key ${JSON.stringify(key.slice(0, 100))} twice`,
      remedy: 'keep one of the two',
      place: item.place(),
    });
  seen.add(key);
  return key;
}

class OtlpValue implements AttributeValue {
  readonly #node: JsonNode;

  constructor(node: JsonNode) {
    this.#node = node;
  }

  get text(): string | undefined {
    return this.#node.get('stringValue')?.string();
  }

  /** The proto mapping writes a 64-bit integer as a string; emitters in JavaScript write a number. */
  get integer(): string | undefined {
    const node = this.#node.get('intValue');
    const text = node?.string() ?? node?.lexeme();
    return text !== undefined && /^-?[0-9]+$/.test(text) ? text : undefined;
  }

  items(): readonly AttributeValue[] {
    const items = this.#node.get('arrayValue')?.get('values')?.items() ?? [];
    return items.map((item) => new OtlpValue(item));
  }

  member(key: string): AttributeValue | undefined {
    const members = this.#node.get('kvlistValue')?.get('values')?.items() ?? [];
    const value = members.find((item) => item.get('key')?.string() === key)?.present('value');
    return value === undefined ? undefined : new OtlpValue(value);
  }
  members(): readonly (readonly [string, AttributeValue])[] {
    const members = this.#node.get('kvlistValue')?.get('values')?.items() ?? [];
    return members.flatMap((item) => {
      const key = item.get('key')?.string();
      const value = item.present('value');
      return key === undefined || value === undefined ? [] : [[key, new OtlpValue(value)] as const];
    });
  }
}
