import { AgentCard, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { type Composable, composeJson, type JsonNode, parseJson, utf8Text } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { GateError, messageOf, oneLine } from '../../model/errors.js';
import type { HttpReply, HttpSession } from './http.js';
import { MAX_BODY_BYTES, PROTOCOL_VERSION, SPECIFICATION_EXTENSION } from './protocol.js';
import { redirected } from './read-card.js';

/** A message with one data part, and where it goes. */
export interface OutgoingMessage {
  readonly endpoint: string;
  /** Unique for its sender. */
  readonly messageId: string;
  readonly data: JsonNode;
  readonly metadata: Readonly<Record<string, string>>;
}

type FetchLike = NonNullable<NonNullable<ConstructorParameters<typeof JsonRpcTransportFactory>[0]>['fetchImpl']>;

/**
 * Sends a message by A2A and gives the `result` of the reply, as the strict reader sees it; the SDK is handed only bytes that were
 * read so before. Rejects with a GateError of blame `agent`: `agent-redirect`, `agent-reply` when the reply is not one, or says that the
 * call was refused, or one of the session's.
 */
export async function sendMessage(message: OutgoingMessage, session: HttpSession): Promise<JsonNode> {
  let seen: JsonNode | undefined;
  const viaSession: FetchLike = async (_url, init) => {
    const reply = await session.send({
      method: 'POST',
      url: message.endpoint,
      headers: headersOf(init?.headers),
      body: bodyOf(String(init?.body), message.data),
    });
    seen = readReply(reply);
    return responseOf(reply);
  };
  const transport = await new JsonRpcTransportFactory({ fetchImpl: viaSession }).create(message.endpoint, NO_CARD);
  try {
    await transport.sendMessage(requestOf(message), {
      serviceParameters: { 'A2A-Version': PROTOCOL_VERSION, 'A2A-Extensions': SPECIFICATION_EXTENSION },
    });
  } catch (error) {
    if (error instanceof GateError) throw error;
    const why = oneLine(messageOf(error)).slice(0, 500).toWellFormed();
    throw gateError('agent-reply', { blame: 'agent', message: `it did not take the call: ${why}`, cause: error });
  }
  const result = seen?.get('result');
  if (result === undefined) throw faulty('its reply has no result');
  return result;
}

/** The SDK asks no card of ours for anything here. */
const NO_CARD = AgentCard.fromJSON({});

/** What the SDK asks of a reply; a whole Response, with streams of its own, takes longer than all else of the call. */
function responseOf({ status, body }: HttpReply): Response {
  const text = async (): Promise<string> => utf8Text(body);
  const asked: Pick<Response, 'ok' | 'status' | 'statusText' | 'text' | 'json'> = {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    text,
    json: async () => JSON.parse(await text()),
  };
  return asked as Response;
}

/** The message as the SDK takes it. Its data is put in later, since the SDK would write numbers anew. */
function requestOf({ messageId, metadata }: OutgoingMessage): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [],
      metadata: { ...metadata },
      extensions: [SPECIFICATION_EXTENSION],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

/** The SDK's body with the data part put in, whose numbers keep their text. */
function bodyOf(written: string, data: JsonNode): Uint8Array {
  const body = parseJson(Buffer.from(written), { file: '<request>' });
  const parts: Composable = [{ data, mediaType: 'application/json' }];
  const message = withMember(body.get('params')?.get('message'), 'parts', parts);
  const bytes = composeJson(withMember(body, 'params', withMember(body.get('params'), 'message', message)), {
    indent: 0,
  });
  if (bytes.length <= MAX_BODY_BYTES) return bytes;
  throw faulty(`the request is longer than ${MAX_BODY_BYTES} bytes, which no agent takes`);
}

function withMember(
  node: JsonNode | undefined,
  key: string,
  value: Composable,
): ReadonlyMap<string, Composable | undefined> {
  return new Map<string, Composable>([...(node?.entries() ?? []), [key, value]]);
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries((headers ?? {}) as Record<string, string>);
  return Object.fromEntries(pairs);
}

function readReply({ status, body }: HttpReply): JsonNode {
  if (status >= 300 && status < 400) throw redirected(status);
  try {
    return parseJson(body, { file: '<reply>' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw faulty(status === 200 ? `its reply is not strict JSON: ${why}` : `it answered with status ${status}`, cause);
  }
}

function faulty(message: string, cause?: unknown): Error {
  return gateError('agent-reply', { blame: 'agent', message, ...(cause === undefined ? {} : { cause }) });
}
