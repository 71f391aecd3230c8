import { createHmac, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { afterTest, SECRET, stage, startBot, tell } from './support.js';

const PATH = '/api/github/webhooks';

/** Headers of a webhook whose signature is right for these bytes. */
function signed(body: Uint8Array, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'ping',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    ...more,
  };
}

test('refuses a body that is compressed, whose bytes nobody unpacks, though they are signed', async () => {
  const { url } = await startBot(await stage());
  const body = gzipSync(Buffer.alloc(1024 * 1024, ' '));
  const answer = await fetch(`${url}${PATH}`, {
    method: 'POST',
    body,
    headers: signed(body, { 'content-encoding': 'gzip' }),
  });
  expect(answer.status).toBe(400);
});

test('refuses a signature of another algorithm, of another case and of another length', async () => {
  const { url } = await startBot(await stage());
  const body = Buffer.from('{}');
  const good = signed(body)['x-hub-signature-256'] ?? '';
  const sha1 = `sha1=${createHmac('sha1', SECRET).update(body).digest('hex')}`;
  for (const signature of [sha1, good.toUpperCase(), good.slice(0, -1), `${good}0`, `${good}, ${good}`, 'sha256=']) {
    const headers = signed(body, { 'x-hub-signature-256': signature });
    const answer = await fetch(`${url}${PATH}`, { method: 'POST', body, headers });
    expect(answer.status, signature).toBeGreaterThanOrEqual(400);
    expect(answer.status, signature).toBeLessThan(500);
  }
});

test('answers a webhook while a thousand senders have begun one and say no more', async () => {
  const on = await stage();
  const bot = await startBot(on);
  const { hostname, port } = new URL(bot.url);
  const sockets: Socket[] = [];
  afterTest(async () => sockets.forEach((socket) => void socket.destroy()));
  for (let at = 0; at < 1_000; at += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n`,
    );
    sockets.push(socket);
  }
  const [pull] = on.pulls;
  if (pull === undefined) throw new Error('no pull request');
  const happening = { event: 'pull_request', action: 'opened', repository: on.repository, pull } as const;
  expect((await tell(on, { bot, happening })).statusCode).toBeLessThan(300);
});
