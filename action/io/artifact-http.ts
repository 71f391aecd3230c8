import { HttpClient } from '@actions/http-client';
import { fetch, type RequestInit } from 'undici';
import type { ArtifactTransport, ServiceAnswer } from '../artifact.js';

/** The service answers at once; a block of an upload may take its time. */
const CALL_TIMEOUT_MS = 15_000;
const PUT_TIMEOUT_MS = 60_000;
/** Pauses before the second and third try. */
const BACK_OFF_MS = [1_000, 3_000];

/** The artifact service of a job, from what the runner gives its steps. */
export function artifactTransport({ url, token }: { readonly url: string; readonly token: string }): ArtifactTransport {
  const service = `${url.replace(/\/+$/, '')}/twirp/github.actions.results.api.v1.ArtifactService`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    call: (method, body) =>
      exchange(`${service}/${method}`, {
        init: { method: 'POST', headers, body: JSON.stringify(body) },
        // A second CreateArtifact would find the name taken by the first.
        tries: method === 'CreateArtifact' ? 1 : 3,
        timeoutMs: CALL_TIMEOUT_MS,
      }),
    put: (address, bytes) =>
      exchange(address, {
        init: { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(bytes) },
        tries: 3,
        timeoutMs: PUT_TIMEOUT_MS,
      }),
  };
}

interface Exchange {
  readonly init: RequestInit;
  readonly tries: number;
  readonly timeoutMs: number;
}

async function exchange(url: string, how: Exchange): Promise<ServiceAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(url, how);
    const again = answer.kind === 'lost' || answer.status >= 500 || answer.status === 429;
    if (!again || attempt >= how.tries) return answer;
    await new Promise((resolve) => setTimeout(resolve, BACK_OFF_MS[attempt - 1] ?? 0));
  }
}

async function once(url: string, { init, timeoutMs }: Exchange): Promise<ServiceAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // Node's own fetch knows of no proxy, and a self-hosted runner may have no other way out.
    const dispatcher = new HttpClient().getAgentDispatcher(url);
    const response = await fetch(url, { ...init, redirect: 'error', signal, ...(dispatcher && { dispatcher }) });
    return { kind: 'answer', status: response.status, body: bodyOf(await response.text()) };
  } catch (error) {
    // The address holds a key, so that only the kind of failure is told.
    const late = error instanceof Error && error.name === 'TimeoutError';
    return { kind: 'lost', reason: late ? 'no answer in time' : 'no connection' };
  }
}

function bodyOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return new Map(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  } catch {
    return new Map();
  }
}
