import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';

/** Requests at a door that belong to no run in progress: they cost little, and no run answers for them. */
export const STRANGERS = { burst: 1_000, perSecond: 500 };

/** Connections to a door at once. */
const MAX_CONNECTIONS = 4_096;

/** How long the head of a request may take, and how often that is looked at, in milliseconds. */
const HEAD_MS = 10_000;
const LOOK_MS = 2_000;

/**
 * The server of a door. Anybody on this machine may connect to it: where connections run out, the one that has waited longest without a
 * request under way makes room for the next, so that nobody can keep a door shut by holding connections.
 */
export function doorServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { maxConnections = MAX_CONNECTIONS } = {},
): Server {
  // In the order in which they were last idle.
  const idle = new Set<Socket>();
  let open = 0;
  const server = createServer(
    { connectionsCheckingInterval: LOOK_MS, headersTimeout: HEAD_MS },
    (request, response) => {
      const { socket } = request;
      idle.delete(socket);
      response.once('close', () => {
        if (!socket.destroyed) idle.add(socket);
      });
      handle(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    open += 1;
    idle.add(socket);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (open <= maxConnections || oldest === undefined) return;
    idle.delete(oldest);
    oldest.destroy();
  });
  return server;
}

/** Has a server listen on a free port of this machine; `what` names it. Rejects with GateError `address-unavailable`. */
export function listenHere(server: Server, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        gateError('address-unavailable', {
          blame: 'configuration',
          message: `${what} cannot be opened: ${oneLine(cause.message)}`,
          remedy: 'see whether this machine lets programs listen on 127.0.0.1',
          cause,
        }),
      ),
    );
    server.listen(0, '127.0.0.1', resolve);
  });
}

/** Takes no further connection and drops those that are open. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
