import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { JsonNode } from '../json/index.js';
import { type Fault, faultOf, type SchemaError } from './faults.js';
import { jsonEqual, repeatedItem } from './json-equal.js';

/** A compiled class schema: the faults of a document, none when it is valid. */
export type ClassValidator = (document: JsonNode) => readonly Fault[];

const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

/** Keywords of later drafts, and of OpenAPI, that would restrict or widen a document: what cannot be obeyed is refused. */
const LATER_KEYWORDS = [
  'nullable',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
  'minContains',
  'maxContains',
  '$dynamicRef',
  '$recursiveRef',
];

/** Faults that are worked out at most; a hostile document could hold millions. */
const MAX_FAULTS = 50;

/**
 * Compiles one class schema by the rules of draft-07, whatever `$schema` it names. Throws ajv's error when the schema is
 * malformed, refers to what is not there, or uses a keyword that draft-07 lacks and that restricts documents.
 * Runs inside the schema worker only: both this call and the validator may take for ever.
 */
export function compileClass(schema: JsonNode): ClassValidator {
  const plain = schema.toPlain() as Record<string, unknown>;
  refuseMalformed(plain);
  // An asynchronous validator answers with a promise, which is true whatever it holds.
  if (Object.hasOwn(plain, '$async')) throw new Error('the keyword $async is not one of draft-07');
  delete plain['$schema'];
  const validate = classAjv().compile(plain);
  return (document) => faultsOf(validate, document);
}

function refuseMalformed(plain: unknown): void {
  const meta = new Ajv({ strict: false, logger: false, ownProperties: true });
  if (meta.validate(DRAFT_07, plain) === true) return;
  throw new Error(meta.errorsText(meta.errors, { dataVar: 'schema' }));
}

/** `meta: false` leaves nothing that a `$ref` could reach outside the schema itself. */
function classAjv(): Ajv {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    logger: false,
    code: { regExp: Object.assign(tolerantRegExp, { code: 'new RegExp' }) },
  });
  formats.default(ajv);
  for (const keyword of LATER_KEYWORDS) refuseKeyword(ajv, keyword);
  replaceEquality(ajv);
  return ajv;
}

/** A pattern in the Unicode sense where it can be read so; patterns written for Python often escape what `u` forbids. */
function tolerantRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function refuseKeyword(ajv: Ajv, keyword: string): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    compile() {
      throw new Error(`the keyword ${keyword} is not one of draft-07`);
    },
  });
}

/** ajv compares by a library that calls a document's own `valueOf` and trips over objects without a prototype. */
function replaceEquality(ajv: Ajv): void {
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword: 'const',
    validate: (wanted: unknown, data: unknown) => jsonEqual(wanted, data),
    errors: false,
  });
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    validate: (wanted: readonly unknown[], data: unknown) => wanted.some((value) => jsonEqual(value, data)),
    errors: false,
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, data: readonly unknown[]) => !wanted || !repeatedItem(data),
    errors: false,
  });
}

/** Only `true` is a pass: anything else that a validator might answer is not. */
function faultsOf(validate: ValidateFunction, document: JsonNode): readonly Fault[] {
  const answer: unknown = validate(document.toPlain());
  if (answer === true) return [];
  const errors: readonly SchemaError[] = validate.errors ?? [];
  if (errors.length === 0) return [{ rule: 'class-schema', pointer: '', message: 'does not fit its class schema' }];
  return errors.slice(0, MAX_FAULTS).map(faultOf);
}
