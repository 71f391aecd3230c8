import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Seen, Witness } from '../../core/conductor/witness.js';
import { MODEL_LIMITS, ModelRuns } from '../../core/doors/model-runs.js';
import { systemClock } from '../../core/io/clock.js';
import type { ModelBounds } from '../../core/io/model-relay.js';
import { startModelServer } from '../../core/io/model-server.js';
import { type Asked, fakeUpstream, likeModels } from './fake-upstream.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const TRACE = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
const OTHER = `00-${'3'.repeat(32)}-${'4'.repeat(16)}-01`;
const TOKEN = 'a-lane';

type AnswerWith = Parameters<typeof fakeUpstream>[0];

async function open(answer: AnswerWith | string = likeModels, bounds: Partial<ModelBounds> = {}) {
  const upstream = typeof answer === 'string' ? null : await fakeUpstream(answer);
  if (upstream !== null) undo.push(() => upstream.close());
  const runs = new ModelRuns(systemClock());
  const errors: unknown[] = [];
  const server = await startModelServer(runs, { clock: systemClock(), onError: (error) => errors.push(error), bounds });
  undo.push(() => server.close());
  const base = typeof answer === 'string' ? answer : (upstream?.url ?? '');
  const lane = runs.open(TOKEN, { openai: `${base}/v1`, anthropic: base });
  const seen: Seen[] = [];
  const witness: Witness = {
    note(one) {
      seen.push(one);
      return 'noted';
    },
  };
  const begin = (trace = TRACE, required = true): (() => void) => {
    const leave = lane.enter(trace);
    const end = runs.admit(trace, { witness, required });
    return () => {
      end();
      leave();
    };
  };
  const post = (path: string, given: { body?: string; headers?: Record<string, string>; method?: string } = {}) =>
    fetch(`${server.url}/${TOKEN}${path}`, {
      method: given.method ?? 'POST',
      body: given.method === 'GET' ? null : (given.body ?? '{"model":"asked"}'),
      headers: { 'content-type': 'application/json', ...given.headers },
      redirect: 'manual',
    });
  return { upstream, server, seen, begin, post, lane, errors };
}

const codeOf = async (response: Response): Promise<string> => {
  const { error } = (await response.json()) as { error: { code: string } };
  return `${response.status} ${error.code}`;
};

const CHAT = '/openai/chat/completions';

