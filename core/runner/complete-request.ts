import { bufferOf, type JsonNode, parseJson } from '../json/index.js';
import type { Clock, Ids } from '../model/ports.js';
import { timestampOf } from '../trace/timestamp.js';

/** Where an absent id and time come from. */
export interface RequestWorld {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * A request with `invocation_id` and `issued_at` filled in where they are absent (contract 11). They are put at the end of
 * the text as it was read, so that every other member keeps its line and column, and every number its text.
 */
export function completeRequest(request: JsonNode, world: RequestWorld): JsonNode {
  const additions: string[] = [];
  if (!request.has('invocation_id')) additions.push(`"invocation_id": ${JSON.stringify(world.ids.invocationId())}`);
  if (!request.has('issued_at')) additions.push(`"issued_at": ${JSON.stringify(timestampOf(world.clock.nowNs()))}`);
  if (additions.length === 0) return request;
  const { bytes, from, origin } = request.document;
  // A request within a larger document begins where it stands, and its places count from there.
  const begin = request.index === request.document.root ? from : request.start;
  const begun = bufferOf(bytes).subarray(begin, request.end - 1);
  const rest = `${request.size > 0 ? ', ' : ''}${additions.join(', ')}}`;
  return parseJson(Buffer.concat([begun, Buffer.from(rest)]), { ...origin });
}
