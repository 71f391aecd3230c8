import { createServer, type Server } from 'node:http';
import { gateError } from '../../core/index.js';
import type { Settings } from '../settings.js';
import type { Door } from './door.js';

/** A sender that takes longer for its headers, or for a whole request, is cut off. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** For requests under way when the server is closed; a webhook that came whole takes a fraction of it. */
const FAREWELL_MS = 3_000;

/** A server that listens. */
export interface Listening {
  /** Where, with the port that it got. */
  readonly url: string;
  /** Takes no further connection and lets answers under way be finished. */
  close(): Promise<void>;
}

/** Serves a door; throws GateError `address-unavailable` when the address cannot be had. */
export async function serve(door: Door, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<Listening> {
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, async (request, response) => {
    try {
      if (await door(request, response)) return;
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('nothing is here\n');
    } catch {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  });
  await listen(server, { host, port });
  const address = server.address();
  const got = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${got}`,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        gateError('address-unavailable', {
          blame: 'configuration',
          message: `the bot cannot listen on ${host}, port ${port}`,
          remedy: 'name a free one in HOST and PORT',
          cause,
        }),
      ),
    );
    server.listen({ host, port }, resolve);
  });
}
