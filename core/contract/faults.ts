import type { JsonNode } from '../json/index.js';
import type { Place } from '../model/violation.js';

/** One error as ajv and its standalone code report it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A validator that was compiled ahead of time; `errors` belongs to the last call. */
export interface StandaloneValidator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/**
 * One way in which a document breaks the contract. `rule` is a JSON Schema keyword or the name of a rule across
 * members; names and values in `message` may be a model's, so a renderer escapes it for its own format.
 */
export interface Fault {
  readonly rule: string;
  /** RFC 6901 pointer into the judged document. */
  readonly pointer: string;
  readonly message: string;
  readonly place?: Place;
}

/** Every fault of a document at once, in the order of the schema; none when it is valid. */
export function schemaFaults(node: JsonNode, validate: StandaloneValidator): readonly Fault[] {
  if (validate(node.toPlain())) return [];
  return located(node, (validate.errors ?? []).map(faultOf));
}

/** Turns an error of ajv into a fault without a place. */
export function faultOf({ instancePath, keyword, params }: SchemaError): Fault {
  const extra = keyword === 'additionalProperties' ? params['additionalProperty'] : undefined;
  const pointer = typeof extra === 'string' ? `${instancePath}/${pointerToken(extra)}` : instancePath;
  return { rule: keyword, pointer, message: describe(keyword, params) };
}

/** The faults with the places of the values that they point at; past the hundredth, without. */
export function located(node: JsonNode, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault, index) => {
    const place = index < PLACED ? node.locate(fault.pointer)?.place() : undefined;
    return place === undefined ? fault : { ...fault, place };
  });
}

/** All faults as one line of text: `/pointer: message; …`, at most twenty of them. */
export function faultsText(faults: readonly Fault[]): string {
  const listed = faults.slice(0, LISTED).map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`);
  const more = faults.length > LISTED ? [`and ${faults.length - LISTED} more`] : [];
  return [...listed, ...more].join('; ');
}

/** A hostile document can break a schema a million times; nobody reads past this many. */
const LISTED = 20;

/** Finding a place takes a walk through the document, so a hostile one with a million faults would take for ever. */
const PLACED = 100;

function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What a keyword wants, for the keywords that a reader meets. */
function describe(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const shown = (name: string) => JSON.stringify(params[name]);
  switch (keyword) {
    case 'required':
      return `lacks the member ${shown('missingProperty')}`;
    case 'additionalProperties':
      return 'is a member that this document may not have';
    case 'type':
      return `is not of type ${String(params['type'])}`;
    case 'enum':
      return Array.isArray(params['allowedValues'])
        ? `is none of ${params['allowedValues'].map((value) => JSON.stringify(value)).join(', ')}`
        : 'is none of the allowed values';
    case 'pattern':
      return `does not match ${String(params['pattern'])}`;
    case 'format':
      return `is not a ${String(params['format'])}`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return `holds fewer than ${String(params['limit'])}`;
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return `holds more than ${String(params['limit'])}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `is not ${String(params['comparison'])} ${String(params['limit'])}`;
    default:
      return `breaks the keyword ${JSON.stringify(keyword)} of its schema`;
  }
}
