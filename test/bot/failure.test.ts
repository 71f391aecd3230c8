import { expect, test } from 'vitest';
import { failureOf } from '../../bot/failure.js';
import { TryAgain } from '../../bot/jobs.js';

const NOW = 1_700_000_000_000;

const answer = (status: number, { headers = {}, message = '' }: { headers?: object; message?: string } = {}) =>
  Object.assign(new Error('x'), { status, response: { headers, data: { message } } });

const judged = (error: unknown, retries = 0) => failureOf(error, { retries, now: NOW });

test.each([401, 403, 404, 410, 422, 451])('returns refused, and no other turn, when GitHub answers %i', (status) => {
  expect(judged(answer(status, { message: 'Resource not accessible by integration' }))).toEqual({
    kind: 'refused',
    status,
  });
});

test.each([
  ['500', answer(500), 5, false],
  ['502', answer(502), 5, false],
  ['no answer, which Octokit gives 500', Object.assign(new Error('fetch failed'), { status: 500 }), 5, false],
  ['a secondary limit with retry-after', answer(403, { headers: { 'retry-after': '7' } }), 7, true],
  [
    'a secondary limit that says so in words only',
    answer(403, { message: 'You have exceeded a secondary rate limit' }),
    60,
    true,
  ],
  ['429', answer(429), 60, true],
  ['429 with retry-after', answer(429, { headers: { 'retry-after': '30' } }), 30, true],
  [
    'the primary limit, until it is renewed',
    answer(403, { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 90) } }),
    91,
    true,
  ],
  [
    'the primary limit with a time that has passed',
    answer(403, { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } }),
    1,
    true,
  ],
  ['a wait of a day, for an hour', answer(429, { headers: { 'retry-after': '86400' } }), 3600, true],
  ['a wait that is no number', answer(429, { headers: { 'retry-after': 'soon' } }), 60, true],
  ['a job that asks for a pause', new TryAgain('x', { afterSeconds: 12 }), 12, false],
  ['a job that asks without one', new TryAgain('x', { afterSeconds: null }), 5, false],
])('returns another turn after %s', (_name, error, afterSeconds, pausesAll) => {
  expect(judged(error)).toMatchObject({ kind: 'again', afterSeconds, pausesAll });
});

test('returns longer pauses from turn to turn, and gives up after eight more turns', () => {
  const waits = Array.from({ length: 10 }, (_, retries) => judged(answer(503), retries));
  expect(waits.map((one) => (one.kind === 'again' ? one.afterSeconds : one.kind))).toEqual([
    5,
    10,
    20,
    40,
    80,
    160,
    300,
    300,
    'given-up',
    'given-up',
  ]);
  expect(judged(answer(429), 8).kind).toBe('given-up');
  expect(judged(new TryAgain('x', { afterSeconds: 1 }), 8).kind).toBe('given-up');
});

test.each([
  ['an error of ours', new TypeError('x')],
  ['something that is no error', 'x'],
  ['null', null],
  ['a status that is no number', { status: '500' }],
  ['a status that is no failure', { status: 200 }],
])('returns broken for %s', (_name, error) => {
  expect(judged(error)).toEqual({ kind: 'broken' });
});
