import { type JsonNode, parseJson } from '../json/index.js';

/** A value with every schema that applies to it. */
interface Place {
  readonly node: JsonNode;
  readonly schemas: readonly JsonNode[];
}

/** Keywords whose schemas apply to the same value. */
const SAME_PLACE = ['allOf', 'anyOf', 'oneOf'];

/**
 * The same document with every number that has no fraction written as an integer where the class schema says `integer` (contract 8):
 * `3.0`, which an A2A `Struct` makes of 3, becomes 3 again, and a `3.0` that the schema calls a number stays one. The document itself is
 * given back when there is nothing to restore.
 */
export function restoreIntegers(document: JsonNode, schema: JsonNode): JsonNode {
  const found: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const raw = document.raw();
  const pending: Place[] = [{ node: document, schemas: [schema] }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { node } = place;
    const schemas = applicable(place.schemas, schema);
    if (node.kind === 'number' && schemas.some(saysInteger)) {
      const text = integerText(node.lexeme() ?? '');
      const from = node.raw().byteOffset - raw.byteOffset;
      if (text !== null) found.push({ from, to: from + node.raw().length, text });
    }
    for (const [key, value] of node.entries()) pending.push({ node: value, schemas: memberSchemas(schemas, key) });
    node.items().forEach((item, at) => {
      pending.push({ node: item, schemas: itemSchemas(schemas, at) });
    });
  }
  return found.length === 0 ? document : rewritten(document, found);
}

/** The schemas themselves, with what they refer to and combine; each once, so that a circle ends. */
function applicable(schemas: readonly JsonNode[], root: JsonNode): readonly JsonNode[] {
  const seen = new Map<number, JsonNode>();
  const pending = [...schemas];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const at = one.raw().byteOffset;
    if (one.kind !== 'object' || seen.has(at)) continue;
    seen.set(at, one);
    const reference = one.get('$ref')?.string();
    const target = reference?.startsWith('#') === true ? root.locate(decodePointer(reference.slice(1))) : undefined;
    if (target !== undefined) pending.push(target);
    for (const keyword of SAME_PLACE) pending.push(...(one.get(keyword)?.items() ?? []));
  }
  return [...seen.values()];
}

function decodePointer(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function memberSchemas(schemas: readonly JsonNode[], key: string): readonly JsonNode[] {
  return schemas.flatMap((schema) => schema.get('properties')?.get(key) ?? schema.get('additionalProperties') ?? []);
}

function itemSchemas(schemas: readonly JsonNode[], at: number): readonly JsonNode[] {
  return schemas.flatMap((schema) => {
    const items = schema.get('items');
    return (items?.kind === 'array' ? (items.items()[at] ?? schema.get('additionalItems')) : items) ?? [];
  });
}

function saysInteger(schema: JsonNode): boolean {
  const type = schema.get('type');
  const types = type?.kind === 'array' ? type.items().map((item) => item.string()) : [type?.string()];
  return types.includes('integer') && !types.includes('number');
}

function integerText(lexeme: string): string | null {
  if (!/[.eE]/.test(lexeme)) return null;
  const value = Number(lexeme);
  return Number.isInteger(value) ? BigInt(value).toString() : null;
}

function rewritten(
  document: JsonNode,
  found: readonly { readonly from: number; readonly to: number; readonly text: string }[],
): JsonNode {
  const raw = document.raw();
  const pieces: Uint8Array[] = [];
  let kept = 0;
  for (const { from, to, text } of [...found].sort((a, b) => a.from - b.from)) {
    pieces.push(raw.subarray(kept, from), Buffer.from(text));
    kept = to;
  }
  return parseJson(Buffer.concat([...pieces, raw.subarray(kept)]), { file: document.place().file });
}
