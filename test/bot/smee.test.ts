import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { payloadOf } from '../github/webhooks.js';
import { afterTest, commentsOf, metricsOf, SECRET, stage, startBot, until } from './support.js';

/** A channel as smee.io has them: one stream of events to whoever listens. */
async function channel() {
  const listeners = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: ready\ndata: {}\n\n');
    listeners.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/abc`,
    isHeard: () => listeners.size > 0,
    send(message: object) {
      for (const one of listeners) one.write(`data: ${JSON.stringify(message)}\n\n`);
    },
  };
}

test('takes webhooks from a proxy in development, and checks their signatures all the same', async () => {
  const scene = await stage();
  const {
    server,
    installation,
    repository,
    pulls: [pull],
  } = scene;
  if (pull === undefined) throw new Error('no pull request');
  const proxy = await channel();
  const bot = await startBot(scene, { more: { WEBHOOK_PROXY_URL: proxy.url } });
  await until(proxy.isHeard, 'the bot to listen to its channel');
  await until(() => commentsOf(scene, pull).length === 1, 'the sweep');
  const body = payloadOf(server, { event: 'pull_request', action: 'opened', repository, pull }, { installation });
  const signature = `sha256=${createHmac('sha256', SECRET).update(JSON.stringify(body)).digest('hex')}`;
  const message = {
    body,
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': '33333333-3333-4333-8333-333333333333',
  };
  proxy.send({ ...message, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
  proxy.send({ ...message, 'x-hub-signature-256': signature });
  await until(async () => (await metricsOf(bot, 'grounding_bot_deliveries_total')).length > 0, 'the delivery');
  await until(async () => (await metricsOf(bot, 'grounding_bot_answer_seconds_count')).length === 2, 'both answers');
  expect(await metricsOf(bot, 'grounding_bot_deliveries_total')).toEqual([
    'grounding_bot_deliveries_total{event="pull_request",outcome="queued"} 1',
  ]);
  expect(bot.lines.join('')).toContain('deliveries come from a webhook proxy');
});
