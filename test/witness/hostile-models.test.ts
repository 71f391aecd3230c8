import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Seen } from '../../core/conductor/witness.js';
import { ModelRuns } from '../../core/doors/model-runs.js';
import { systemClock } from '../../core/io/clock.js';
import { startModelServer } from '../../core/io/model-server.js';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const TRACE = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

/** A model server that writes bytes as they stand, behind the pass-through, with a run in progress. */
async function open(answer: (socket: Socket, asked: string) => void) {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const upstream = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      asked.push(chunk.toString('latin1'));
      answer(socket, chunk.toString('latin1'));
    });
  });
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
  undo.push(() => upstream.close());
  undo.push(() => {
    for (const one of sockets) one.destroy();
  });
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const runs = new ModelRuns(systemClock());
  const errors: unknown[] = [];
  const gate = await startModelServer(runs, { clock: systemClock(), onError: (error) => errors.push(error) });
  undo.push(() => gate.close());
  const lane = runs.open('lane', { openai: `${url}/v1` });
  const seen: Seen[] = [];
  const witness = {
    note(one: Seen): 'noted' {
      seen.push(one);
      return 'noted';
    },
  };
  lane.enter(TRACE);
  const end = runs.admit(TRACE, { witness, required: true });
  /** Sends bytes as they stand, and gives the first of what comes back once `until` stands in it. */
  const send = (text: string, until: string | RegExp = '\r\n\r\n'): Promise<string> =>
    new Promise((done) => {
      let out = '';
      const socket = connect(Number(new URL(gate.url).port), '127.0.0.1', () => socket.write(text, 'latin1'));
      const settle = (): void => {
        socket.destroy();
        done(out);
      };
      socket.on('data', (chunk) => {
        out += chunk.toString('latin1');
        if (typeof until === 'string' ? out.includes(until) : until.test(out)) settle();
      });
      socket.on('error', settle);
      socket.on('end', settle);
    });
  return { asked, errors, seen, end, send };
}

function request(line: string, headers: readonly string[], body = ''): string {
  const [method = '', path = ''] = line.split(' ');
  return [`${method} /lane/openai${path} HTTP/1.1`, 'Host: gate', ...headers, '', body].join('\r\n');
}

const BODY = '{"model":"asked"}';
const CHAT = request('POST /chat/completions', [`Content-Length: ${BODY.length}`], BODY);
const whole = (body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from(['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n')),
    Buffer.from(body),
  ]);
const STREAM = 'Content-Type: text/event-stream';
const EVENT = '{"model":"real","choices":[{"delta":{"content":"all of it"}}]}';

describe('a request within a request', () => {
  it.each([
    [
      'of unknown length',
      ['Transfer-Encoding: chunked'],
      (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ],
    ['of a stated length', ['Content-Length: 90'], (text: string) => text.padEnd(90)],
  ])('reaches no model server as the body %s of a GET', async (_what, headers, framed) => {
    const { asked, seen, send, errors } = await open((socket) => socket.write(whole('{"model":"real"}')));
    const hidden = `POST /v1/chat/completions HTTP/1.1\r\nHost: u\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
    expect(await send(request('GET /models', headers, framed(hidden)))).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked).toEqual([]);
    expect(await send(request('GET /models', ['Content-Length: 0']))).toMatch(/^HTTP\/1\.1 200 /);
    expect([asked.length, seen.length, errors]).toEqual([1, 0, []]);
  });

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['a length and pieces', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['a piece without an end', ['Transfer-Encoding: chunked'], 'zz\r\n'],
  ])('is not passed on when it states %s', async (_what, headers, body) => {
    const { asked, send } = await open((socket) => socket.write(whole('{}')));
    expect(await send(request('POST /chat/completions', headers, body))).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked.join('')).not.toContain('zz');
  });

  it.each(['CONNECT example.org:443', 'CONNECT /lane/openai/chat/completions'])('is not opened by %s', async (line) => {
    const { asked, send } = await open(() => {});
    expect(await send(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
    expect(asked).toEqual([]);
  });

  it('loses the headers by which it would become another one', async () => {
    const { asked, send } = await open((socket) => socket.write(whole('{}')));
    const headers = ['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /v1/chat/completions', 'X-Rewrite-URL: /x'];
    const upgrade = ['Connection: upgrade, x-secret', 'Upgrade: websocket', 'X-Secret: 1', 'Content-Length: 2'];
    await send(request('POST /embeddings', [...headers, ...upgrade], '{}'));
    expect(asked.join('')).not.toMatch(/override|original|rewrite|upgrade|x-secret/i);
  });
});

describe('an answered call is noted as one', () => {
  it.each([
    ['is packed', whole(gzipSync(`data: ${EVENT}\n\n`), STREAM, 'Content-Encoding: gzip')],
    ['ends its lines by carriage returns', whole(`data: ${EVENT}\r\r`, STREAM)],
    ['is no stream of events, though it says so', whole(EVENT, STREAM)],
    ['is a stream of events, though it does not say so', whole(`data: ${EVENT}\n\n`)],
    ['breaks off within its first event', whole(`data: ${EVENT.slice(0, -2)}`, STREAM)],
    ['is too long an event', whole(`data: ${'x'.repeat(4 * 1024 * 1024 + 1)}\n\n`, STREAM)],
  ])('when the answer %s', async (_what, answer) => {
    const { seen, send } = await open((socket) => socket.write(answer));
    const size = answer.length - answer.indexOf('\r\n\r\n');
    await send(CHAT, new RegExp(`\\r\\n\\r\\n[^]{${size - 4}}`));
    await expect.poll(() => seen).toMatchObject([{ kind: 'chat', requestedModelId: 'asked', failure: null }]);
  });

  it.each(['\r\r', '', '\n'])('when the run ends while the stream stands open after %j', async (rest) => {
    const { seen, send, end } = await open((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${STREAM}\r\n\r\ndata: ${EVENT}${rest}`),
    );
    const read = send(CHAT, 'never');
    await sleep(300);
    end();
    expect(seen).toMatchObject([{ modelId: 'real', failure: null }]);
    expect(await read).toContain('all of it');
  });

  it('and one of which only the beginning came is not', async () => {
    const events = ': waiting\n\nevent: ping\ndata: {"type":"ping"}\n\ndata: {"type":"message_start","message":{}}\n\n';
    const { seen, send, end } = await open((socket) => socket.write(`HTTP/1.1 200 OK\r\n${STREAM}\r\n\r\n${events}`));
    const read = send(CHAT, 'never');
    await sleep(300);
    end();
    expect(seen).toMatchObject([{ failure: expect.any(String) }]);
    await read;
  });
});

describe('an answer that is none', () => {
  it.each(['000 x', '099 x', '101 Switching Protocols', '600 x', '999 x'])(
    'is answered 502 when its status is %s',
    async (status) => {
      const { seen, send, errors } = await open((socket) =>
        socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\n{}`),
      );
      expect(await send(CHAT)).toMatch(/^HTTP\/1\.1 502 /);
      expect(seen).toMatchObject([{ failure: expect.any(String) }]);
      expect(errors).toEqual([]);
    },
  );

  it.each(['301', '302', '303', '307', '308'])(
    'is not followed, nor handed on, when it is a redirect: %s',
    async (status) => {
      const { asked, send } = await open((socket) =>
        socket.write(`HTTP/1.1 ${status} x\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`),
      );
      const answer = await send(CHAT, '}}');
      expect(answer).toMatch(/^HTTP\/1\.1 502 /);
      expect(answer).not.toMatch(/location/i);
      expect(asked).toHaveLength(1);
    },
  );
});
