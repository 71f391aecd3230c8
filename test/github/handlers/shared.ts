import { type Call, textOf } from '../http/call.js';
import { notAccessible, unprocessable } from '../http/errors.js';

// In characters, not bytes: GitHub stores four bytes for each.
const LONGEST_BODY = 65_536;

/** Refuses a text that GitHub would not store; returns it otherwise. */
export function bodyOf(call: Call, resource: string): string {
  const body = textOf(call, 'body') ?? '';
  const length = [...body].length;
  if (length > LONGEST_BODY)
    throw unprocessable({
      resource,
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${LONGEST_BODY} characters)`,
    });
  if (/\0/.test(body))
    throw unprocessable({ resource, code: 'unprocessable', field: 'data', message: 'Body has a NUL' });
  return body;
}

/** Those that changed since the time that the request names. */
export function since<T extends { readonly updatedAt: string }>(call: Call, all: readonly T[]): readonly T[] {
  const time = call.query.get('since');
  return time === null ? all : all.filter((one) => Date.parse(one.updatedAt) >= Date.parse(time));
}

/** Refuses an app that may only write pull requests when it speaks on a plain issue. */
export function mayWrite(call: Call, issue: { readonly isPull: boolean }): void {
  const { principal } = call;
  if (issue.isPull || principal.kind === 'user' || principal.kind === 'anonymous' || principal.kind === 'app') return;
  if (principal.permissions['issues'] !== 'write') throw notAccessible();
}
