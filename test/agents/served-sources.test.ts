import { describe, expect, it } from 'vitest';
import { askDoor } from '../../core/agents/ask-door.js';
import type { AgentContext } from '../../core/agents/delegate/context.js';
import { defineAgent } from '../../core/agents/delegate/definition.js';
import type { AgentResult } from '../../core/agents/delegate/outcomes.js';
import { runCall } from '../../core/agents/delegate/run-call.js';
import { RUN_LIMITS } from '../../core/doors/source-service.js';
import { systemClock } from '../../core/io/clock.js';
import { httpClient } from '../../core/io/http-client.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { hashOf, type JsonNode, parseJson } from '../../core/json/index.js';
import { ask, doorStage, RECORDS } from '../doors/stage.js';
import { callOf } from './call.js';
import { declared } from './modules/specification.js';

const stage = await doorStage();
const asking = { http: httpClient, sleep: async () => {} };
const world = {
  clock: systemClock(),
  ids: randomSpanIds(),
  askDoor: (access: Parameters<typeof askDoor>[0], path: string) => askDoor(access, { path, world: asking }),
};
const FIRST = parseJson(Buffer.from(RECORDS[0] ?? ''), { file: 'record' });

type Served = NonNullable<AgentContext['sources']>;

/** Runs an agent that is served `snap:1`; what the conductor would have noted. */
async function run(body: (ctx: AgentContext, sources: Served) => Promise<AgentResult> | AgentResult) {
  const { token, seen, end } = stage.begin();
  const definition = defineAgent({
    ...declared,
    run: (ctx) => {
      if (ctx.sources === null) throw new Error('nothing is served');
      return body(ctx, ctx.sources);
    },
  });
  const call = { ...callOf({}), sources: { url: stage.url, token } };
  const reply = await runCall(call, { definition, world }).finally(end);
  return { reply: parseJson(reply, { file: 'reply' }), seen };
}

const spansOf = (reply: JsonNode): { name: string; status: object; attributes: Record<string, unknown> }[] =>
  (reply.get('spans')?.items() ?? []).map((span) => JSON.parse(span.string() ?? ''));

const done = (ctx: AgentContext, payload: Parameters<AgentContext['succeeded']>[0]['payload']) =>
  ctx.succeeded({ statement: 'done', payload });

