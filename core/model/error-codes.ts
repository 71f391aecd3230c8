/**
 * Every error code with what it means and how to mend it. `docs/errors.md` is generated from this table,
 * and a code that is missing here does not compile: throw with `gateError`.
 */
import { GateError, type GateErrorInit } from './errors.js';

export const ERROR_CODES = {
  'json-empty': { means: 'The document is empty or holds only white space.' },
  'json-syntax': { means: 'The text is not JSON (RFC 8259).' },
  'json-encoding': { means: 'The bytes are not UTF-8, or begin with a byte order mark.' },
  'json-nonfinite': { means: 'NaN, Infinity, or a number beyond the range of a double.' },
  'json-long-integer': { means: 'An integer of more than 4,300 digits.' },
  'json-lone-surrogate': { means: 'A \\u escape names one half of a surrogate pair.' },
  'json-trailing': { means: 'Something follows the end of the document.' },
  'json-depth': { means: 'Arrays and objects are nested more than 1,000 levels deep.' },
  'json-duplicate-key': { means: 'An object holds the same key twice, so that two readers could see two documents.' },
  'json-too-large': { means: 'The document is larger than this reader takes in one piece.' },
  'canonicalisation-unknown': { means: 'The canonicalisation is not registered.' },
  'projection-refused': { means: 'The document cannot be projected under this canonicalisation.' },
} as const satisfies Record<string, { readonly means: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Makes a `GateError` whose code stands in the table. */
export function gateError(code: ErrorCode, init: GateErrorInit): GateError<ErrorCode> {
  return new GateError(code, init);
}
