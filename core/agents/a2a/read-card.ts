import { hashOf, type JsonNode, parseJson } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { CONTRACT_VERSION } from '../../model/outcome.js';
import { VERSION } from '../../model/patterns.js';
import { isCompatible, parseSpecification } from '../parse-specification.js';
import type { AgentSpecification } from '../specification.js';
import type { HttpSession } from './http.js';
import { withIntegralNumbers } from './integral-numbers.js';
import { CARD_PATH, PROTOCOL_VERSION, SPECIFICATION_EXTENSION } from './protocol.js';

/** A card as it was fetched. */
export interface FetchedCard {
  readonly bytes: Uint8Array;
  readonly card: JsonNode;
  /** Its `dd-json-document-v1` hash, by which it is pinned (contract 8). */
  readonly hash: string;
}

/** What a card says: an agent that can be called, or one that was made for another contract. */
export type ReadCard =
  | { readonly kind: 'agent'; readonly specification: AgentSpecification; readonly endpoint: string }
  | { readonly kind: 'incompatible'; readonly theirs: string; readonly ours: string };

/**
 * Fetches the card of the agent at `base`; `pinned` is given back where the card is the same to the byte, which spares reading it. Rejects
 * with a GateError of blame `agent`: `agent-card`, `agent-redirect` or one of the session's.
 */
export async function fetchCard(
  session: HttpSession,
  { base, pinned }: { readonly base: string; readonly pinned?: FetchedCard },
): Promise<FetchedCard> {
  const headers = { accept: 'application/json', 'A2A-Version': PROTOCOL_VERSION };
  const { status, body } = await session.send({
    method: 'GET',
    url: below(base, CARD_PATH),
    headers,
    repeatable: true,
  });
  if (status >= 300 && status < 400) throw redirected(status);
  if (status !== 200) throw unusable(`it answered ${status} when asked for its card`);
  if (pinned !== undefined && Buffer.compare(pinned.bytes, body) === 0) return pinned;
  const card = read(body);
  return { bytes: body, card, hash: hashOf(card, 'dd-json-document-v1') };
}

/**
 * Reads a card (contract 8): the specification from its extension, numbers restored, and where to send calls. A version of the
 * contract that is not ours is an answer; every other fault is thrown as GateError `agent-card` or `agent-specification`.
 */
export function readCard(card: JsonNode, options: { readonly base: string; readonly label: string }): ReadCard {
  const extension = (card.get('capabilities')?.get('extensions')?.items() ?? []).filter(
    (item) => item.get('uri')?.string() === SPECIFICATION_EXTENSION,
  );
  const [only] = extension;
  if (only === undefined || extension.length > 1)
    throw unusable(`its card has the extension ${SPECIFICATION_EXTENSION} ${extension.length} times instead of once`);
  const declared = only.get('params');
  if (declared === undefined) throw unusable('the extension of its card has no params');
  const theirs = declared.get('contract_version')?.string() ?? '';
  // Asked first: a specification of another contract may have another shape.
  if (VERSION.test(theirs) && !isCompatible(theirs)) return { kind: 'incompatible', theirs, ours: CONTRACT_VERSION };
  const specification = parseSpecification(withIntegralNumbers(declared), { label: options.label });
  return { kind: 'agent', specification, endpoint: endpointOf(card, options.base) };
}

/** The path comes from the card, the host from agents.yaml: no card can send a request, or a token, elsewhere. */
function endpointOf(card: JsonNode, base: string): string {
  const interfaces = (card.get('supportedInterfaces')?.items() ?? []).filter(
    (item) =>
      item.get('protocolBinding')?.string()?.toUpperCase() === 'JSONRPC' &&
      item.get('protocolVersion')?.string() === PROTOCOL_VERSION,
  );
  const url = interfaces[0]?.get('url')?.string();
  if (url === undefined) throw unusable(`its card names no JSON-RPC interface of protocol version ${PROTOCOL_VERSION}`);
  if (!URL.canParse(url, base)) throw unusable('the url of its JSON-RPC interface is none');
  const { pathname, search } = new URL(url, base);
  // Set, not resolved: a path of two slashes, read as an address anew, names another host.
  const endpoint = new URL(base);
  endpoint.pathname = pathname;
  endpoint.search = search;
  return endpoint.href;
}

/** An address below another one, whether that ends in a slash or not. */
export function below(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}

function read(body: Uint8Array): JsonNode {
  let card: JsonNode;
  try {
    card = parseJson(body, { file: '<card>' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw unusable(`its card is not strict JSON: ${why}`, cause);
  }
  if (card.kind !== 'object') throw unusable('its card is not an object');
  return card;
}

/** The error for a reply that sends us elsewhere. */
export function redirected(status: number): Error {
  return gateError('agent-redirect', {
    blame: 'agent',
    message: `it answered with a redirect (${status}), and none is followed`,
    remedy: 'name its own address in agents.yaml',
  });
}

function unusable(message: string, cause?: unknown): Error {
  return gateError('agent-card', { blame: 'agent', message, ...(cause === undefined ? {} : { cause }) });
}
