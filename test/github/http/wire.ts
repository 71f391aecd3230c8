import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './call.js';

/** Listens on a free port of the loopback. */
export async function listen(listener: RequestListener): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Stops listening and cuts what still hangs. */
export async function shut(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Reads a request's whole body; rejects when the caller goes away in the middle of it. */
export function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** A request's headers, each as one text. */
export function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]));
}

/** Sends an answer; a reader that has it already gets 304 and no body. */
export function reply(
  response: ServerResponse,
  { answer, request, headers }: { answer: Answer; request: IncomingMessage; headers: Readonly<Record<string, string>> },
): number {
  const bytes = answer.raw?.bytes ?? (answer.body === undefined ? undefined : Buffer.from(JSON.stringify(answer.body)));
  const type = answer.raw?.type ?? 'application/json; charset=utf-8';
  const all: Record<string, string> = { ...headers, ...answer.headers };
  if (bytes !== undefined) {
    all['content-type'] = type;
    all['etag'] = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  }
  if (request.method === 'GET' && answer.status === 200 && request.headers['if-none-match'] === all['etag']) {
    response.writeHead(304, all).end();
    return 304;
  }
  response.writeHead(answer.status, all).end(bytes);
  return answer.status;
}
