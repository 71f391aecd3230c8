import type { ArtifactTransport, ServiceAnswer } from '../artifact.js';

const TIMEOUT_MS = 60_000;
/** Pauses before the second and third try. */
const BACK_OFF_MS = [1_000, 3_000];

/** The artifact service of a job, from what the runner gives its steps. */
export function artifactTransport({ url, token }: { readonly url: string; readonly token: string }): ArtifactTransport {
  const service = `${url.replace(/\/+$/, '')}/twirp/github.actions.results.api.v1.ArtifactService`;
  return {
    call: (method, body) =>
      // A second CreateArtifact would find the name taken by the first.
      exchange(
        `${service}/${method}`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        method === 'CreateArtifact' ? 1 : 3,
      ),
    put: (address, bytes) =>
      exchange(
        address,
        { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(bytes) },
        3,
      ),
  };
}

async function exchange(url: string, init: RequestInit, tries: number): Promise<ServiceAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await once(url, init);
    const again = answer.kind === 'lost' || answer.status >= 500 || answer.status === 429;
    if (!again || attempt >= tries) return answer;
    await new Promise((resolve) => setTimeout(resolve, BACK_OFF_MS[attempt - 1] ?? 0));
  }
}

async function once(url: string, init: RequestInit): Promise<ServiceAnswer> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { kind: 'answer', status: response.status, body: bodyOf(await response.text()) };
  } catch (error) {
    // The address holds a key, so that only the kind of failure is told.
    return {
      kind: 'lost',
      reason: error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'no connection',
    };
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
