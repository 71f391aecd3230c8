import type { JsonNode } from '../json/index.js';
import type { SchemaDocument } from './class-schema.js';
import type { Fault } from './faults.js';

/**
 * Why a class schema could not be put to work: it does not compile, calls itself without end, took too long, killed the
 * worker (by its memory, as a rule), or is too large to be looked at.
 */
export type SchemaRefusal = 'does-not-compile' | 'recursion' | 'deadline' | 'died' | 'too-large';

/**
 * What a class schema says about a document. `refused` is the schema's fault or the machine's, never the document's:
 * the document counts as unchecked, which is never valid.
 */
export type SchemaVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'refused'; readonly reason: SchemaRefusal; readonly message: string };

/**
 * Checks documents against class schemas, which arrive with an agent and are hostile: the work is done elsewhere, under
 * a deadline and a memory limit. Neither method rejects for anything that a schema or a document holds.
 */
export interface SchemaChecker {
  /** Says whether a schema compiles; `valid` when it does. */
  compile(schema: SchemaDocument): Promise<SchemaVerdict>;
  /** Checks one document; the schema is compiled first where that was not yet done. */
  validate(job: { readonly schema: SchemaDocument; readonly document: JsonNode }): Promise<SchemaVerdict>;
  close(): Promise<void>;
}
