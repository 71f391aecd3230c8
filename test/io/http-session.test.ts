import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { httpClient } from '../../core/io/http-client.js';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server on a free port that keeps its connections and what it was asked. */
async function serverOf(answer: RequestListener) {
  const sockets: Socket[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${sockets.indexOf(request.socket)}`);
    answer(request, response);
  });
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  open.push(
    () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets, asked };
}

const ask = (url: string) => ({ method: 'GET', url, headers: {}, repeatable: true }) as const;
const tell = (url: string) => ({ method: 'POST', url, headers: {}, body: Buffer.from('{}') }) as const;

async function inSession(requests: readonly (ReturnType<typeof ask> | ReturnType<typeof tell>)[]): Promise<number[]> {
  const session = httpClient.within(5_000);
  try {
    const statuses: number[] = [];
    for (const request of requests) statuses.push((await session.send(request)).status);
    return statuses;
  } finally {
    session.close();
    await turn();
  }
}

describe('a session over HTTP', () => {
  it('goes on with the connection that the last one left when it begins with what may be repeated', async () => {
    const { url, asked } = await serverOf((_request, response) => response.end('{}'));
    await inSession([ask(url), tell(url)]);
    await inSession([ask(url), tell(url)]);
    expect(asked).toEqual(['GET 0', 'POST 0', 'GET 0', 'POST 0']);
  });

  it('takes a connection of its own when it begins with what may not be repeated', async () => {
    const { url, asked } = await serverOf((_request, response) => response.end('{}'));
    await inSession([ask(url)]);
    await inSession([tell(url)]);
    expect(asked).toEqual(['GET 0', 'POST 1']);
  });

  it('asks once more over a new connection when the one that was left is closed instead of answered', async () => {
    let answers = 1;
    const { url, asked } = await serverOf((request, response) => {
      if (answers-- === 0) request.socket.destroy();
      else response.end('{}');
    });
    await inSession([ask(url)]);
    expect(await inSession([ask(url), tell(url)])).toEqual([200, 200]);
    expect(asked).toEqual(['GET 0', 'GET 0', 'GET 1', 'POST 1']);
  });

  it('sends nothing twice that may not be repeated, and leaves no connection that broke', async () => {
    const { url, asked } = await serverOf((request, response) => {
      if (request.method === 'POST') request.socket.destroy();
      else response.end('{}');
    });
    await inSession([ask(url)]);
    await expect(inSession([ask(url), tell(url)])).rejects.toMatchObject({ code: 'agent-unreachable' });
    await inSession([ask(url)]);
    expect(asked).toEqual(['GET 0', 'GET 0', 'POST 0', 'GET 1']);
  });

  it('rejects as unreachable what is sent after it was closed, and what was under way', async () => {
    const { url } = await serverOf(() => {});
    const session = httpClient.within(5_000);
    const hanging = session.send(tell(url));
    await turn();
    session.close();
    await expect(hanging).rejects.toMatchObject({ code: 'agent-unreachable' });
    await expect(session.send(tell(url))).rejects.toMatchObject({ code: 'agent-unreachable' });
  });
});