describe('the model server', () => {
  it('gives each piece of a stream as it comes, and what was seen once it is over', async () => {
    let go = (): void => {};
    const { seen, begin, post } = await open(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"model":"real","choices":[{"delta":{}}]}\n\n');
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      response.end('data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}\n\n');
    });
    begin();
    const reader = (await post(CHAT)).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: {"model":"real","choices":[{"delta":{}}]}\n\n');
    expect(seen).toEqual([]);
    go();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('"usage"');
    await reader?.read();
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatchObject({ kind: 'chat', modelId: 'real', inputTokens: 2, outputTokens: 3, failure: null });
  });

  it('leaves a connection that has waited, before its server does, and waits longer for an answer', async () => {
    const ports: (number | undefined)[] = [];
    let pause = 0;
    const { begin, post } = await open(async (response) => {
      ports.push(response.socket?.remotePort);
      await sleep(pause);
      response.end('{"model":"real"}');
    });
    begin();
    const ask = async (): Promise<void> => {
      const response = await post(CHAT);
      expect(response.status).toBe(200);
      await response.text();
    };
    await ask();
    await ask();
    await sleep(1_500);
    pause = 1_500;
    await ask();
    expect(ports).toHaveLength(3);
    expect(ports[1]).toBe(ports[0]);
    expect(ports[2]).not.toBe(ports[0]);
  });

  it('holds a stream back while the agent does not read it', async () => {
    let written = 0;
    const piece = Buffer.alloc(64 * 1024, 'x');
    const { begin, server } = await open(async (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (; written < 1_000 && !response.destroyed; written++)
        if (!response.write(piece)) await new Promise((drained) => response.once('drain', drained));
      response.end();
    });
    begin();
    const asked = request(`${server.url}/${TOKEN}${CHAT}`, { method: 'POST' });
    asked.end('{}');
    const [incoming] = (await once(asked, 'response')) as [IncomingMessage];
    let before = -1;
    while (before !== written) {
      before = written;
      await sleep(300);
    }
    expect(written).toBeLessThan(500);
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) size += chunk.length;
    expect(size).toBe(1_000 * piece.length);
  });

  it('passes errors of the model server on, and notes a call that failed', async () => {
    const { seen, begin, post } = await open((response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end('{"error":{"message":"slow down"}}');
    });
    begin();
    const response = await post(CHAT);
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
      429,
      '7',
      '{"error":{"message":"slow down"}}',
    ]);
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatchObject({ requestedModelId: 'asked', failure: expect.stringContaining('429') });
  });

  it('passes headers but those of the connection, and asks for an answer that it can read', async () => {
    const { begin, post, upstream } = await open();
    begin();
    await post(CHAT, { headers: { 'x-api-key': 'k', 'accept-encoding': 'gzip', 'openai-organization': 'o' } });
    const headers: Asked['headers'] = upstream?.asked[0]?.headers ?? {};
    expect(headers).toMatchObject({ 'x-api-key': 'k', 'openai-organization': 'o', 'accept-encoding': 'identity' });
    expect(headers.host).toBe(new URL(upstream?.url ?? '').host);
  });

  it('notes what was passed on when the run ends in the middle of a call, and breaks the call off', async () => {
    const { seen, begin, post } = await open((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"model":"real","choices":[{"delta":{"content":"all of it"}}]}\n\n');
    });
    const end = begin();
    const reader = (await post(CHAT)).body?.getReader();
    await reader?.read();
    end();
    expect(seen).toMatchObject([{ kind: 'chat', modelId: 'real', failure: null }]);
    await expect(reader?.read()).rejects.toThrow();
  });

  it.each([
    ['no run is in progress', '/openai/chat/completions', 'none', '403 no-run'],
    ['the call is one of a batch', '/openai/batches', 'one', '403 not-passed'],
    ['the address leads out of its base', '/openai/models/%2e%2e/files', 'one', '403 not-passed'],
    ['the entry names no such provider', '/mistral/chat/completions', 'one', '404 not-here'],
    ['several runs are in progress and the call names none', CHAT, 'two', '403 which-run'],
  ])('refuses when %s', async (_when, path, runs, expected) => {
    const { begin, post, upstream, seen } = await open();
    if (runs !== 'none') begin();
    if (runs === 'two') begin(OTHER, false);
    expect(await codeOf(await post(path))).toBe(expected);
    expect([upstream?.asked.length, seen.length]).toEqual([0, 0]);
  });

  it('passes a call through unseen when nobody can tell its run and none has to be witnessed', async () => {
    const { begin, post, seen } = await open();
    begin(TRACE, false);
    begin(OTHER, false);
    expect((await post(CHAT)).status).toBe(200);
    expect((await post(CHAT, { headers: { traceparent: OTHER } })).status).toBe(200);
    await expect.poll(() => seen.length).toBe(1);
  });

  it('refuses an address of no lane, and one whose lane was closed', async () => {
    const { begin, post, server, lane } = await open();
    begin();
    const other = await fetch(`${server.url}/another${CHAT}`, { method: 'POST', body: '{}' });
    expect(await codeOf(other)).toBe('401 grant-unknown');
    lane.close();
    expect(await codeOf(await post(CHAT))).toBe('401 grant-unknown');
  });

  it('answers 502 when the model server cannot be reached, breaks off or sends a redirect', async () => {
    const probe = createServer();
    await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
    const { port } = probe.address() as AddressInfo;
    await new Promise((done) => probe.close(done));
    const away = await open(`http://127.0.0.1:${port}`);
    away.begin();
    expect(await codeOf(await away.post(CHAT))).toBe('502 upstream-failed');
    expect(away.seen).toMatchObject([{ failure: expect.any(String) }]);
    const broken = await open((response) => void response.destroy());
    broken.begin();
    expect(await codeOf(await broken.post(CHAT))).toBe('502 upstream-failed');
    const moved = await open((response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    moved.begin();
    expect(await codeOf(await moved.post(CHAT))).toBe('502 upstream-failed');
  });

  it('answers 504 when the model server keeps silent', async () => {
    const { begin, post } = await open(() => {}, { idleMs: 200 });
    begin();
    expect(await codeOf(await post(CHAT))).toBe('504 upstream-timeout');
  });

  it('answers 413 for a request that is too large, announced or not', async () => {
    const { begin, post, server } = await open(likeModels, { requestBytes: 1_000 });
    begin();
    expect(await codeOf(await post(CHAT, { body: 'x'.repeat(1_001) }))).toBe('413 request-too-large');
    const asked = request(`${server.url}/${TOKEN}${CHAT}`, { method: 'POST' });
    asked.on('error', () => {});
    asked.write('x'.repeat(2_000));
    const [incoming] = (await once(asked, 'response')) as [IncomingMessage];
    expect(incoming.statusCode).toBe(413);
    asked.destroy();
  });

  it('breaks an answer off that is too large', async () => {
    const { begin, post } = await open((response) => void response.end(Buffer.alloc(5_000)), { answerBytes: 1_000 });
    begin();
    await expect(post(CHAT).then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  it('bounds the calls that a run has under way', async () => {
    const { begin, post, server } = await open(() => {});
    const end = begin();
    const held = Array.from({ length: MODEL_LIMITS.callsAtOnce }, () => post(CHAT).catch(() => null));
    await expect.poll(async () => codeOf(await post('/openai/models', { method: 'GET' }))).toBe('429 too-many');
    end();
    expect(await Promise.all(held)).toEqual(held.map(() => null));
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
});
