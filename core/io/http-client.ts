import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpClient } from '../agents/a2a/http.js';
import { MAX_BODY_BYTES } from '../agents/a2a/protocol.js';
import { ConnectedSession, type Connection, type Connections } from './http-session.js';

/** How long a connection waits for the next session; what listens keeps its side for several seconds as a rule. */
const IDLE_MS = 1_000;

/** The most connections to one origin that wait for a session. */
const MAX_IDLE = 64;

/** One connection at a time: a session sends one request after another. */
const KEPT = { keepAlive: true, maxFreeSockets: 1, timeout: IDLE_MS };

/** HTTP as agents as services need it: one deadline for all of a call, bounded bodies, no redirect followed, no proxy. */
export const httpClient: HttpClient = clientOf(() => new HttpAgent(KEPT));

/** The same over connections that are made elsewhere, whatever host an address names. */
export function httpClientBy(connect: () => Promise<Socket>): HttpClient {
  return clientOf(() => new ConnectedAgent(connect));
}

class ConnectedAgent extends HttpAgent {
  readonly #connect: () => Promise<Socket>;

  constructor(connect: () => Promise<Socket>) {
    super(KEPT);
    this.#connect = connect;
  }

  override createConnection(
    _options: unknown,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    this.#connect().then(
      (socket) => callback?.(null, socket),
      // The type says that there is a socket even so.
      (error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }
}

function clientOf(agentFor: () => HttpAgent): HttpClient {
  const connections = connectionsOf(agentFor);
  return {
    within: (timeoutMs, maxBytes = MAX_BODY_BYTES) => new ConnectedSession(connections, { timeoutMs, maxBytes }),
  };
}

function connectionsOf(agentFor: () => HttpAgent): Connections {
  const idle = new Map<string, Connection[]>();
  const fresh = (origin: string): Connection => (origin.startsWith('https:') ? new HttpsAgent(KEPT) : agentFor());
  return {
    fresh,
    left: (origin) => idle.get(origin)?.pop() ?? fresh(origin),
    leave(origin, connection) {
      const waiting = idle.get(origin) ?? [];
      idle.set(origin, waiting);
      if (waiting.length < MAX_IDLE) waiting.push(connection);
      else connection.destroy();
    },
  };
}
