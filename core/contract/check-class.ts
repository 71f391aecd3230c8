import type { JsonNode } from '../json/index.js';
import { classSchemaOf, type SchemaDocument } from './class-schema.js';
import { validateDocument } from './documents.js';
import type { Fault } from './faults.js';
import type { SchemaChecker } from './ports.js';

/** Whether a document is of a class; `refused` when the class schema itself could not be put to work. */
export type ClassCheck =
  | { readonly kind: 'valid'; readonly schema: SchemaDocument }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'refused'; readonly message: string };

/** A class by name, the schemas that its agent declares, and who checks documents against those. */
export interface ClassOf {
  readonly name: string;
  readonly declared: ReadonlyMap<string, SchemaDocument>;
  readonly checker: SchemaChecker;
}

/** Checks a document against its class schema; that its `schema_class` names the class is part of every class schema. */
export async function checkClass(document: JsonNode, { name, declared, checker }: ClassOf): Promise<ClassCheck> {
  const schema = classSchemaOf(name, declared);
  if (schema === undefined)
    return { kind: 'refused', message: `no schema of the class ${JSON.stringify(name)} is known` };
  const core = coreFaults(name, document);
  if (core !== undefined) return core.length === 0 ? { kind: 'valid', schema } : { kind: 'invalid', faults: core };
  const verdict = await checker.validate({ schema, document });
  switch (verdict.kind) {
    case 'valid':
      return { kind: 'valid', schema };
    case 'invalid':
      return verdict;
    default:
      return { kind: 'refused', message: `the schema of ${JSON.stringify(name)} ${verdict.message}` };
  }
}

/** The core classes were compiled ahead of time; undefined for every other class. */
function coreFaults(name: string, document: JsonNode): readonly Fault[] | undefined {
  if (name === 'Message') return validateDocument('message', document);
  return name === 'Reply' ? validateDocument('reply', document) : undefined;
}
