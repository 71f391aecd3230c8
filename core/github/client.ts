import { type JsonNode, jsonOf } from '../json/index.js';
import { oneLine } from '../model/errors.js';
import type { ApiRequest, GitHubApi, Pause, Refused, Transport, Transported } from './ports.js';

/** Tries of one call: the first, and two more for what may have been an accident; silence is waited for once more only. */
const TRIES = 3;
const TRIES_IN_SILENCE = 2;
/** GitHub asks for a minute at least when it names no time (its page on secondary limits). */
const LEAST_WAIT_MS = 60_000;
/** A longer wait is not worth a job's time: the sink says that it was refused. */
const LONGEST_WAIT_MS = 90_000;
const BACK_OFF_MS = [1_000, 3_000];

/** How the client reaches GitHub, and how it waits. */
export interface ClientWorld {
  readonly transport: Transport;
  readonly pause: Pause;
}

/**
 * GitHub's API with bounded retries: what is lost or answered with 5xx is asked again, a rate limit is waited for, everything
 * else (403, 404, 422) is an answer. Once GitHub has not answered at all, later calls are not even tried.
 */
export function createGitHubClient({ transport, pause }: ClientWorld): GitHubApi {
  let silent: string | undefined;
  const ask = async (request: ApiRequest, onTry?: () => void): Promise<Answered | Refused> => {
    if (silent !== undefined) return { kind: 'refused', status: null, reason: silent };
    for (let attempt = 1; ; attempt += 1) {
      onTry?.();
      const sent = await transport.send(request);
      const wait = attempt < TRIES ? waitFor(sent, attempt) : null;
      if (wait !== null) {
        await pause(wait);
        continue;
      }
      if (sent.kind === 'answer') return isGood(sent) ? sent : refusedAs(sent);
      silent = `GitHub did not answer (${oneLine(sent.reason)})`;
      return { kind: 'refused', status: null, reason: silent };
    }
  };
  return {
    async call(request) {
      let tries = 0;
      const answer = await ask(request, () => {
        tries += 1;
      });
      return answer.kind === 'refused' ? answer : { kind: 'ok', data: dataOf(answer.body), repeated: tries > 1 };
    },
    async download(request) {
      const answer = await ask(request);
      if (answer.kind === 'refused') return answer;
      if (answer.body instanceof ArrayBuffer) return { kind: 'ok', bytes: new Uint8Array(answer.body) };
      return { kind: 'refused', status: answer.status, reason: 'GitHub sent no file' };
    },
  };
}

/** Milliseconds to wait before the next try; null when another try would change nothing. */
function waitFor(sent: Transported, attempt: number): number | null {
  const backOff = BACK_OFF_MS[attempt - 1] ?? LEAST_WAIT_MS;
  if (sent.kind === 'lost') return attempt < TRIES_IN_SILENCE ? backOff : null;
  if (sent.status >= 500) return backOff;
  if (!isRateLimited(sent) || isSpent(sent)) return null;
  const wait = askedWait(sent) ?? LEAST_WAIT_MS * attempt;
  return wait <= LONGEST_WAIT_MS ? wait : null;
}

type Answered = Extract<Transported, { kind: 'answer' }>;

/** Whether an answer asks to wait: a primary or a secondary limit (GitHub's page on rate limits). */
export function isRateLimited({ status, headers, body }: Answered): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0' || /rate limit/i.test(messageOf(body))
  );
}

/** The hour's requests are used up: no wait that is worth a job's time brings them back. */
function isSpent({ headers }: Answered): boolean {
  return headers.get('x-ratelimit-remaining') === '0' && !headers.has('retry-after');
}

function askedWait({ headers }: Answered): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function isGood({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

/** An answer that was none, on one line. */
export function refusedAs({ status, body }: Pick<Answered, 'status' | 'body'>): Refused {
  const message = oneLine(messageOf(body)).slice(0, 200);
  return { kind: 'refused', status, reason: `GitHub answered ${status}${message === '' ? '' : `: ${message}`}` };
}

function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('message' in body)) return '';
  return typeof body.message === 'string' ? body.message : '';
}

/** Octokit reads ids above 2^53 as bigint, which JSON cannot write: they become strings (dependencies P2). */
export function dataOf(body: unknown): JsonNode {
  const text = JSON.stringify(body ?? null, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return jsonOf(JSON.parse(text));
}

/** An id of GitHub's, which may be too large for a number; null when there is none. */
export function idOf(node: JsonNode | undefined): string | null {
  return node?.lexeme() ?? node?.string() ?? null;
}

/** All pages of a list, `most` items at the utmost; `member` is where an answer keeps its items when it is an object. */
export async function callPages(
  api: GitHubApi,
  request: ApiRequest,
  { member, most }: { readonly member?: string; readonly most: number },
): Promise<{ readonly kind: 'ok'; readonly items: readonly JsonNode[] } | Refused> {
  const items: JsonNode[] = [];
  for (let page = 1; items.length < most; page += 1) {
    const result = await api.call({ ...request, parameters: { ...request.parameters, per_page: PAGE, page } });
    if (result.kind === 'refused') return result;
    const list = member === undefined ? result.data : result.data.get(member);
    // A broken answer must not look like the end of the list.
    if (list?.kind !== 'array')
      return { kind: 'refused', status: null, reason: 'GitHub answered with something else than a list' };
    const found = list.items();
    items.push(...found);
    if (found.length < PAGE) break;
  }
  return { kind: 'ok', items: items.slice(0, most) };
}

const PAGE = 100;
