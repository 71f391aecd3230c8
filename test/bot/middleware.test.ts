import { createServer } from 'node:http';
import express from 'express';
import { expect, test } from 'vitest';
import { type MiddlewareOptions, openMiddleware } from '../../bot/io/middleware.js';
import { STAND_IN } from './stand-in.js';
import { afterTest, commentsOf, type Stage, stage, tell, until } from './support.js';

async function open(scene: Stage, options: MiddlewareOptions = {}) {
  const environment = { ...scene.environment, LOG_LEVEL: 'error' };
  const bot = await openMiddleware(STAND_IN, { environment, ...options });
  afterTest(() => bot.close());
  return bot;
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(async () => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const opened = ({ repository, pulls: [pull] }: Stage) => {
  if (pull === undefined) throw new Error('no pull request');
  return { event: 'pull_request', action: 'opened', repository, pull } as const;
};

test('answers as a plain handler of Node, and works what comes', async () => {
  const scene = await stage();
  const bot = await open(scene);
  const url = await listen((request, response) => void bot.handle(request, response));
  expect((await tell(scene, { bot: { url }, happening: opened(scene) })).statusCode).toBe(200);
  await until(() => commentsOf(scene, opened(scene).pull).length === 1, 'the comment');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
});

test('leaves other paths to the server that it stands in', async () => {
  const scene = await stage();
  const bot = await open(scene);
  const app = express();
  app.use((request, response, next) => void bot.handle(request, response, next));
  app.get('/elsewhere', (_request, response) => void response.send('here'));
  const url = await listen(app);
  expect(await (await fetch(`${url}/elsewhere`)).text()).toBe('here');
  expect((await tell(scene, { bot: { url }, happening: opened(scene) })).statusCode).toBe(200);
});

test('checks the bytes that a platform kept, and refuses a body that was parsed without keeping them', async () => {
  const scene = await stage();
  const bot = await open(scene);
  const kept = express();
  kept.use(
    express.json({
      limit: '25mb',
      verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
    }),
  );
  kept.use((request, response, next) => void bot.handle(request, response, next));
  const parsed = express();
  parsed.use(express.json({ limit: '25mb' }));
  parsed.use((request, response, next) => void bot.handle(request, response, next));
  const [good, bad] = await Promise.all([listen(kept), listen(parsed)]);
  expect((await tell(scene, { bot: { url: good }, happening: opened(scene) })).statusCode).toBe(200);
  const answer = await tell(scene, { bot: { url: bad }, happening: opened(scene) });
  expect([answer.statusCode, answer.answer]).toEqual([500, expect.stringContaining('raw request')]);
});

test('refuses to queue what nobody would work', async () => {
  const scene = await stage();
  await expect(open(scene, { work: false })).rejects.toMatchObject({ code: 'bot-settings' });
});

test('refuses to open without its settings', async () => {
  await expect(openMiddleware(STAND_IN, { environment: {} })).rejects.toMatchObject({ code: 'bot-settings' });
});
