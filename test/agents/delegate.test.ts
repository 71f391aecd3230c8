import { describe, expect, it } from 'vitest';
import { composableOf } from '../../core/agents/delegate/composable.js';
import { type AgentDefinition, defineAgent } from '../../core/agents/delegate/definition.js';
import { readJson, readJsonArray, readJsonLines } from '../../core/agents/delegate/index.js';
import { runCall } from '../../core/agents/delegate/run-call.js';
import type { Source } from '../../core/agents/delegate/sources.js';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { hashOf, type JsonNode, parseJson } from '../../core/json/index.js';
import { callOf } from './call.js';
import { declared } from './modules/specification.js';

const world = { clock: systemClock(), ids: randomSpanIds() };
const RECORD = { source_id: 'src:1', canonicalisation: 'dd-json-document-v1' };

async function run(body: AgentDefinition['run'], input = {}): Promise<JsonNode> {
  const definition = defineAgent({ ...declared, run: body });
  return parseJson(await runCall(callOf(input), { definition, world }), { file: 'reply' });
}

const spansOf = (reply: JsonNode): { name: string; status: object; attributes: Record<string, unknown> }[] =>
  (reply.get('spans')?.items() ?? []).map((span) => JSON.parse(span.string() ?? ''));

describe('defineAgent', () => {
  it('throws when the grounding mode is left out', () => {
    const { grounding_mode: _, ...rest } = declared;
    expect(() => defineAgent({ ...rest, run: () => ({}) } as never)).toThrowError(
      expect.objectContaining({ code: 'agent-specification' }),
    );
  });

  it('throws when the grounding mode is none of the four, naming it and them', () => {
    expect(() => defineAgent({ ...declared, grounding_mode: 'retrieve', run: () => ({}) } as never)).toThrowError(
      expect.objectContaining({
        code: 'agent-specification',
        message: expect.stringMatching(/"retrieve".*retrieval, input_only, none, delegation/),
      }),
    );
  });

  it('throws when there is nothing to run', () => {
    expect(() => defineAgent({ ...declared } as never)).toThrow(TypeError);
  });
});

