const DOCS = 'https://docs.github.com/rest';

/** An answer that is an error, in GitHub's shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { readonly headers?: Record<string, string>; readonly body?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.status = status;
    this.body = { message, ...more.body, documentation_url: DOCS, status: String(status) };
    this.headers = more.headers ?? {};
  }
}

/** What GitHub says for what is not there and for what a token may not see. */
export const notFound = () => new ApiError(404, 'Not Found');

/** What GitHub says to a token whose app lacks the permission. */
export const notAccessible = () => new ApiError(403, 'Resource not accessible by integration');

/** One reason of a refused request. */
export interface Reason {
  readonly resource: string;
  readonly field?: string;
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  readonly message?: string;
}

/** A request that GitHub understood and will not do. */
export const unprocessable = (...errors: readonly Reason[]) =>
  new ApiError(422, 'Validation Failed', { body: { errors: errors.map((one) => ({ ...one })) } });

/** The shape in which the Checks API refuses a request. */
export const invalidRequest = (reason: string) => new ApiError(422, `Invalid request.\n\n${reason}`);

/** What GitHub answers to requests that come too fast; callers must wait `retryAfter` seconds. */
export const secondaryLimit = (retryAfter: number, status: 403 | 429 = 403) =>
  new ApiError(status, 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', {
    headers: { 'retry-after': String(retryAfter) },
  });

/** A request inside the subset that asks for something this server does not do; the test fails, never passes by luck. */
export class Unsupported extends Error {}
