import { TryAgain } from './jobs.js';
import { member } from './member.js';

/** Turns after the first; with the pauses below they last about a quarter of an hour, and the next sweep begins anew. */
const MOST_RETRIES = 8;
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 300;
/** GitHub asks for a minute at least when it names no time (its page on rate limits). */
const LEAST_LIMIT_SECONDS = 60;
/** The primary limit is renewed every hour. */
const LONGEST_LIMIT_SECONDS = 3600;

/** What follows from a job's failure. */
export type Failure =
  /** Another turn; `pausesAll` when GitHub wants to hear nothing from the installation until then. */
  | {
      readonly kind: 'again';
      readonly afterSeconds: number;
      readonly pausesAll: boolean;
      readonly status: number | null;
    }
  /** Tried often enough. */
  | { readonly kind: 'given-up'; readonly status: number | null }
  /** GitHub said no, and would say it again. */
  | { readonly kind: 'refused'; readonly status: number }
  /** A fault of ours, or a configuration error that nobody caught. */
  | { readonly kind: 'broken' };

/** Judges what a job rejected with; `now` in milliseconds since 1970, against which GitHub's reset time is held. */
export function failureOf(
  error: unknown,
  { retries, now }: { readonly retries: number; readonly now: number },
): Failure {
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** retries, LONGEST_PAUSE_SECONDS);
  if (error instanceof TryAgain) {
    if (retries >= MOST_RETRIES) return { kind: 'given-up', status: null };
    return { kind: 'again', afterSeconds: error.afterSeconds ?? pause, pausesAll: false, status: null };
  }
  const status = statusOf(error);
  if (status === null) return { kind: 'broken' };
  const limit = limitSeconds(error, { status, now });
  if (limit === null && status < 500) return { kind: 'refused', status };
  if (retries >= MOST_RETRIES) return { kind: 'given-up', status };
  return { kind: 'again', afterSeconds: limit ?? pause, pausesAll: limit !== null, status };
}

/** The status of an error of Octokit's, which gives 500 to a request that no one answered; null for any other error. */
export function statusOf(error: unknown): number | null {
  const status = member(error, 'status');
  return typeof status === 'number' && status >= 400 ? status : null;
}

/** Whether a request of Octokit's had no answer at all: nobody was reached, or the connection broke. */
export function isUnanswered(error: unknown): boolean {
  return statusOf(error) === 500 && member(error, 'response') === undefined && member(error, 'request') !== undefined;
}

/** Seconds that a rate limit asks for; null when the answer is not about one. */
function limitSeconds(error: unknown, { status, now }: { status: number; now: number }): number | null {
  if (status !== 403 && status !== 429) return null;
  const headers = member(error, 'response', 'headers');
  const asked = seconds(member(headers, 'retry-after'));
  if (asked !== null) return bounded(asked);
  if (String(member(headers, 'x-ratelimit-remaining')) === '0') {
    const reset = seconds(member(headers, 'x-ratelimit-reset'));
    return bounded(reset === null ? LEAST_LIMIT_SECONDS : Math.ceil(reset - now / 1000) + 1);
  }
  const isLimit = status === 429 || /rate limit/i.test(String(member(error, 'response', 'data', 'message')));
  return isLimit ? LEAST_LIMIT_SECONDS : null;
}

function seconds(value: unknown): number | null {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 && value !== '' ? number : null;
}

function bounded(wait: number): number {
  return Math.min(Math.max(wait, 1), LONGEST_LIMIT_SECONDS);
}
