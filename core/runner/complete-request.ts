import { composeJson, type JsonNode, parseJson } from '../json/index.js';
import type { Clock, Ids } from '../model/ports.js';
import { timestampOf } from '../trace/timestamp.js';

/** Where an absent id and time come from. */
export interface RequestWorld {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * A request with `invocation_id` and `issued_at` filled in where they are absent (contract 11); every other member, and
 * every number's text, stays. `file` names the request in messages.
 */
export function completeRequest(request: JsonNode, world: RequestWorld): JsonNode {
  if (request.has('invocation_id') && request.has('issued_at')) return request;
  const members = new Map(request.entries());
  const completed = new Map([
    ['invocation_id', members.get('invocation_id') ?? world.ids.invocationId()],
    ['issued_at', members.get('issued_at') ?? timestampOf(world.clock.nowNs())],
    ...[...members].filter(([key]) => key !== 'invocation_id' && key !== 'issued_at'),
  ] as const);
  return parseJson(composeJson(completed), { file: request.place().file });
}