describe('ctx.sources', () => {
  it('fetches a record whole, declares it, and gives what can be cited', async () => {
    const { reply, seen } = await run(async (ctx, sources) => {
      const read = await sources.fetch('snap:1', 'rec:1', { source_uri: 'https://example.org/1' });
      expect(read.record.value).toEqual({ id: 'rec:1', title: 'Ocean tides at Cuxhaven', depth: 1.5 });
      return done(ctx, { grounded_on: [ctx.cite(read)] });
    });
    const content_hash = hashOf(FIRST, 'dd-json-document-v1');
    expect(spansOf(reply)).toMatchObject([
      { name: 'retrieval', attributes: { 'dd.source_id': 'rec:1', 'dd.content_hash': content_hash } },
    ]);
    expect(spansOf(reply)[0]?.attributes).not.toHaveProperty('dd.witnessed');
    const item = reply.locate('/result/evidence/0');
    expect(JSON.parse(item?.text() ?? '')).toMatchObject({
      source_id: 'rec:1',
      source_uri: 'https://example.org/1',
      snapshot_ref: 'snap:1',
      canonicalisation: 'dd-json-document-v1',
      content_hash,
    });
    expect(item?.get('content')?.text()).toContain('1.50');
    expect(seen).toMatchObject([{ sourceId: 'rec:1', contentHash: content_hash }]);
  });

  it('fetches under another canonicalisation, and ids that look like a path', async () => {
    const { seen } = await run(async (ctx, sources) => {
      const read = await sources.fetch('snap:1', 'rec:1', { canonicalisation: 'json-sorted-utf8-v1' });
      expect(read.content_hash).toBe(hashOf(FIRST, 'json-sorted-utf8-v1'));
      await sources.fetch('snap:1', 'a/b c');
      return done(ctx, { grounded_on: [ctx.cite(read)] });
    });
    expect(seen).toMatchObject([{ sourceId: 'rec:1' }, { sourceId: 'a/b c' }]);
  });

  it('searches without declaring anything', async () => {
    const { reply, seen } = await run(async (ctx, sources) => {
      const hits = await sources.search('snap:1', 'tides ocean', { limit: 1 });
      expect(hits).toEqual([{ source_id: 'rec:1', excerpt: 'Ocean tides at Cuxhaven' }]);
      return done(ctx, { grounded_on: [ctx.cite(ctx.input)] });
    });
    expect(spansOf(reply)).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('takes what another client fetched, and refuses what was altered on the way', async () => {
    await run(async (ctx, sources) => {
      const { headers, url } = sources.mcp;
      expect(url).toBe(`${stage.url}/mcp`);
      const token = headers['authorization']?.replace('Bearer ', '') ?? '';
      const { body } = await ask(stage, { path: '/sources/snap:1/rec:1', token });
      expect(() => sources.received(body.replace('Ocean', 'Other'))).toThrowError(
        expect.objectContaining({ code: 'agent-misuse' }),
      );
      expect(() => sources.received('{}')).toThrowError(expect.objectContaining({ code: 'agent-misuse' }));
      return done(ctx, { grounded_on: [ctx.cite(sources.received(body))] });
    });
  });

  it.each([
    ['a record that is not there', 'snap:1', 'rec:9', 'no-such-record'],
    ['a snapshot that it may not see', 'snap:2', 'rec:1', 'no-such-snapshot'],
  ])('rejects for %s, and the span says ERROR', async (_, ref, id, code) => {
    const { reply } = await run(async (ctx, sources) => {
      await expect(sources.fetch(ref, id)).rejects.toMatchObject({
        code: 'door-refused',
        message: expect.stringContaining(code),
      });
      return done(ctx, { grounded_on: [ctx.cite(ctx.input)] });
    });
    expect(spansOf(reply)).toMatchObject([{ status: { status_code: 'ERROR' } }]);
  });

  it.each([
    ['fetch', (sources: Served) => sources.fetch('snap:1', '')],
    ['search', (sources: Served) => sources.search('snap:1', '')],
  ])('refuses to %s without a name', async (_, use) => {
    await expect(
      run(async (ctx, sources) => done(ctx, await use(sources).then(() => ({ grounded_on: [] })))),
    ).rejects.toMatchObject({
      code: 'agent-misuse',
    });
  });

  it('is null where nothing is served', async () => {
    const definition = defineAgent({
      ...declared,
      run: (ctx) => {
        expect(ctx.sources).toBeNull();
        return done(ctx, { grounded_on: [ctx.cite(ctx.input)] });
      },
    });
    await runCall(callOf({}), { definition, world });
  });
});

describe('askDoor', () => {
  it('waits when the door says that it is asked too fast', async () => {
    let now = 0n;
    const slow = await doorStage({ clock: { nowNs: () => now } });
    const { token } = slow.begin();
    for (let i = 0; i < RUN_LIMITS.burst; i += 100)
      await Promise.all(Array.from({ length: 100 }, () => ask(slow, { path: '/sources', token })));
    const pauses: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => {
      pauses.push(milliseconds);
      now += BigInt(milliseconds) * 1_000_000n;
    };
    const access = { url: slow.url, token };
    const document = await askDoor(access, { path: '/snap:1', world: { http: httpClient, sleep } });
    expect(document.get('records')?.integer()).toBe(4);
    expect(pauses).toEqual([1000]);
  }, 30_000);

  it('rejects without the token in its words once the run is over', async () => {
    const { token, end } = stage.begin();
    end();
    const refused = askDoor({ url: stage.url, token }, { path: '/snap:1/rec:1', world: asking });
    await expect(refused).rejects.toMatchObject({ code: 'door-refused' });
    await expect(refused).rejects.not.toThrow(token);
  });
});
