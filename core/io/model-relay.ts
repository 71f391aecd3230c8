import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline, Transform } from 'node:stream';
import { ModelObserver } from '../doors/model-observer.js';
import type { CallOwner, OpenCall } from '../doors/model-runs.js';
import type { ModelTarget } from '../doors/model-target.js';
import { REFUSALS, type Refusal, refused } from '../doors/refusal.js';

/** How much is carried, in bytes, and how long is waited. */
export interface ModelBounds {
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly connectMs: number;
  /** Without a byte either way. */
  readonly idleMs: number;
}

/** A call of an agent, and where it goes. */
export interface CarriedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ModelTarget;
  readonly owner: CallOwner;
}

interface Road {
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly bounds: ModelBounds;
}

/**
 * Carries a call to the real model server and its answer back, piece by piece as they come, each side waiting for the other.
 * Nothing is changed but what concerns the connection; keys pass and are kept nowhere.
 */
export function carry(call: CarriedRequest, road: Road): void {
  const { request, response, target, owner } = call;
  // Between a head that tells of no body and the next head, what is sent of one would be read as a request of its own.
  if (request.method === 'GET' && hasBody(request)) return refuse(response, BODY_OF_GET);
  const observer = new ModelObserver();
  let outgoing: ClientRequest | undefined;
  const cut = (): void => {
    outgoing?.destroy();
    response.destroy();
  };
  const watch = { observed: () => observer.observed(), cut };
  const begun = owner.kind === 'unseen' ? null : owner.run.begin(target.chat, watch);
  if (begun?.kind === 'refused') return refuse(response, begun);
  const ticket = begun?.value ?? { end: () => {} };
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > road.bounds.requestBytes) return giveUp(TOO_LARGE, { response, observer, ticket });
  outgoing = open(call, road);
  const fail = (refusal: Refusal): void => {
    outgoing?.destroy();
    giveUp(refusal, { response, observer, ticket });
  };
  guard(outgoing, { fail, bounds: road.bounds });
  send(request, { outgoing, observer, fail, most: road.bounds.requestBytes });
  outgoing.on('response', (incoming) => receive(incoming, { response, observer, ticket, fail, road }));
  response.on('close', () => {
    observer.failed('the agent gave it up');
    ticket.end();
    // One that is over has given its connection back, for the next call.
    if (!response.writableFinished) outgoing?.destroy();
  });
}

const BODY_OF_GET = refused('malformed', 'a GET is passed through without a body alone');

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

const TOO_LARGE = refused('request-too-large', 'the request is larger than what is passed through');

function open({ request, target }: CarriedRequest, { agents }: Road): ClientRequest {
  const secure = target.url.startsWith('https:');
  const options = {
    method: request.method,
    agent: secure ? agents.https : agents.http,
    // A compressed answer could not be looked into.
    headers: { ...passed(request, NOT_SENT), 'accept-encoding': 'identity' },
  };
  return (secure ? requestHttps : requestHttp)(target.url, options);
}

/** Ends what does not come about; nothing that the network says goes further than to the agent. */
function guard(
  outgoing: ClientRequest,
  { fail, bounds }: { readonly fail: (refusal: Refusal) => void; readonly bounds: ModelBounds },
): void {
  const late = (): void => fail(refused('upstream-timeout', "the model's server kept silent for too long"));
  outgoing.setTimeout(bounds.idleMs, late);
  outgoing.on('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(late, bounds.connectMs);
    for (const event of ['connect', 'close'] as const) socket.once(event, () => clearTimeout(timer));
  });
  let answered = false;
  outgoing.once('response', () => {
    answered = true;
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // A server may answer before it has read everything; what then breaks is the answer's business.
    if (!answered)
      fail(refused('upstream-failed', `the model's server cannot be reached (${error.code ?? 'it broke off'})`));
  });
}

interface Sending {
  readonly outgoing: ClientRequest;
  readonly observer: ModelObserver;
  readonly fail: (refusal: Refusal) => void;
  readonly most: number;
}

function send(request: IncomingMessage, { outgoing, observer, fail, most }: Sending): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (outgoing.destroyed) return;
    if (size > most) return fail(TOO_LARGE);
    observer.asked(chunk);
    if (!outgoing.write(chunk)) request.pause();
  });
  outgoing.on('drain', () => request.resume());
  outgoing.on('close', () => request.resume());
  request.on('end', () => outgoing.end());
}

interface Ending {
  readonly response: ServerResponse;
  readonly observer: ModelObserver;
  readonly ticket: OpenCall;
}

function receive(
  incoming: IncomingMessage,
  {
    response,
    observer,
    ticket,
    fail,
    road,
  }: Ending & { readonly fail: (refusal: Refusal) => void; readonly road: Road },
): void {
  const { statusCode: status = 0, statusMessage = '' } = incoming;
  // Nothing of HTTP, or a change of protocol that nobody asked for.
  if (status < 200 || status > 599)
    return fail(refused('upstream-failed', `the model's server answered with the status ${status}, which is none`));
  // The client would follow it past us.
  if (status >= 300 && status < 400)
    return fail(refused('upstream-failed', `the model's server sent a redirect (${status}), and none is followed`));
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  observer.head({ status, contentType, encoding });
  response.sendDate = false;
  response.writeHead(status, statusMessage, passed(incoming, HOP_BY_HOP));
  response.flushHeaders();
  pipeline(incoming, listener(observer, road.bounds.answerBytes), response, (error) => {
    if (error) observer.failed('the answer broke off');
    else observer.ended();
    ticket.end();
  });
}

function listener(observer: ModelObserver, most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) return done(new Error('the answer is larger than what is passed through'));
      observer.told(chunk);
      done(null, chunk);
    },
  });
}

function giveUp(refusal: Refusal, { response, observer, ticket }: Ending): void {
  observer.failed(refusal.message);
  ticket.end();
  refuse(response, refusal);
}

/** Answers in the shape that both kinds of client read; those of the libraries try again unless they are told not to. */
export function refuse(response: ServerResponse, { code, message }: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const status = REFUSALS[code];
  const body = JSON.stringify({ type: 'error', error: { type: 'grounding_gate', code, message } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    // What is left of the request is not waited for.
    connection: 'close',
    ...(status === 429 ? { 'retry-after': '1' } : { 'x-should-retry': String(status >= 500) }),
  });
  response.end(body);
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** By these some servers take a request for another one than its first line says. */
const OVERRIDES = ['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'];
const NOT_SENT = [...HOP_BY_HOP, ...OVERRIDES, 'host', 'expect', 'accept-encoding'];

/** The headers of a message but for those that concern its connection. */
function passed({ headers, headersDistinct }: IncomingMessage, without: readonly string[]): Record<string, string[]> {
  const own = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headersDistinct).flatMap(([name, values]): [string, string[]][] =>
    values === undefined || without.includes(name) || own.includes(name) ? [] : [[name, values]],
  );
  return Object.fromEntries(kept);
}
