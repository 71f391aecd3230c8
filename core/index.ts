/** The library: everything that a door (the Action, the bot, a program of yours) may use of the core. */
export * from './json/index.js';
export { assertNever } from './model/assert-never.js';
export { ERROR_CODES, type ErrorCode, gateError } from './model/error-codes.js';
export { type Blame, GateError, oneLine } from './model/errors.js';
export * from './model/outcome.js';
export type { Clock, Ids } from './model/ports.js';
export type { Authenticator, Principal } from './model/principal.js';
export * from './model/report.js';
export * from './model/violation.js';
export { type Conclusion, exitCodeOf } from './report/conclusion.js';
export { readSpans, type Span } from './trace/index.js';
