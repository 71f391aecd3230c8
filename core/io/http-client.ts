import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpClient, HttpReply, HttpRequest, HttpSession } from '../agents/a2a/http.js';
import { MAX_BODY_BYTES } from '../agents/a2a/protocol.js';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';

/** HTTP as agents as services need it: one deadline for all of a call, bounded bodies, no redirect followed, no proxy. */
export const httpClient: HttpClient = clientOf(() => new HttpAgent({ keepAlive: true }));

/** The same over connections that are made elsewhere, whatever host an address names. */
export function httpClientBy(connect: () => Promise<Socket>): HttpClient {
  return clientOf(() => new ConnectedAgent(connect));
}

class ConnectedAgent extends HttpAgent {
  readonly #connect: () => Promise<Socket>;

  constructor(connect: () => Promise<Socket>) {
    super({ keepAlive: true });
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
  return { within: (timeoutMs, maxBytes = MAX_BODY_BYTES) => sessionOf({ agentFor, timeoutMs, maxBytes }) };
}

interface SessionInit {
  readonly agentFor: () => HttpAgent;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

function sessionOf({ agentFor, timeoutMs, maxBytes }: SessionInit): HttpSession {
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort(failure('agent-timeout', `it gave no answer within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  // Connections are kept within a session alone: one kept for longer might be closed by the other side just now.
  const agents = { http: agentFor(), https: new HttpsAgent({ keepAlive: true }) };
  return {
    send: (request) => send(request, { signal: deadline.signal, agents, maxBytes }),
    close() {
      clearTimeout(timer);
      agents.http.destroy();
      agents.https.destroy();
      deadline.abort(failure('agent-unreachable', 'the call was given up'));
    },
  };
}

interface Sending {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

function send({ method, url, headers, body }: HttpRequest, { signal, agents, maxBytes }: Sending): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const secure = url.startsWith('https:');
    const agent = secure ? agents.https : agents.http;
    const options: RequestOptions = { method, agent, headers: { ...headers, 'accept-encoding': 'identity' } };
    if (body !== undefined) options.headers = { ...options.headers, 'content-length': body.length };
    const outgoing = (secure ? requestHttps : requestHttp)(url, options);
    const fail = (error: unknown): void => {
      outgoing.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.on('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.on('error', (cause) => fail(failure('agent-unreachable', reasonOf(cause), cause)));
    outgoing.on('response', (incoming) => {
      receive(incoming, maxBytes).then(resolve, fail);
    });
    outgoing.end(body);
  });
}

async function receive(incoming: IncomingMessage, maxBytes: number): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw failure('agent-unreachable', `its answer broke off: ${reasonOf(cause)}`, cause);
  }
  if (size > maxBytes) throw failure('agent-reply-too-large', `its answer is longer than ${maxBytes} bytes`);
  if (!incoming.complete) throw failure('agent-unreachable', 'its answer broke off');
  return { status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) };
}

function failure(code: ErrorCode, message: string, cause?: unknown): Error {
  return gateError(code, { blame: 'agent', message, ...(cause === undefined ? {} : { cause }) });
}

/** Node's own words; a connection that was tried at several addresses reports them one by one. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return oneLine(cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
}