describe('ctx', () => {
  it('offers the input as a source whose evidence hashes to what the conductor computed', async () => {
    const reply = await run(
      (ctx) => ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(ctx.input)] } }),
      { n: 1 },
    );
    const [item] = reply.locate('/result/evidence')?.items() ?? [];
    const content = item?.get('content');
    expect(item?.get('source_id')?.string()).toBe('input:01a0c455-bf5e-7bd9-8565-7a47938408ff');
    expect(content && hashOf(content, 'dd-input-json-v1')).toBe(item?.get('content_hash')?.string());
    expect(reply.locate('/result/payload/grounded_on/0/content_hash')?.string()).toBe(
      item?.get('content_hash')?.string(),
    );
  });

  it('shows as evidence what was read, even when the agent changes the record afterwards', async () => {
    const reply = await run(async (ctx) => {
      const read = await ctx.retrieval(RECORD, () => ({ name: 'as read' }));
      (read.record as { name: string }).name = 'as told';
      return ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(read)] } });
    });
    expect(reply.locate('/result/evidence/0/content/name')?.string()).toBe('as read');
  });

  it('shows the projection that the hash covers, and nothing else', async () => {
    const reply = await run(async (ctx) => {
      const read = await ctx.retrieval({ source_id: 'F.1', canonicalisation: 'json-sorted-utf8-v1' }, () => ({
        fairsharing_id: 'F.1',
        subjects: ['b', 'a'],
        secret: 'dropped',
      }));
      return ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(read)] } });
    });
    const content = reply.locate('/result/evidence/0/content');
    expect(content?.has('secret')).toBe(false);
    expect(content?.get('subjects')?.toPlain()).toEqual(['a', 'b']);
  });

  it.each<[string, (own: Source) => Source]>([
    ['was written by hand', () => ({ source_id: 'src:1', content_hash: 'a'.repeat(64) })],
    ['is a copy of a true one', (own) => ({ ...own })],
  ])('refuses to cite a source that %s', async (_, forge) => {
    const attempt = run((ctx) =>
      ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(forge(ctx.input))] } }),
    );
    await expect(attempt).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it('refuses to cite what another run read', async () => {
    let kept: Source | undefined;
    await run(async (ctx) => {
      kept = await ctx.retrieval(RECORD, () => ({ a: 1 }));
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    const attempt = run((ctx) =>
      ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(kept as Source)] } }),
    );
    await expect(attempt).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it('marks a retrieval that threw as ERROR, with an id and a hash, and passes the error on', async () => {
    const reply = await run(async (ctx) => {
      const failure = await ctx
        .retrieval(RECORD, () => Promise.reject(new Error('down')))
        .catch((error: Error) => error.message);
      return ctx.abstained({ statement: String(failure), reason_code: 'registry_unavailable' });
    });
    expect(reply.locate('/result/outcome/statement')?.string()).toBe('down');
    expect(spansOf(reply)).toMatchObject([
      {
        name: 'retrieval',
        status: { status_code: 'ERROR' },
        attributes: { 'dd.source_id': 'src:1', 'dd.content_hash': expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
  });

  it.each<[string, () => unknown]>([
    ['a list', () => []],
    ['a string', () => 'text'],
    ['nothing', () => undefined],
  ])('refuses a record that is %s', async (_, read) => {
    const attempt = run(async (ctx) => {
      await ctx.retrieval(RECORD, read);
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it('refuses an unknown canonicalisation', async () => {
    const attempt = run(async (ctx) => {
      await ctx.retrieval({ source_id: 'a', canonicalisation: 'md5' }, () => ({}));
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'canonicalisation-unknown' });
  });

  it('refuses a result while a retrieval is under way', async () => {
    const attempt = run((ctx) => {
      void ctx.retrieval(RECORD, () => new Promise(() => {}));
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it('refuses a retrieval after the run has returned', async () => {
    let late: Promise<unknown> | undefined;
    await run((ctx) => {
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => ctx.retrieval(RECORD, () => ({})));
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    await expect(late).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it.each([-1, 1.5, Number.NaN])('refuses %s as a token count', async (tokens) => {
    const attempt = run(async (ctx) => {
      await ctx.chat('m', (report) => report({ input_tokens: tokens }));
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'agent-misuse' });
  });

  it('names the model that answered and counts a call that failed', async () => {
    const reply = await run(async (ctx) => {
      await ctx.chat('asked', (report) => report({ input_tokens: 2, model_id: 'answered' }));
      await ctx.chat('other', () => Promise.reject(new Error('down'))).catch(() => {});
      return ctx.abstained({ statement: 's', reason_code: 'not_applicable' });
    });
    expect(reply.locate('/result/model_id')?.string()).toBe('answered, other');
    expect(reply.locate('/result/input_tokens')?.integer()).toBe(2);
    expect(reply.locate('/result')?.has('output_tokens')).toBe(false);
    expect(spansOf(reply).map(({ status }) => status)).toMatchObject([
      { status_code: 'UNSET' },
      { status_code: 'ERROR' },
    ]);
  });

  it('returns a referral with whom it goes to', async () => {
    const reply = await run((ctx) =>
      ctx.referred({
        statement: 's',
        reason_code: 'requires_human_judgement',
        referred_to: 'data_steward',
        evidence: [ctx.input],
      }),
    );
    expect(reply.locate('/result/outcome')?.toPlain()).toEqual({
      status: 'referred',
      statement: 's',
      reason_code: 'requires_human_judgement',
      referred_to: 'data_steward',
    });
    expect(reply.locate('/result/evidence')?.size).toBe(1);
  });
});

describe('readJson', () => {
  it('keeps the text of each document of an array and of lines', () => {
    const records = [
      ...readJsonArray('[{"a": 1.0}, {"a": 2}]'),
      ...readJsonLines('{"a":1e2}\n\n{"a":"\u2028"}\n'),
      readJson(' {"a":3} '),
    ];
    expect(records.map((record) => composableOf(record))).toMatchObject(records.map(() => expect.anything()));
    expect(records.map((record) => (composableOf(record) as JsonNode).text())).toEqual([
      '{"a": 1.0}',
      '{"a": 2}',
      '{"a":1e2}',
      '{"a":"\u2028"}',
      '{"a":3}',
    ]);
  });

  it('throws when a document holds a key twice', () => {
    expect(() => readJson('{"a":1,"a":2}')).toThrowError(expect.objectContaining({ code: 'json-duplicate-key' }));
  });
});
