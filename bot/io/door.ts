import type { IncomingMessage, ServerResponse } from 'node:http';
import { createNodeMiddleware, type Probot } from 'probot';
import type { BotLog, JobsOf } from '../jobs.js';
import type { Queue } from '../queue.js';
import { takeDelivery } from '../take-delivery.js';
import type { ServerMetrics } from './metrics.js';
import { type Body, BodyReader } from './read-body.js';

/** What stands behind the door. */
export interface DoorWorld {
  readonly probot: Probot;
  readonly webhookPath: string;
  readonly queue: Queue;
  readonly jobsOf: JobsOf;
  readonly metrics: ServerMetrics;
  readonly log: BotLog;
  /** True once the bot takes no more work. */
  readonly isStopping: () => boolean;
}

/** Answers a request, or returns false and leaves it alone when its path is none of the bot's. */
export type Door = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const HEADERS = ['x-github-event', 'x-github-delivery', 'x-hub-signature-256'] as const;
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;
const DELIVERY_ID = /^[0-9a-f-]{1,64}$/i;
const EVENT_NAME = /^[a-z_]{1,40}$/;

const REFUSED = {
  'too-large': { status: 413, reason: 'the body is larger than 25 MB' },
  busy: { status: 503, reason: 'too many bodies are being read' },
  parsed: {
    status: 500,
    reason:
      'the body was parsed before it came here, so that its signature cannot be checked; hand over the raw request',
  },
} as const;

/** The bot's paths: webhooks, `/healthz`, `/readyz` and `/metrics`. */
export async function createDoor(world: DoorWorld): Promise<Door> {
  const { webhookPath } = world;
  const receive = await createReceiver(world);
  return async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path === webhookPath) {
      await receive(request, response);
      return true;
    }
    const page = PAGES.get(path);
    if (page === undefined) return false;
    if (request.method === 'GET' || request.method === 'HEAD') await page(response, world);
    else answer(response, { status: 405, text: 'only GET is answered here' });
    return true;
  };
}

type Page = (response: ServerResponse, world: DoorWorld) => Promise<void>;

const PAGES: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/healthz', async (response) => answer(response, { status: 200, text: 'ok' })],
  [
    '/readyz',
    async (response, { queue, isStopping }) => {
      const reason = isStopping() ? 'the bot stops' : (await queue.isReady()) ? null : 'the queue takes no work';
      answer(response, reason === null ? { status: 200, text: 'ready' } : { status: 503, text: reason });
    },
  ],
  [
    '/metrics',
    async (response, { metrics }) => {
      const text = await metrics.text();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    },
  ],
]);

/** What every webhook goes through: headers, size, then Probot, which checks the signature before anything happens. */
async function createReceiver(
  world: DoorWorld,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const { probot, webhookPath, metrics, log } = world;
  const bodies = new BodyReader();
  const middleware = await createNodeMiddleware((app) => void app.onAny(createHandler(world)), {
    probot,
    webhooksPath: webhookPath,
  });
  return async (request, response) => {
    const begun = performance.now();
    response.once('finish', () => {
      const status = response.statusCode;
      metrics.answered({ status, seconds: (performance.now() - begun) / 1000 });
      if (status >= 400) log.warn('delivery refused', { status, ...namesOf(request) });
    });
    const fault = headerFault(request, world);
    if (fault !== null) return refuse(response, fault);
    const body = await bodyOf(request, bodies);
    if (body.kind === 'broken') return void response.destroy();
    if (body.kind !== 'body') return refuse(response, REFUSED[body.kind]);
    Object.assign(request, { body: body.bytes.toString('utf8') });
    await middleware(request, response);
  };
}

function createHandler({ queue, jobsOf, metrics, log }: DoorWorld) {
  return async ({ id, name, payload }: { id: string; name: string; payload: unknown }): Promise<void> => {
    try {
      const outcome = await takeDelivery({ id, name, payload }, { queue, jobsOf });
      metrics.delivery({ event: name, outcome });
      log.info('delivery taken', { delivery: id, name, outcome });
    } catch (error) {
      metrics.delivery({ event: name, outcome: 'failed' });
      log.error('delivery lost; the next sweep finds what it was about', {
        delivery: id,
        name,
        error: error instanceof Error ? error.name : typeof error,
      });
      // GitHub is shown this text.
      throw new Error('the delivery could not be queued');
    }
  };
}

type Fault = { readonly status: number; readonly reason: string };

/** What is wrong with a webhook before a byte of its body is read. */
function headerFault({ method, headers }: IncomingMessage, { isStopping }: DoorWorld): Fault | null {
  if (method !== 'POST') return { status: 405, reason: 'only POST is answered here' };
  if (isStopping()) return { status: 503, reason: 'the bot stops' };
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    return { status: 415, reason: 'the content type is not application/json' };
  const missing = HEADERS.filter((name) => headers[name] === undefined);
  if (missing.length > 0) return { status: 400, reason: `required headers are missing: ${missing.join(', ')}` };
  const [event, delivery] = [String(headers['x-github-event']), String(headers['x-github-delivery'])];
  const isOdd = !EVENT_NAME.test(event) || !DELIVERY_ID.test(delivery);
  return isOdd ? { status: 400, reason: 'a header is not what GitHub sends' } : null;
}

/** The body as it came, also where a platform has read it already and kept its bytes. */
async function bodyOf(request: IncomingMessage, reader: BodyReader): Promise<Body | { readonly kind: 'parsed' }> {
  const kept = 'rawBody' in request ? request.rawBody : 'body' in request ? request.body : undefined;
  if (kept instanceof Uint8Array) return { kind: 'body', bytes: Buffer.from(kept) };
  if (typeof kept === 'string') return { kind: 'body', bytes: Buffer.from(kept) };
  if (typeof kept === 'object' && kept !== null && request.readableEnded) return { kind: 'parsed' };
  return reader.read(request);
}

/** A sender whose body was not read is cut off after the answer: the rest of it would be taken for another request. */
function refuse(response: ServerResponse, { status, reason }: Fault): void {
  response.setHeader('connection', 'close');
  answer(response, { status, text: reason });
}

function answer(response: ServerResponse, { status, text }: { readonly status: number; readonly text: string }): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

/** What a log line may repeat of a request that nobody has vouched for. */
function namesOf({ headers }: IncomingMessage): { name?: string; delivery?: string } {
  // A header that is missing is no name: `undefined` would pass for one.
  const [name, delivery] = [String(headers['x-github-event'] ?? ''), String(headers['x-github-delivery'] ?? '')];
  return { ...(EVENT_NAME.test(name) ? { name } : {}), ...(DELIVERY_ID.test(delivery) ? { delivery } : {}) };
}
