import { GateError, oneLine } from '../core/index.js';
import { isUnanswered, statusOf } from './failure.js';
import type { Facts } from './jobs.js';
import { member } from './member.js';

const MOST_FRAMES = 3;

/**
 * What may be logged of an error: for an answer of GitHub's the request and the sentence of a refusal, for one of ours its code,
 * else its class and where it arose. Messages may hold what a pull request wrote, and stay out.
 */
export function describeFailure(error: unknown): Facts {
  const status = statusOf(error);
  if (isUnanswered(error)) return { unanswered: systemCode(error), ...requestOf(error) };
  if (status !== null) return { status, ...requestOf(error), ...sentenceOf(error, status) };
  if (error instanceof GateError) return { code: error.code, ...framesOf(error) };
  if (error instanceof Error) return { error: error.name, ...framesOf(error) };
  return { error: typeof error };
}

/** What the system calls it, such as ECONNREFUSED, wherever the errors that led to this one say so. */
function systemCode(error: unknown): string {
  const codes = [member(error, 'code'), member(error, 'cause', 'code'), member(error, 'cause', 'cause', 'code')];
  return codes.map(String).find((code) => /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) ?? 'no reason given';
}

/** Method and path of a request, without its query. */
function requestOf(error: unknown): Facts {
  if (!(error instanceof Error) || !('request' in error)) return {};
  const { request } = error;
  if (typeof request !== 'object' || request === null || !('method' in request) || !('url' in request)) return {};
  return { request: `${String(request.method)} ${String(request.url).replace(/^\w+:\/\/[^/]*|\?.*$/g, '')}` };
}

/** GitHub's own sentence; an answer of 422 repeats what was sent, and is left out. */
function sentenceOf(error: unknown, status: number): Facts {
  if (status !== 401 && status !== 403 && status !== 404) return {};
  return error instanceof Error ? { answer: oneLine(error.message).slice(0, 160) } : {};
}

/** Functions and lines, none of which a stranger wrote. */
function framesOf(error: Error): Facts {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length === 0
    ? {}
    : {
        at: frames
          .slice(0, MOST_FRAMES)
          .map((line) => line.trim())
          .join(' < '),
      };
}
