import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServer, doorServer, listenHere } from '../../core/io/door-server.js';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

async function open(maxConnections: number) {
  const held: ServerResponse[] = [];
  const server = doorServer(
    (request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end('served');
    },
    { maxConnections },
  );
  await listenHere(server, 'the door of a test');
  undo.push(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  const dial = (text?: string): Promise<Socket> =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        if (text !== undefined) socket.write(text);
        done(socket);
      });
      socket.on('error', () => {});
      undo.push(() => socket.destroy());
    });
  return { held, dial, ask: async () => (await fetch(`http://127.0.0.1:${port}/`)).text() };
}

describe('the server of a door', () => {
  it('answers when somebody holds more connections than there may be', async () => {
    const { dial, ask } = await open(10);
    const idle: Socket[] = [];
    for (let at = 0; at < 40; at++) idle.push(await dial());
    expect(await ask()).toBe('served');
    await expect.poll(() => idle.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(30);
  });

  it('keeps a connection whose request is under way', async () => {
    const { dial, held, ask } = await open(10);
    const busy = await dial('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => held.length).toBe(1);
    for (let at = 0; at < 40; at++) await dial();
    expect(await ask()).toBe('served');
    const answer = new Promise<string>((done) => busy.once('data', (chunk: Buffer) => done(chunk.toString())));
    held[0]?.end('late');
    expect(await answer).toContain('late');
  });
});
