import {
  type ApiResult,
  dataOf,
  type GitHubApi,
  isRateLimited,
  type JsonNode,
  type Refused,
  type RepositoryName,
  refusedAs,
} from '../../core/index.js';
import type { JobContext } from '../jobs.js';

/**
 * GitHub's API for one job. What GitHub refuses for good (401, 403, 404, 410, 422) is an answer; 5xx, rate limits and silence reject as
 * they came, so that the queue tries the whole job again. Nothing is written once the job has been taken away.
 */
export function apiOf({ octokit, signal }: Pick<JobContext, 'octokit' | 'signal'>): GitHubApi {
  const ask = async (route: string, parameters: Readonly<Record<string, unknown>>): Promise<unknown | Refusal> => {
    if (!route.startsWith('GET ')) signal.throwIfAborted();
    try {
      return (await octokit.request(route, parameters)).data;
    } catch (error) {
      const answer = answerIn(error);
      if (answer === null || answer.status >= 500 || isRateLimited(answer)) throw error;
      return new Refusal(refusedAs(answer));
    }
  };
  return {
    async call({ route, parameters }): Promise<ApiResult> {
      const data = await ask(route, parameters);
      return data instanceof Refusal ? data.refused : { kind: 'ok', data: dataOf(data) };
    },
    async download({ route, parameters }) {
      const data = await ask(route, parameters);
      if (data instanceof Refusal) return data.refused;
      if (data instanceof ArrayBuffer) return { kind: 'ok', bytes: new Uint8Array(data) };
      return { kind: 'refused', status: null, reason: 'GitHub sent no file' };
    },
  };
}

/** Tells a refusal from whatever GitHub may send as data. */
class Refusal {
  constructor(readonly refused: Refused) {}
}

interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** The answer that an error of Octokit's carries; null for one that never got any. */
function answerIn(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  const response: unknown = 'response' in error ? error.response : undefined;
  const part = (name: 'headers' | 'data'): unknown =>
    typeof response === 'object' && response !== null ? Reflect.get(response, name) : undefined;
  const headers = part('headers');
  const texts = typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  return {
    kind: 'answer',
    status: error.status,
    headers: new Map(texts.map(([name, value]) => [name, String(value)])),
    body: part('data') ?? { message: error.message },
  };
}

/** Where a call is made, in the form that GitHub's routes take. */
export interface Place {
  readonly api: GitHubApi;
  readonly repository: RepositoryName;
}

/** What one call answers, or why it was refused. */
export function ask(
  { api, repository }: Place,
  { route, parameters = {} }: { readonly route: string; readonly parameters?: Readonly<Record<string, unknown>> },
): Promise<ApiResult> {
  const [method = '', path = ''] = route.split(' ');
  return api.call({ route: `${method} /repos/{owner}/{repo}${path}`, parameters: { ...repository, ...parameters } });
}

/** The data of a call that has to succeed; throws a plain Error with GitHub's reason. */
export async function need(place: Place, call: Parameters<typeof ask>[1]): Promise<JsonNode> {
  const result = await ask(place, call);
  if (result.kind === 'ok') return result.data;
  throw new Error(result.reason);
}
