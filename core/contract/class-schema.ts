import { hashOf, type JsonNode, parseJson } from '../json/index.js';
import { type Fault, located, schemaFaults } from './faults.js';
import { CORE_CLASS_TEXTS } from './generated/core-classes.js';
import { validateClassSchema } from './generated/validators.js';

/** A class schema with its digest, the `dd-json-document-v1` hash of the schema document (contract 3). */
export interface SchemaDocument {
  readonly digest: string;
  readonly schema: JsonNode;
}

/** A class and what it is used for: a payload class must also require `grounded_on`. */
export interface ClassUse {
  readonly name: string;
  readonly payload: boolean;
}

/**
 * Largest class schema that is looked at, in bytes. Generated schemas of whole metadata models stay below 300 kB;
 * ajv makes about ten times as much code as it is given schema.
 */
export const MAX_CLASS_SCHEMA_BYTES = 2 * 1024 * 1024;

/** A schema with this many hostile members is refused without looking for more: a pointer takes time to work out. */
const ENOUGH = 20;

const CORE_CLASSES: ReadonlyMap<string, SchemaDocument> = new Map(
  Object.entries(CORE_CLASS_TEXTS).map(([name, text]) => {
    const schema = parseJson(new TextEncoder().encode(text), { file: `class ${name}` });
    return [name, { schema, digest: hashOf(schema, 'dd-json-document-v1') }];
  }),
);

/**
 * The schema of a class: the contract's own for `Message` and `Reply`, whatever an agent declares under these names,
 * else the agent's; undefined when nobody brings one.
 */
export function classSchemaOf(name: string, declared: ReadonlyMap<string, SchemaDocument>): SchemaDocument | undefined {
  return CORE_CLASSES.get(name) ?? declared.get(name);
}

/**
 * Everything that is wrong with a class schema before it is compiled (contract 3): it is an object schema that requires
 * `schema_class` with an enum of exactly the class's name, refers to nothing outside itself, and is not too large.
 * That it compiles is the schema checker's to say. Pointers begin at the schema, wherever it stands.
 */
export function classSchemaFaults(schema: JsonNode, use: ClassUse): readonly Fault[] {
  const bytes = schema.raw().length;
  if (bytes > MAX_CLASS_SCHEMA_BYTES) {
    const message = `is ${bytes} bytes long; at most ${MAX_CLASS_SCHEMA_BYTES} are read`;
    return [{ rule: 'class-schema-size', pointer: '', message }];
  }
  const top = resolveTop(schema);
  const base = pointerBelow(schema, top);
  return located(schema, [...metaFaults(top, base), ...nameFaults(top, { ...use, base }), ...hostileFaults(schema)]);
}

/** The pointer of a node from a schema on, which may itself stand within a specification. */
function pointerBelow(schema: JsonNode, node: JsonNode): string {
  return node.pointer().slice(schema.pointer().length);
}

/** Follows a `$ref` at the very top (generators write recursive classes so); a chain that leads nowhere ends where it stands. */
function resolveTop(schema: JsonNode): JsonNode {
  const seen = new Set<number>();
  let top = schema;
  while (!seen.has(top.index)) {
    seen.add(top.index);
    const reference = top.get('$ref')?.string();
    const target = reference?.startsWith('#/') === true ? schema.locate(reference.slice(1)) : undefined;
    if (target === undefined) return top;
    top = target;
  }
  return top;
}

function metaFaults(top: JsonNode, base: string): readonly Fault[] {
  return schemaFaults(top, validateClassSchema).map(({ rule, pointer, message }) => ({
    rule,
    pointer: base + pointer,
    message,
  }));
}

function nameFaults(top: JsonNode, { name, payload, base }: ClassUse & { readonly base: string }): readonly Fault[] {
  const allowed = top.get('properties')?.get('schema_class')?.get('enum')?.items() ?? [];
  const faults: Fault[] = [];
  if (allowed.length !== 1 || allowed[0]?.string() !== name) {
    const message = `does not give schema_class an enum of exactly ${JSON.stringify(name)}`;
    faults.push({ rule: 'class-schema-name', pointer: base, message });
  }
  const required = (top.get('required')?.items() ?? []).map((item) => item.string());
  if (payload && !required.includes('grounded_on')) {
    faults.push({ rule: 'class-schema-grounded-on', pointer: base, message: 'does not require grounded_on' });
  }
  return faults;
}

/**
 * What would make ajv read a schema otherwise than draft-07 does: a reference that leaves the document, `$async`
 * (whose validators answer with a promise, which is always true) and a `__proto__` member, which ajv passes over.
 */
function hostileFaults(schema: JsonNode): readonly Fault[] {
  const faults: Fault[] = [];
  if (schema.has('$async')) {
    faults.push({ rule: 'class-schema-async', pointer: '/$async', message: 'is not a keyword of draft-07' });
  }
  const above = schema.pointer().length;
  const pending = [schema];
  for (let node = pending.pop(); node !== undefined && faults.length < ENOUGH; node = pending.pop()) {
    for (const [key, value] of node.entries()) {
      const found = memberFault(key, value);
      if (found !== undefined) faults.push({ ...found, pointer: value.pointer().slice(above) });
      pending.push(value);
    }
    for (const item of node.items()) pending.push(item);
  }
  return faults;
}

function memberFault(key: string, value: JsonNode): Omit<Fault, 'pointer'> | undefined {
  const reference = key === '$ref' ? value.string() : undefined;
  if (reference !== undefined && !reference.startsWith('#')) {
    return { rule: 'class-schema-remote-ref', message: `refers to ${JSON.stringify(reference)}, outside the schema` };
  }
  if (key !== '__proto__') return undefined;
  return { rule: 'class-schema-reserved-key', message: 'is a name that the schema compiler passes over' };
}
