import { type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { HttpClient } from './a2a/http.js';
import type { SourceAccess } from './agent.js';

/** What asking a door needs of the world. */
export interface AskWorld {
  readonly http: HttpClient;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The agent's own time limit ends a call sooner. */
const MAX_WAIT_MS = 600_000;

/** A record of 16 MB, with what stands around it. */
const MAX_REPLY_BYTES = 17 * 1024 * 1024;

/** How often a run that asks too fast is let wait. */
const MAX_PAUSES = 60;
const PAUSE_MS = 1_000;

/**
 * Asks the door to the pinned copies, below `/sources`, and gives its document. Waits where the door says that it is asked too fast.
 * Rejects with a GateError of blame `agent`: `door-refused`, or one of the session's; none of its texts holds the token.
 */
export async function askDoor(
  { url, token }: SourceAccess,
  { path, world }: { readonly path: string; readonly world: AskWorld },
): Promise<JsonNode> {
  const session = world.http.within(MAX_WAIT_MS, MAX_REPLY_BYTES);
  const request = {
    method: 'GET',
    url: `${url}/sources${path}`,
    headers: { authorization: `Bearer ${token}` },
    // A door that is asked twice notes the record as served twice, which harms no run.
    repeatable: true,
  } as const;
  try {
    for (let pauses = 0; ; pauses++) {
      const { status, body } = await session.send(request);
      const document = parseJson(body, { file: '<door>' });
      if (status === 200) return document;
      const code = document.get('error')?.get('code')?.string() ?? 'unknown';
      if (code !== 'too-many' || pauses === MAX_PAUSES) throw refusal(code, document);
      await world.sleep(PAUSE_MS);
    }
  } finally {
    session.close();
  }
}

function refusal(code: string, document: JsonNode): Error {
  const message = document.get('error')?.get('message')?.string() ?? 'the door gave no reason';
  return gateError('door-refused', { blame: 'agent', message: `${code}: ${message}` });
}
