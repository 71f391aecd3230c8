import { validateRequest } from '../contract/documents.js';
import { faultsText } from '../contract/faults.js';
import { type Composable, composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';

/** A request as it will be stored, and what the conductor reads from it. */
export interface AcceptedRequest {
  readonly bytes: Uint8Array;
  readonly node: JsonNode;
  readonly invocationId: string;
  readonly agentId: string;
  readonly conversationId?: string;
  readonly parentInvocationId?: string;
  readonly projectId?: string;
  /** The request as the agent is sent it: it is never told of a project. */
  readonly sent: JsonNode;
  readonly input: JsonNode;
  readonly inputClass: string;
  /** `input:<invocation_id>` */
  readonly inputRef: string;
  /** `dd-input-json-v1` hash of the stored input. */
  readonly inputHash: string;
}

/** Members of a request that are the conductor's to set (contract 3). */
const RESERVED = ['parent_invocation_id', 'project_id'] as const;

/** What the conductor sets in a request, or puts in the place of what the caller sent. */
export interface Placement {
  readonly conversationId?: string;
  readonly parentInvocationId?: string;
  readonly projectId?: string;
  readonly input?: JsonNode;
}

/** Checks a caller's InvocationRequest; throws `request-malformed` or `request-reserved` of blame `caller`. */
export function checkRequest(request: JsonNode): void {
  refuseMalformed(request);
  refuseReserved(request);
}

/**
 * Takes an InvocationRequest that `checkRequest` let pass, with what the conductor sets in it. Null members of the input's
 * top level are dropped before anything is hashed or stored (contract 2).
 */
export function acceptRequest(request: JsonNode, placement: Placement = {}): AcceptedRequest {
  const bytes = storedBytes(request, placement);
  const node = parseJson(bytes, REQUEST);
  const input = member(node, 'input');
  const invocationId = text(node, 'invocation_id');
  const conversationId = node.get('conversation_id')?.string();
  const { parentInvocationId, projectId } = placement;
  return {
    bytes,
    node,
    invocationId,
    agentId: text(node, 'agent_id'),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(parentInvocationId === undefined ? {} : { parentInvocationId }),
    ...(projectId === undefined ? {} : { projectId }),
    sent: projectId === undefined ? node : parseJson(storedBytes(request, { ...placement, projectId: '' }), REQUEST),
    input,
    inputClass: text(input, 'schema_class'),
    inputRef: `input:${invocationId}`,
    inputHash: hashOf(input, 'dd-input-json-v1'),
  };
}

const REQUEST = { file: 'request.json' };

function refuseMalformed(request: JsonNode): void {
  const faults = validateRequest(request);
  if (faults.length === 0) return;
  const place = faults[0]?.place;
  throw gateError('request-malformed', {
    blame: 'caller',
    message: `the request is no InvocationRequest: ${faultsText(faults)}`,
    remedy:
      'send invocation_id, agent_id, issued_at and an input that names its schema_class, and leave principal and policy to the conductor',
    ...(place === undefined ? {} : { place }),
  });
}

function refuseReserved(request: JsonNode): void {
  const set = RESERVED.filter((name) => request.has(name));
  const first = set[0];
  if (first === undefined) return;
  throw gateError('request-reserved', {
    blame: 'caller',
    message: `the request sets ${set.join(' and ')}, which only the conductor may set`,
    remedy: 'leave it out',
    place: member(request, first).place(),
  });
}

/** The members as they came, input without nulls, then what the conductor sets; an empty project is none. */
function storedBytes(
  request: JsonNode,
  { conversationId, parentInvocationId, projectId, input }: Placement,
): Uint8Array {
  const members = request
    .entries()
    .map(([key, value]): [string, Composable] => [key, key === 'input' ? withoutNulls(input ?? value) : value]);
  const set = [
    ['conversation_id', conversationId],
    ['parent_invocation_id', parentInvocationId],
    ['project_id', projectId === '' ? undefined : projectId],
  ] as const;
  const placed = set.flatMap(([key, value]): [string, Composable][] => (value === undefined ? [] : [[key, value]]));
  return composeJson(new Map([...members, ...placed]));
}

/** The members of an object that are not null; numbers keep their text. */
export function withoutNulls(node: JsonNode): ReadonlyMap<string, JsonNode> {
  return new Map(node.entries().filter(([, value]) => value.kind !== 'null'));
}

function member(node: JsonNode, key: string): JsonNode {
  const found = node.get(key);
  if (found === undefined) throw new Error(`a valid request lacks ${key}`);
  return found;
}

function text(node: JsonNode, key: string): string {
  const found = member(node, key).string();
  if (found === undefined) throw new Error(`${key} of a valid request is no string`);
  return found;
}
