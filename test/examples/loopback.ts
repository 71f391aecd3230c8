import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a loopback server answers; a string is sent as it is, anything else as JSON. */
export type Answer = (request: { readonly method: string; readonly path: string; readonly body: string }) => {
  readonly status: number;
  readonly body: unknown;
};

/** A server on 127.0.0.1 that notes what it was asked. */
export interface Loopback {
  readonly url: string;
  readonly asked: { readonly path: string; readonly body: string }[];
  close(): Promise<void>;
}

export async function listen(answer: Answer): Promise<Loopback> {
  const asked: { path: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const path = request.url ?? '';
    asked.push({ path, body });
    const { status, body: reply } = answer({ method: request.method ?? '', path, body });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

/** An address at which nobody listens: it was listened at a moment ago. */
export async function deadUrl(): Promise<string> {
  const server = await listen(() => ({ status: 200, body: '' }));
  await server.close();
  return server.url;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
