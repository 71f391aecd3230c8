import {
  createServer,
  type IncomingMessage as IncomingRequest,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import { raw } from 'express';
import { CARD_PATH, MAX_BODY_BYTES, RPC_PATH } from '../agents/a2a/protocol.js';
import type { IncomingMessage, TaskAnswer } from '../agents/a2a/task-answer.js';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';
import { answerRpc, sendJson, sendRpcError } from './a2a-call.js';
import { forgetfulTasks, taskExecutor } from './a2a-tasks.js';

/** What a server of ours does with what it is sent. */
export interface A2aService {
  /** The card, once the address is known. */
  card(url: string): Uint8Array;
  answer(message: IncomingMessage): Promise<TaskAnswer>;
  /** Further JSON documents by path, for GET. */
  readonly documents?: Readonly<Record<string, () => Uint8Array>>;
}

/** A running server. */
export interface RunningServer {
  /** Its own address, without a slash at the end; that of this machine where it listens on every one. */
  readonly url: string;
  /** Takes no further call and drops those under way. */
  close(): Promise<void>;
}

/** To listen here is to listen on every address of this machine; no one can come back to it, but its neighbour here. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** A host with or without a port, and nothing that would be another part of an address. */
const HOST = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$/;

/** Serves over A2A at an address; port 0 takes a free one. Rejects with GateError `address-unavailable`. */
export async function startA2aServer(
  service: A2aService,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const server = createServer();
  const address = (asked?: string): string => {
    const bound = server.address() as AddressInfo;
    const near = EVERYWHERE.get(bound.address);
    // Whoever asks on an address that we do not know of knows it.
    if (near !== undefined && asked !== undefined && HOST.test(asked) && URL.canParse(`http://${asked}`))
      return `http://${asked}`;
    const name = near ?? host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`;
  };
  // Before it listens: whoever waits for the card may ask at once.
  server.on('request', routes(service, address));
  await listen(server, { host, port });
  return { url: address(), close: () => close(server) };
}

/**
 * Two kinds of paths need no router, and the SDK's own handler of HTTP would look at each call, and write each answer, once more than
 * is needed; what is JSON-RPC stays with the SDK.
 */
function routes(service: A2aService, address: (asked?: string) => string): RequestListener {
  const card = ({ headers }: IncomingRequest): Uint8Array => service.card(address(headers.host));
  const documents = new Map<string, (request: IncomingRequest) => Uint8Array>([
    [CARD_PATH, card],
    ...Object.entries(service.documents ?? {}),
  ]);
  const take = callTaker(service);
  return (request, response) => {
    const path = pathOf(request.url ?? '');
    if (path === RPC_PATH && request.method === 'POST') return take(request, response);
    const document = request.method === 'GET' || request.method === 'HEAD' ? documents.get(path) : undefined;
    if (document === undefined) return sendJson(response, { error: 'there is nothing here' }, 404);
    try {
      sendJson(response, document(request));
    } catch {
      refuse(response, {});
    }
  };
}

/** Without the query, and without a slash at the end. */
function pathOf(url: string): string {
  const path = url.startsWith('/') || !URL.canParse(url) ? (url.split('?', 1)[0] ?? '') : new URL(url).pathname;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function callTaker(service: A2aService): RequestListener {
  // The SDK looks at the protocol version and the capabilities alone.
  const own = AgentCard.fromJSON(JSON.parse(Buffer.from(service.card('http://localhost')).toString('utf8')));
  const rpc = new JsonRpcTransportHandler(new DefaultRequestHandler(own, forgetfulTasks, taskExecutor(service.answer)));
  const read = raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (request, response) =>
    read(request, response, (error?: { readonly status?: number }) => {
      if (error !== undefined) return refuse(response, error);
      const body = 'body' in request ? request.body : undefined;
      answerRpc({ headers: request.headers, body }, { rpc, response }).catch(() => refuse(response, {}));
    });
}

/** Never a stack. */
function refuse(response: ServerResponse, { status = 500 }: { readonly status?: number }): void {
  if (response.headersSent) return void response.destroy();
  if (status === 413)
    return sendRpcError(response, { status, code: -32600, message: 'the request is longer than 16 MB' });
  sendRpcError(response, { status, code: -32603, message: 'the request could not be handled' });
}

function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        gateError('address-unavailable', {
          blame: 'configuration',
          message: `${at.host}:${at.port} cannot be listened on: ${oneLine(cause.message)}`,
          remedy: 'name a free port with --port, or an address of this machine with --host',
          cause,
        }),
      ),
    );
    server.listen(at.port, at.host, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
