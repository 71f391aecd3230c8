import { TO_FILL_IN } from '../fixtures/index.js';
import { type Composable, type JsonNode, jsonOf } from '../json/index.js';

/** Deeper than any input that a person would write by hand; what is below is left to be filled in. */
const MAX_DEPTH = 12;

/** What stands for an input: one that may fit the schema, or a template with texts to be filled in. */
export interface DraftInput {
  readonly kind: 'complete' | 'template';
  readonly input: Composable;
}

/**
 * A small input of a class: the schema's own first example or default, else an object with no more than what is required. Where no
 * value can be made up that the schema allows, the input says what is to be filled in.
 */
export function draftInput(schema: JsonNode, name: string): DraftInput {
  const drafting = new Drafting(schema);
  const example = exampleOf(schema);
  if (example?.kind === 'object') return { kind: 'complete', input: example };
  const drafted = drafting.value(schema, 0);
  const members = drafted instanceof Map ? drafted : new Map<string, Composable>();
  const input = new Map<string, Composable>([['schema_class', name], ...members, ['schema_class', name]]);
  return { kind: drafting.complete ? 'complete' : 'template', input };
}

class Drafting {
  readonly #root: JsonNode;
  complete = true;

  constructor(root: JsonNode) {
    this.#root = root;
  }

  value(schema: JsonNode, depth: number): Composable {
    const given = exampleOf(schema);
    if (given !== undefined) return given;
    if (depth > MAX_DEPTH) return this.#toFillIn('a value', schema);
    const target = this.#target(schema);
    if (target !== null) return this.value(target, depth + 1);
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return this.#toFillIn('a value', schema);
    }
  }

  /** What a reference within the schema, or the first of several choices, leads to. */
  #target(schema: JsonNode): JsonNode | null {
    const reference = schema.get('$ref')?.string();
    if (reference?.startsWith('#')) return this.#root.locate(decodeURIComponent(reference.slice(1))) ?? null;
    for (const key of ['oneOf', 'anyOf', 'allOf']) {
      const [first, second] = schema.get(key)?.items() ?? [];
      if (first !== undefined && (key !== 'allOf' || second === undefined) && !schema.has('properties')) return first;
    }
    return null;
  }

  #object(schema: JsonNode, depth: number): Composable {
    const required = (schema.get('required')?.items() ?? []).flatMap((item) => item.string() ?? []);
    const properties = schema.get('properties');
    return new Map(
      required.map((key): [string, Composable] => {
        const property = properties?.get(key);
        return [
          key,
          property === undefined ? this.#toFillIn(`a value for ${key}`, schema) : this.value(property, depth + 1),
        ];
      }),
    );
  }

  #array(schema: JsonNode, depth: number): Composable {
    const count = schema.get('minItems')?.integer() ?? 0;
    const items = schema.get('items');
    if (count === 0) return [];
    if (count > 10 || items?.kind !== 'object') return [this.#toFillIn('items', schema)];
    return Array.from({ length: count }, () => this.value(items, depth + 1));
  }

  #text(schema: JsonNode): Composable {
    const format = schema.get('format')?.string();
    const known = FORMATS.get(format ?? '');
    const least = schema.get('minLength')?.integer() ?? 0;
    if (known !== undefined) return known;
    if (format !== undefined || schema.has('pattern')) return this.#toFillIn('a text', schema);
    return least > 100 ? this.#toFillIn('a text', schema) : 'example'.padEnd(least, '.');
  }

  #number(schema: JsonNode): Composable {
    const lexeme = schema.get('minimum')?.lexeme();
    const most = Number(schema.get('maximum')?.lexeme() ?? 1);
    if (lexeme !== undefined) return jsonOf(schema.get('minimum') ?? 0);
    if (schema.has('exclusiveMinimum') || schema.has('exclusiveMaximum') || schema.has('multipleOf'))
      return this.#toFillIn('a number', schema);
    return most >= 1 ? 1 : (schema.get('maximum') ?? 0);
  }

  #toFillIn(what: string, schema: JsonNode): string {
    this.complete = false;
    const said = schema.get('description')?.string() ?? schema.get('title')?.string();
    return TO_FILL_IN + (said === undefined ? what : `${what}: ${said}`).slice(0, 200).toWellFormed();
  }
}

const FORMATS = new Map([
  ['date', '2026-01-01'],
  ['date-time', '2026-01-01T00:00:00Z'],
  ['uri', 'https://example.org/'],
  ['email', 'someone@example.org'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

/** A value that the schema names itself. */
function exampleOf(schema: JsonNode): JsonNode | undefined {
  return (
    schema.get('examples')?.items()[0] ?? schema.get('default') ?? schema.get('const') ?? schema.get('enum')?.items()[0]
  );
}

function typeOf(schema: JsonNode): string | undefined {
  const type = schema.get('type');
  const named = type?.string() ?? type?.items()[0]?.string();
  if (named !== undefined) return named;
  return schema.has('properties') || schema.has('required') ? 'object' : undefined;
}
