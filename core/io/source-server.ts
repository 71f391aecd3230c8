import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Budget } from '../doors/budget.js';
import { answerPlainly, type DoorReply, refusalReply, SOURCES_PATH } from '../doors/http-door.js';
import type { LiveRuns } from '../doors/live-runs.js';
import { MAX_MESSAGE_BYTES, MCP_PATH } from '../doors/mcp-path.js';
import { type Refusal, refused } from '../doors/refusal.js';
import type { SourceService, Turn } from '../doors/source-service.js';
import type { Clock } from '../model/ports.js';
import { closeServer, doorServer, listenHere, STRANGERS } from './door-server.js';

/** Gives others a turn between two pieces of work. */
export const nextTurn: Turn = () => turn();

/** The server of the doors to the pinned copies. */
export interface SourceServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Takes no further request and drops those under way. */
  close(): Promise<void>;
}

/** Opens both doors on a free port of this machine. Rejects with GateError `address-unavailable`. */
export async function startSourceServer(
  runs: LiveRuns,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): Promise<SourceServer> {
  const strangers = new Budget(clock, STRANGERS);
  const server = doorServer((request, response) => {
    answer({ request, response, runs, strangers }).catch((error) => {
      onError(error);
      if (response.headersSent) return response.destroy();
      return send(response, { status: 500, headers: { 'content-type': 'application/json' }, body: FAILED });
    });
  });
  server.requestTimeout = 30_000;
  await listenHere(server, 'the server of the pinned copies');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

const FAILED = Buffer.from('{"error":{"code":"internal","message":"the request could not be answered"}}');

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly runs: LiveRuns;
  readonly strangers: Budget;
}

async function answer({ request, response, runs, strangers }: Exchange): Promise<void> {
  const service = runs.of(tokenOf(request));
  if (service === undefined) {
    const known = strangers.take();
    const refusal = known
      ? refused('grant-unknown', 'the token is of no run in progress')
      : refused('too-many', 'too many requests without a token of a run in progress');
    return sendLast(response, refusal);
  }
  const begun = service.begin(() => response.destroy());
  if (begun.kind === 'refused') return sendLast(response, begun);
  response.once('close', begun.value);
  const target = request.url ?? '';
  if (isBelow(target, MCP_PATH)) return answerMcp(service, { request, response });
  if (!isBelow(target, SOURCES_PATH)) return send(response, refusalReply(refused('not-here', 'there is nothing here')));
  const reply = await answerPlainly(service, {
    method: request.method ?? '',
    target,
    gone: () => response.destroyed,
  });
  response.once('close', service.sending(reply.body.length));
  return send(response, reply);
}

function isBelow(target: string, path: string): boolean {
  return target.startsWith(path) && ['', '/', '?'].includes(target.charAt(path.length));
}

/** In the header alone: what stands in an address ends up in logs. */
function tokenOf(request: IncomingMessage): string {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

/** The MCP library takes and gives the standard's own requests; it is loaded when an agent first speaks MCP. */
async function answerMcp(
  service: SourceService,
  { request, response }: Pick<Exchange, 'request' | 'response'>,
): Promise<void> {
  // There is no stream to listen to and no session to end, which clients ask for by GET and DELETE.
  if (request.method !== 'POST') return sendLast(response, refused('read-only', 'only POST is answered here'));
  const taken: (() => void)[] = [];
  response.once('close', () => {
    for (const done of taken) done();
  });
  const body = await bodyOf(request, (bytes) => taken.push(service.sending(bytes)));
  if (body === 'gone') return;
  if (body === 'too-large')
    return sendLast(response, refused('malformed', `a message is at most ${MAX_MESSAGE_BYTES} bytes`));
  // Each message of a batch would be a request that nobody counts.
  if (isBatch(body)) return sendLast(response, refused('malformed', 'one message at a time is answered here'));
  const { mcpDoor } = await import('../doors/mcp-door.js');
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'authorization' ? [] : [[name, String(value)]],
  );
  const given = await mcpDoor(service).fetch(
    new Request(`http://127.0.0.1${request.url ?? ''}`, {
      method: 'POST',
      headers,
      signal: gone.signal,
      body,
    }),
  );
  if (response.destroyed) return;
  response.writeHead(given.status, Object.fromEntries(given.headers));
  for await (const chunk of given.body ?? []) {
    taken.push(service.sending(chunk.length));
    response.write(chunk);
  }
  response.end();
}

/** The bytes of a body, unless there are too many of them, which are then left unread, or the agent has left; `held` counts them. */
async function bodyOf(
  request: IncomingMessage,
  held: (bytes: number) => void,
): Promise<Buffer<ArrayBuffer> | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_MESSAGE_BYTES) return 'too-large';
      held(chunk.length);
      chunks.push(chunk);
    }
  } catch {
    return 'gone';
  }
  return Buffer.concat(chunks);
}

function isBatch(body: Buffer): boolean {
  return /^\s*\[/.test(body.subarray(0, MAX_MESSAGE_BYTES).toString('latin1'));
}

/** A refusal after which the connection is not kept: what is left of the request is not waited for. */
function sendLast(response: ServerResponse, refusal: Refusal): void {
  const reply = refusalReply(refusal);
  send(response, { ...reply, headers: { ...reply.headers, connection: 'close' } });
}

function send(response: ServerResponse, { status, headers, body }: DoorReply): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}
