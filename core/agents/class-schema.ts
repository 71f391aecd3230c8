import type { JsonNode } from '../json/index.js';

/** The one `$schema` that a class schema may name (contract 3, draft-07 rules). */
const DRAFT_07 = /^http:\/\/json-schema\.org\/draft-07\/schema#?$/;

/**
 * What is wrong with a class schema, one sentence a fault, none when it is sound (contract 3): it must require
 * `schema_class` with an enum of exactly its own name, a payload class also `grounded_on`, and refer to itself only.
 */
export function classSchemaFaults(
  schema: JsonNode,
  expected: { readonly name: string; readonly payload: boolean },
): string[] {
  const { name, payload } = expected;
  if (schema.kind !== 'object') return [`the schema of ${name} is not an object`];
  const required = (schema.get('required')?.items() ?? []).map((item) => item.string());
  const allowed = schema.get('properties')?.get('schema_class')?.get('enum')?.items() ?? [];
  const named = allowed.length === 1 && allowed[0]?.string() === name;
  const dialect = schema.get('$schema');
  const faults: string[] = [];
  if (!required.includes('schema_class')) faults.push(`the schema of ${name} does not require schema_class`);
  if (!named)
    faults.push(`the schema of ${name} does not give schema_class an enum of exactly ${JSON.stringify(name)}`);
  if (payload && !required.includes('grounded_on')) faults.push(`the schema of ${name} does not require grounded_on`);
  if (dialect !== undefined && !DRAFT_07.test(dialect.string() ?? ''))
    faults.push(`the schema of ${name} is not draft-07`);
  return [
    ...faults,
    ...remoteReferences(schema).map(
      (reference) => `the schema of ${name} refers to ${JSON.stringify(reference)}, outside itself`,
    ),
  ];
}

/** Every `$ref` that leaves the document. */
function remoteReferences(schema: JsonNode): string[] {
  const remote: string[] = [];
  const pending = [schema];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const reference = node.get('$ref')?.string();
    if (reference !== undefined && !reference.startsWith('#')) remote.push(reference);
    pending.push(...node.items(), ...node.entries().map(([, value]) => value));
  }
  return remote;
}
