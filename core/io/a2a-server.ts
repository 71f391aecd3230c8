import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler } from '@a2a-js/sdk/server';
import { jsonRpcHandler } from '@a2a-js/sdk/server/express';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { CARD_PATH, MAX_BODY_BYTES, RPC_PATH } from '../agents/a2a/protocol.js';
import type { IncomingMessage, TaskAnswer } from '../agents/a2a/task-answer.js';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';
import { Caller, rpcError, takeCall } from './a2a-call.js';
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
  /** Its own address, without a slash at the end. */
  readonly url: string;
  /** Takes no further call and drops those under way. */
  close(): Promise<void>;
}

/** Serves over A2A at an address; port 0 takes a free one. Rejects with GateError `address-unavailable`. */
export async function startA2aServer(
  service: A2aService,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const app = express();
  const server = createServer(app);
  const address = (): string =>
    `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  // Before it listens: whoever waits for the card may ask at once.
  addRoutes(app, { service, address });
  await listen(server, { host, port });
  return { url: address(), close: () => close(server) };
}

function addRoutes(
  app: Express,
  { service, address }: { readonly service: A2aService; readonly address: () => string },
): void {
  app.disable('x-powered-by');
  app.disable('etag');
  const card = (): Uint8Array => service.card(address());
  const documents: Record<string, () => Uint8Array> = { [CARD_PATH]: card, ...service.documents };
  for (const [path, document] of Object.entries(documents))
    app.get(path, (_request, response) => {
      response.type('application/json').send(Buffer.from(document()));
    });
  // The SDK looks at the protocol version and the capabilities alone.
  const own = AgentCard.fromJSON(JSON.parse(Buffer.from(service.card('http://localhost')).toString('utf8')));
  const requestHandler = new DefaultRequestHandler(own, forgetfulTasks, taskExecutor(service.answer));
  app.post(RPC_PATH, express.raw({ type: () => true, limit: MAX_BODY_BYTES }), takeCall);
  app.use(RPC_PATH, jsonRpcHandler({ requestHandler, userBuilder: async (request) => Caller.of(request) }));
  app.use((_request, response) => void response.status(404).json({ error: 'there is nothing here' }));
  app.use(plainErrors);
}

/** Express would answer with a page that holds a stack. */
const plainErrors: ErrorRequestHandler = (error: { readonly status?: number }, _request, response, _next) => {
  if (response.headersSent) return void response.destroy();
  const { status = 500 } = error;
  if (status === 413)
    return rpcError(response.status(413), { code: -32600, message: 'the request is longer than 16 MB' });
  rpcError(response.status(status), { code: -32603, message: 'the request could not be handled' });
};

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
