import type { ServerResponse } from 'node:http';
import { ApiError } from './errors.js';

/** What a fault is to strike: an operation's name, a pattern for `METHOD /path`, or a question. */
export type Matcher = string | RegExp | ((request: Struck) => boolean);

/** A request as matchers see it; GraphQL, uploads and stored files have no operation. */
export interface Struck {
  readonly method: string;
  readonly path: string;
  readonly operation: string | undefined;
}

/** How a request fails. */
export interface Fault {
  /** Answers this status. A fault that names neither a status nor `hang` nor `drop` only makes the request wait. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests fail; all of them unless named. */
  readonly times?: number;
  /** Lets this many matching requests pass before. */
  readonly after?: number;
  /** Never answers, until the server closes. */
  readonly hang?: boolean;
  /** Cuts the connection. */
  readonly drop?: boolean;
  /** Does the work first, so that only its answer is lost or late. */
  readonly afterwards?: boolean;
  /** Waits for this long, in milliseconds. */
  readonly delay?: number;
  /** Waits until the test lets go. */
  readonly until?: Promise<unknown>;
}

type Armed = { readonly matcher: Matcher; readonly fault: Fault; passed: number; struck: number };

/** Waits as long as the fault says. */
export async function wait(fault: Fault | undefined): Promise<void> {
  if (fault?.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delay));
  await fault?.until;
}

/** Says whether the request fails at all, or only waits. */
export const breaks = (fault: Fault | undefined): fault is Fault =>
  fault !== undefined && (fault.status !== undefined || fault.hang === true || fault.drop === true);

/** Fails a request as the fault says; returns the status, 0 where none was sent. */
export function breakOff(fault: Fault, response: ServerResponse): number {
  if (fault.hang === true) return 0;
  if (fault.drop === true) {
    response.destroy();
    return 0;
  }
  const status = fault.status ?? 500;
  const body = fault.body ?? new ApiError(status, 'Server Error').body;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...fault.headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return status;
}

/** The faults that a test has armed. */
export class Faults {
  readonly #armed: Armed[] = [];

  /** Arms a fault; the returned function heals it. */
  arm(matcher: Matcher, fault: Fault): () => void {
    const armed = { matcher, fault, passed: 0, struck: 0 };
    this.#armed.push(armed);
    return () => {
      const index = this.#armed.indexOf(armed);
      if (index >= 0) this.#armed.splice(index, 1);
    };
  }

  /** The fault that strikes a request, if one does; asking counts. */
  strike(request: Struck): Fault | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed.matcher, request)) continue;
      if (armed.passed < (armed.fault.after ?? 0)) {
        armed.passed += 1;
        continue;
      }
      if (armed.struck >= (armed.fault.times ?? Number.POSITIVE_INFINITY)) continue;
      armed.struck += 1;
      return armed.fault;
    }
    return undefined;
  }
}

function matches(matcher: Matcher, request: Struck): boolean {
  if (typeof matcher === 'string') return matcher === request.operation;
  if (typeof matcher === 'function') return matcher(request);
  return matcher.test(`${request.method} ${request.path}`);
}
