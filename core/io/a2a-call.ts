import type { IncomingMessage as HttpRequest, ServerResponse } from 'node:http';
import { Extensions } from '@a2a-js/sdk';
import { type JsonRpcTransportHandler, ServerCallContext, type User } from '@a2a-js/sdk/server';
import { PROTOCOL_VERSION } from '../agents/a2a/protocol.js';
import type { IncomingMessage } from '../agents/a2a/task-answer.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { messageOf, oneLine } from '../model/errors.js';

/** The methods that are passed on; what streams or calls back is not offered by the card. */
const METHODS = ['SendMessage', 'GetTask', 'ListTasks', 'CancelTask'];

/** A call as it came over HTTP, its body read. */
export interface ReceivedCall {
  readonly headers: HttpRequest['headers'];
  /** Undefined where there is none. */
  readonly body: unknown;
}

/** Carries the message, as the strict reader sees it, past the SDK to the executor. */
export class Caller implements User {
  readonly isAuthenticated = false;
  readonly userName = '';
  readonly message: IncomingMessage | undefined;

  constructor(message: IncomingMessage | undefined) {
    this.message = message;
  }
}

/**
 * Reads a JSON-RPC call strictly before the SDK sees it, hands the SDK one without contents, since it echoes what it is given and that
 * may hold a token, and answers with what the SDK makes of it.
 */
export async function answerRpc(
  { headers, body }: ReceivedCall,
  { rpc, response }: { readonly rpc: JsonRpcTransportHandler; readonly response: ServerResponse },
): Promise<void> {
  // Browsers alone send it: a page must not make runs in the name of whoever serves on this machine, under whatever host name.
  if (headers.origin !== undefined)
    return sendRpcError(response, { status: 403, code: -32600, message: 'requests of web pages are not taken' });
  if (headers['a2a-version'] !== PROTOCOL_VERSION)
    return sendRpcError(response, { code: -32009, message: `this server speaks A2A ${PROTOCOL_VERSION} alone` });
  const read = readCall(body);
  if (typeof read === 'string') return sendRpcError(response, { code: -32700, message: read });
  const method = read.get('method')?.string() ?? '';
  if (!METHODS.includes(method))
    return sendRpcError(response, { code: -32601, message: 'there is no such method here' });
  if (!isJson(headers['content-type']))
    return sendRpcError(response, { code: -32005, message: 'a call is sent as application/json' });
  const context = new ServerCallContext({
    user: new Caller(read.get('params')?.get('message')),
    requestedVersion: PROTOCOL_VERSION,
    requestedExtensions: Extensions.parseServiceParameter(String(headers['a2a-extensions'] ?? '')),
  });
  sendJson(response, await rpc.handle(withoutContents(JSON.parse(read.text())), context));
}

/** Answers a call with an error of JSON-RPC. */
export function sendRpcError(
  response: ServerResponse,
  { status, ...error }: { readonly status?: number; readonly code: number; readonly message: string },
): void {
  sendJson(response, { jsonrpc: '2.0', id: null, error }, status);
}

/** Answers with a JSON document, or with bytes that are one. */
export function sendJson(response: ServerResponse, document: object, status = 200): void {
  const body = document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.byteLength,
  });
  response.end(body);
}

/** Absent counts as JSON, as the SDK has it. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

function readCall(body: unknown): JsonNode | string {
  try {
    const node = parseJson(body instanceof Uint8Array ? body : new Uint8Array(), { file: '<request>' });
    return node.kind === 'object' ? node : 'the request is not one JSON-RPC call';
  } catch (error) {
    return `the request is not strict JSON: ${oneLine(messageOf(error))}`;
  }
}

interface Bag {
  [name: string]: unknown;
  metadata?: unknown;
  message?: Bag;
  params?: Bag;
  configuration?: unknown;
}

/** What the SDK has to know of a message, by both names that the protocol gives each. */
const IDS = ['messageId', 'message_id', 'contextId', 'context_id', 'taskId', 'task_id'] as const;

/**
 * The call without what its sender put into it: the SDK would answer with the message in the history of the task, and print ids of tasks
 * that it does not find. It sees that there is a message and which task it is for, no more.
 */
function withoutContents(call: Bag): Bag {
  const { params } = call;
  if (typeof params !== 'object' || params === null) return call;
  delete params.metadata;
  const { message } = params;
  if (typeof message !== 'object' || message === null) return call;
  const ids = IDS.filter((name) => Object.hasOwn(message, name)).map((name) => [name, message[name]]);
  params.message = { ...Object.fromEntries(ids), role: 'ROLE_USER', parts: [] };
  params.configuration = { historyLength: 0 };
  return call;
}
