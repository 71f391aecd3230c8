import { getOctokit } from '@actions/github';
import { type ApiRequest, messageOf, type Transport, type Transported } from '../../core/index.js';

/** No answer of GitHub's takes longer when it is well. */
const TIMEOUT_MS = 10_000;

/** GitHub's API by the toolkit's client; `apiUrl` is the server's own, GitHub Enterprise included. */
export function octokitTransport({ token, apiUrl }: { readonly token: string; readonly apiUrl: string }): Transport {
  const octokit = getOctokit(token, { baseUrl: apiUrl, log: SILENT });
  return {
    async send({ route, parameters }: ApiRequest): Promise<Transported> {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const { status, headers, data } = await octokit.request(route, { ...parameters, request: { signal } });
        return { kind: 'answer', status, headers: headersOf(headers), body: data };
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

// The client would print to the log by itself, with words of the server's in it.
const nothing = (): void => {};
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Octokit throws an error with `status` and `response` for an answer, and any other error for none. */
function failureOf(error: unknown): Transported {
  const status = memberOf(error, 'status');
  const response = memberOf(error, 'response');
  if (typeof status === 'number' && response !== undefined)
    return {
      kind: 'answer',
      status,
      headers: headersOf(memberOf(response, 'headers')),
      body: memberOf(response, 'data'),
    };
  return { kind: 'lost', reason: messageOf(error) };
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function headersOf(headers: unknown): ReadonlyMap<string, string> {
  if (typeof headers !== 'object' || headers === null) return new Map();
  return new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
