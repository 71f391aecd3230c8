import type { User } from '@a2a-js/sdk/server';
import type { Request, RequestHandler, Response } from 'express';
import { PROTOCOL_VERSION } from '../agents/a2a/protocol.js';
import type { IncomingMessage } from '../agents/a2a/task-answer.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { oneLine } from '../model/errors.js';

/** The methods that are passed on; what streams or calls back is not offered by the card. */
const METHODS = ['SendMessage', 'GetTask', 'ListTasks', 'CancelTask'];

const messages = new WeakMap<Request, IncomingMessage>();

/** Carries the message, as the strict reader sees it, past the SDK to the executor. */
export class Caller implements User {
  readonly isAuthenticated = false;
  readonly userName = '';
  readonly message: IncomingMessage | undefined;

  private constructor(message: IncomingMessage | undefined) {
    this.message = message;
  }

  static of(request: Request): Caller {
    return new Caller(messages.get(request));
  }
}

/**
 * Reads a JSON-RPC call strictly before the SDK sees it, and hands the SDK one without contents: it echoes what it is given, and
 * that may hold a token.
 */
export const takeCall: RequestHandler = (request, response, next) => {
  // Browsers alone send it: a page must not make runs in the name of whoever serves on this machine, under whatever host name.
  if (request.header('Origin') !== undefined)
    return rpcError(response.status(403), { code: -32600, message: 'requests of web pages are not taken' });
  if (request.header('A2A-Version') !== PROTOCOL_VERSION)
    return rpcError(response, { code: -32009, message: `this server speaks A2A ${PROTOCOL_VERSION} alone` });
  const read = readCall(request.body);
  if (typeof read === 'string') return rpcError(response, { code: -32700, message: read });
  const method = read.get('method')?.string() ?? '';
  if (!METHODS.includes(method)) return rpcError(response, { code: -32601, message: 'there is no such method here' });
  const message = read.get('params')?.get('message');
  if (message !== undefined) messages.set(request, message);
  request.body = withoutContents(JSON.parse(read.text()));
  next();
};

/** Answers a call with an error of JSON-RPC. */
export function rpcError(response: Response, error: { readonly code: number; readonly message: string }): void {
  response.json({ jsonrpc: '2.0', id: null, error });
}

function readCall(body: unknown): JsonNode | string {
  try {
    const node = parseJson(body instanceof Uint8Array ? body : new Uint8Array(), { file: '<request>' });
    return node.kind === 'object' ? node : 'the request is not one JSON-RPC call';
  } catch (error) {
    return `the request is not strict JSON: ${oneLine(error instanceof Error ? error.message : String(error))}`;
  }
}

interface Bag {
  metadata?: unknown;
  message?: Bag;
  parts?: unknown;
  params?: Bag;
  configuration?: unknown;
}

/**
 * The call without what its sender put into it: the SDK would answer with the message in the history of the task. It sees that there is a
 * message and what to do with the task, no more.
 */
function withoutContents(call: Bag): Bag {
  const { params } = call;
  if (typeof params !== 'object' || params === null) return call;
  delete params.metadata;
  const { message, configuration } = params;
  if (typeof message !== 'object' || message === null) return call;
  delete message.metadata;
  message.parts = [];
  params.configuration = { ...(configuration as object | undefined), historyLength: 0 };
  return call;
}
