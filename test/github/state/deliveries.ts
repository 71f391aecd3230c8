import { createHmac, randomUUID } from 'node:crypto';
import type { Delivery } from './records.js';
import type { World } from './world.js';

/** A webhook to send. */
export interface Sending {
  readonly url: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly secret: string;
  /** The app that is told; deliveries are listed by app. */
  readonly app: number;
  /** The delivery's id; the same one again is what GitHub does on redelivery. */
  readonly guid?: string;
  /** Sends this in place of the right signature, `null` for none. */
  readonly signature?: string | null;
}

const idOf = (value: unknown) => {
  const id = (value as { id?: unknown } | undefined)?.id;
  return typeof id === 'number' ? id : null;
};

/** Signs and sends a webhook as GitHub does, and notes what was answered. */
export async function send(world: World, sending: Sending): Promise<Delivery> {
  const body = JSON.stringify(sending.payload);
  const right = `sha256=${createHmac('sha256', sending.secret).update(body).digest('hex')}`;
  const signature = sending.signature === undefined ? right : sending.signature;
  const guid = sending.guid ?? randomUUID();
  const headers: Record<string, string> = {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/test',
    'x-github-delivery': guid,
    'x-github-event': sending.event,
    'x-github-hook-id': '1',
    'x-github-hook-installation-target-id': String(sending.app),
    'x-github-hook-installation-target-type': 'integration',
    ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
  };
  return post(world, { sending, headers, guid, body, redelivery: false });
}

/** Sends a delivery again under its own id. */
export async function redeliver(world: World, old: Delivery): Promise<Delivery> {
  const { url, event, payload, app, guid, headers } = old;
  const sending = { url, event, payload, app, secret: '' };
  return post(world, { sending, headers, guid, body: JSON.stringify(payload), redelivery: true });
}

type Post = {
  readonly sending: Sending;
  readonly headers: Readonly<Record<string, string>>;
  readonly guid: string;
  readonly body: string;
  readonly redelivery: boolean;
};

async function post(world: World, { sending, headers, guid, body, redelivery }: Post): Promise<Delivery> {
  const { url, event, payload, app } = sending;
  const id = world.id();
  const deliveredAt = world.now();
  const started = performance.now();
  // An app that is down is a delivery that failed, which GitHub lists and does not repeat by itself.
  const answer = await fetch(url, { method: 'POST', headers, body }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 502, text: 'failed to connect to host' }),
  );
  const delivery = {
    id,
    guid,
    event,
    action: typeof payload['action'] === 'string' ? payload['action'] : null,
    app,
    installation: idOf(payload['installation']),
    repository: idOf(payload['repository']),
    deliveredAt,
    redelivery,
    statusCode: answer.status,
    duration: (performance.now() - started) / 1000,
    payload,
    headers,
    url,
    answer: answer.text,
  };
  world.deliveries.push(delivery);
  return delivery;
}
