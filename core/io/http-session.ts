import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { HttpReply, HttpRequest, HttpSession } from '../agents/a2a/http.js';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';

/** Connections to one origin, which one session has for itself. */
export type Connection = HttpAgent | HttpsAgent;

/** Where a session gets its connection, and leaves it. */
export interface Connections {
  /** One that no session has used. */
  fresh(origin: string): Connection;
  /** One that another session left, or else a fresh one. */
  left(origin: string): Connection;
  leave(origin: string, connection: Connection): void;
}

/** The time that all requests of a session have together, and the longest answer. */
export interface SessionLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** How a request under way ends early. */
type Fail = (error: unknown) => void;

/** Requests that share one deadline and one connection (core/agents/a2a/http.ts). */
export class ConnectedSession implements HttpSession {
  readonly #connections: Connections;
  readonly #limits: SessionLimits;
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Fail>();
  #connection: { readonly origin: string; readonly agent: Connection } | undefined;
  /** Whether every request was answered whole, so that the connection is fit for another session. */
  #sound = true;
  /** Why nothing more is sent. */
  #over: (() => Error) | undefined;

  constructor(connections: Connections, limits: SessionLimits) {
    this.#connections = connections;
    this.#limits = limits;
    const { timeoutMs } = limits;
    this.#timer = setTimeout(() => {
      this.#end(() => failure('agent-timeout', `it gave no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
  }

  async send(request: HttpRequest): Promise<HttpReply> {
    const { origin } = new URL(request.url);
    if (this.#connection?.origin !== origin) {
      this.#drop();
      const agent = request.repeatable ? this.#connections.left(origin) : this.#connections.fresh(origin);
      this.#connection = { origin, agent };
    }
    try {
      return await this.#exchange(request, this.#connection.agent);
    } catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error;
      this.#drop();
      this.#connection = { origin, agent: this.#connections.fresh(origin) };
      return this.#exchange(request, this.#connection.agent);
    }
  }

  close(): void {
    const sound = this.#sound && this.#underWay.size === 0;
    this.#end(() => failure('agent-unreachable', 'the call was given up'));
    if (sound && this.#connection !== undefined)
      this.#connections.leave(this.#connection.origin, this.#connection.agent);
    else this.#drop();
    this.#connection = undefined;
  }

  #drop(): void {
    this.#connection?.agent.destroy();
  }

  #end(why: () => Error): void {
    clearTimeout(this.#timer);
    this.#over ??= why;
    for (const fail of [...this.#underWay]) fail(why());
  }

  #exchange(request: HttpRequest, agent: Connection): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over());
      const outgoing = open(request, agent);
      let answered = false;
      const fail: Fail = (error) => {
        if (!this.#underWay.delete(fail)) return;
        this.#sound = false;
        outgoing.destroy();
        reject(error);
      };
      const done = (reply: HttpReply): void => {
        if (this.#underWay.delete(fail)) resolve(reply);
      };
      this.#underWay.add(fail);
      outgoing.on('error', (cause) => {
        const closed = request.repeatable && outgoing.reusedSocket && !answered;
        fail(closed ? new ClosedMeanwhile() : failure('agent-unreachable', reasonOf(cause), cause));
      });
      outgoing.on('response', (incoming) => {
        answered = true;
        receive(incoming, { maxBytes: this.#limits.maxBytes, done, fail });
      });
      // Without a listener the connection is closed without a word, and the call would wait for its deadline.
      outgoing.on('upgrade', (_incoming, socket) => {
        socket.destroy();
        fail(failure('agent-unreachable', 'it answered in another protocol than HTTP'));
      });
      outgoing.end(request.body);
    });
  }
}

/** A connection that another session left was closed by the other side before it answered anything. */
class ClosedMeanwhile extends Error {}

function open({ method, url, headers, body }: HttpRequest, agent: Connection): ClientRequest {
  const options: RequestOptions = { method, agent, headers: { ...headers, 'accept-encoding': 'identity' } };
  if (body !== undefined) options.headers = { ...options.headers, 'content-length': body.length };
  return (url.startsWith('https:') ? requestHttps : requestHttp)(url, options);
}

interface Receiving {
  readonly maxBytes: number;
  done(reply: HttpReply): void;
  fail(error: unknown): void;
}

function receive(incoming: IncomingMessage, { maxBytes, done, fail }: Receiving): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const broken = (cause?: Error): void => {
    const why = cause === undefined ? '' : `: ${reasonOf(cause)}`;
    fail(failure('agent-unreachable', `its answer broke off${why}`, cause));
  };
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return fail(failure('agent-reply-too-large', `its answer is longer than ${maxBytes} bytes`));
    chunks.push(chunk);
  });
  incoming.on('error', broken);
  incoming.on('end', () => {
    if (incoming.complete) done({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) });
    else broken();
  });
}

function failure(code: ErrorCode, message: string, cause?: unknown): Error {
  return gateError(code, { blame: 'agent', message, ...(cause === undefined ? {} : { cause }) });
}

/** Node's own words; a connection that was tried at several addresses reports them one by one. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return oneLine(cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
}
