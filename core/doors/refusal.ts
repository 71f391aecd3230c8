/** Why a door gives nothing, with the HTTP status that says so. */
export const REFUSALS = {
  malformed: 400,
  'grant-unknown': 401,
  'no-such-snapshot': 404,
  'no-such-record': 404,
  'not-here': 404,
  'read-only': 405,
  'record-too-large': 413,
  'not-projectable': 422,
  'too-many': 429,
  'run-full': 429,
  'no-run': 403,
  'which-run': 403,
  'not-passed': 403,
  'request-too-large': 413,
  'upstream-failed': 502,
  'upstream-timeout': 504,
  'copy-unreadable': 503,
} as const;
export type RefusalCode = keyof typeof REFUSALS;

/** A refusal; the message may quote what was asked for. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  readonly message: string;
}

/** Makes a refusal. */
export function refused(code: RefusalCode, message: string): Refusal {
  return { kind: 'refused', code, message };
}

/** What a door answers: something, or why nothing. */
export type Answer<Value> = { readonly kind: 'given'; readonly value: Value } | Refusal;

/** Makes an answer. */
export function given<Value>(value: Value): Answer<Value> {
  return { kind: 'given', value };
}
