import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an upstream was asked. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A model server on loopback that keeps what it is asked. */
export async function fakeUpstream(
  answer: (response: ServerResponse, asked: Asked) => void | Promise<void>,
): Promise<{ readonly url: string; readonly asked: Asked[]; close(): Promise<void> }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    asked.push(one);
    await answer(response, one);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Answers as the two kinds of model server do, each with a name of the model and tokens. */
export function likeModels(response: ServerResponse, { url, body }: Asked): void {
  const { stream = false } = body === '' ? {} : (JSON.parse(body) as { stream?: boolean });
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' });
    response.end(
      JSON.stringify(url.includes('/messages') ? MESSAGE : url.endsWith('/embeddings') ? EMBEDDING : COMPLETION),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of url.includes('/messages') ? MESSAGE_EVENTS : COMPLETION_EVENTS) response.write(event);
  response.end();
}

const COMPLETION = {
  model: 'gpt-real',
  choices: [{ message: { content: 'hello' } }],
  usage: { prompt_tokens: 11, completion_tokens: 5 },
};
const EMBEDDING = { model: 'embed-real', data: [], usage: { prompt_tokens: 3 } };
const MESSAGE = {
  type: 'message',
  model: 'claude-real',
  content: [{ type: 'text', text: 'hello' }],
  usage: { input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 9 },
};
const COMPLETION_EVENTS = [
  'data: {"model":"gpt-real","choices":[{"delta":{"content":"hel"}}]}\n\n',
  'data: {"model":"gpt-real","choices":[{"delta":{"content":"lo"}}]}\n\n',
  'data: {"model":"gpt-real","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":6}}\n\n',
  'data: [DONE]\n\n',
];
const MESSAGE_EVENTS = [
  'event: message_start\ndata: {"type":"message_start","message":{"model":"claude-real","usage":{"input_tokens":7,"output_tokens":1}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"hello"}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"output_tokens":15}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];
