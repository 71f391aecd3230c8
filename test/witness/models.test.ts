import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeUpstream, likeModels } from './fake-upstream.js';
import { freePort, moduleOf, serving, stage } from './stage.js';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const AGENT = 'test.calls-models';
const CHAT = { path: '/chat/completions', body: { model: 'gpt-asked' } };

async function open(kind: 'module' | 'service', answer = likeModels, more = '') {
  const upstream = await fakeUpstream(answer);
  undo.push(() => upstream.close());
  const models = `{openai: "${upstream.url}/v1", anthropic: "${upstream.url}"${more}}`;
  const port = await freePort();
  const entry =
    kind === 'module'
      ? `module: ${moduleOf('calls-models.js')}`
      : `url: http://127.0.0.1:${port}\n    start: ${serving('calls-models.js', port)}`;
  const on = await stage(`agents:\n  - ${entry}\n    models: ${models}\n`);
  undo.push(() => on.session.close());
  return {
    ...on,
    upstream,
    plan: (steps: readonly object[]) => ({ schema_class: 'Plan', steps: JSON.stringify(steps) }),
  };
}

describe.each(['module', 'service'] as const)('models of a %s', (kind) => {
  it('returns spans of the calls with model and tokens, from bodies and from streams, and passes everything on', async () => {
    const { run, plan, seenIn, upstream, textOf } = await open(kind);
    const done = await run(
      AGENT,
      plan([
        CHAT,
        { ...CHAT, body: { ...CHAT.body, stream: true } },
        { provider: 'anthropic', path: '/v1/messages?beta=true', body: { model: 'claude-asked' } },
        { provider: 'anthropic', path: '/v1/messages', body: { model: 'claude-asked', stream: true } },
        { path: '/embeddings', body: { model: 'embed' }, declared: false },
      ]),
      'witnessed',
    );
    expect(done.grounding).toMatchObject({ passed: true, witness: { chats: { witnessed: 4, declared: 4 } } });
    expect(seenIn(done).map(({ name, attributes }) => [name, ...values(attributes)])).toEqual([
      ['chat', 'gpt-real', 'gpt-asked', 11, 5],
      ['chat', 'gpt-real', 'gpt-asked', 12, 6],
      ['chat', 'claude-real', 'claude-asked', 10, 9],
      ['chat', 'claude-real', 'claude-asked', 7, 15],
    ]);
    expect(upstream.asked.map(({ url }) => url)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/messages?beta=true',
      '/v1/messages',
      '/v1/embeddings',
    ]);
    expect(upstream.asked[0]?.headers).toMatchObject({ authorization: 'Bearer sk-secret', 'x-api-key': 'sk-secret' });
    expect(JSON.parse(textOf(done))[3]).toContain('message_stop');
  });

  it('breaks W2 when a call is declared that did not pass, or passed and is not declared', async () => {
    const { run, plan } = await open(kind);
    const [unseen, undeclared, free] = [
      await run(AGENT, plan([{ ...CHAT, only: 'declare' }]), 'witnessed'),
      await run(AGENT, plan([{ ...CHAT, declared: false }]), 'witnessed'),
      await run(AGENT, plan([{ ...CHAT, only: 'declare' }])),
    ];
    expect([unseen, undeclared, free].map(({ grounding }) => grounding.rules)).toEqual([['W2'], ['W2'], []]);
    expect(unseen.envelope.has('payload')).toBe(false);
  });

  it('breaks W2 when a call is declared under another name than the one that was asked and the one that answered', async () => {
    const { run, plan } = await open(kind);
    const asked = (as: string) => run(AGENT, plan([{ ...CHAT, as }]), 'witnessed');
    const runs = [await asked('gpt-asked'), await asked('gpt-real'), await asked('gpt-other'), await asked('GPT-real')];
    expect(runs.map(({ grounding }) => grounding.rules)).toEqual([[], [], ['W2'], ['W2']]);
    const [, , other] = runs;
    for (const name of ['gpt-other', 'gpt-asked', 'gpt-real'])
      expect(other?.grounding.violations[0]?.message).toContain(`"${name}"`);
  });

  it('keeps the token of its address out of the reason for a failure', async () => {
    const { run, plan, folder } = await open(kind);
    const failed = await run(AGENT, plan([{ ...CHAT, tell: true }]));
    const detail = failed.envelope.locate('/problem/detail')?.string();
    expect(detail).toContain('/(token)/openai/chat/completions');
    for (const file of filesBelow(folder)) expect(readFileSync(file, 'utf8')).not.toMatch(/[\w-]{43}\/openai/);
  });

  it('keeps no key of a call anywhere', async () => {
    const { run, plan, folder, upstream } = await open(kind);
    await run(AGENT, plan([CHAT]), 'witnessed');
    expect(upstream.asked[0]?.headers.authorization).toBe('Bearer sk-secret');
    const files = filesBelow(folder);
    expect(files.some((file) => file.endsWith('spans.jsonl'))).toBe(true);
    expect(files.filter((file) => readFileSync(file, 'utf8').includes('sk-secret'))).toEqual([]);
  });
});

describe('a service that works on several runs at once', () => {
  it('is called for one at a time when they have to be witnessed, so that each call has its run', async () => {
    const { run, plan, seenIn } = await open('service');
    const runs = await Promise.all(
      [1, 2, 3].map((n) => run(AGENT, plan([{ ...CHAT, body: { model: `asked-${n}` }, waitMs: 50 }]), 'witnessed')),
    );
    expect(runs.map(({ grounding }) => grounding.passed)).toEqual([true, true, true]);
    expect(runs.map((one) => seenIn(one).map(({ attributes }) => attributes['dd.requested_model_id']))).toEqual([
      ['asked-1'],
      ['asked-2'],
      ['asked-3'],
    ]);
  });

  it('is told apart by the traceparent that it sends, and refused a call without one', async () => {
    const met = meeting(2);
    const { run, plan, seenIn, textOf, upstream } = await open(
      'service',
      async (response, asked) => {
        await met();
        likeModels(response, asked);
      },
      ', traceparent: true',
    );
    const named = { ...CHAT, named: true };
    const runs = await Promise.all([
      run(AGENT, plan([{ ...named, body: { model: 'one' } }]), 'witnessed'),
      run(AGENT, plan([{ ...named, body: { model: 'two' } }]), 'witnessed'),
    ]);
    expect(runs.map((one) => seenIn(one).map(({ attributes }) => attributes['dd.requested_model_id']))).toEqual([
      ['one'],
      ['two'],
    ]);
    const asked = upstream.asked.length;
    const [held, nameless] = await Promise.all([
      run(AGENT, plan([{ ...named, waitMs: 600 }])),
      run(AGENT, plan([{ ...CHAT, waitMs: 200 }]), 'witnessed'),
    ]);
    expect(held.grounding.passed).toBe(true);
    // It declares a call that was refused, as one that was answered.
    expect(nameless.grounding.rules).toEqual(['W2']);
    expect(textOf(nameless)).not.toContain('gpt-real');
    expect(upstream.asked).toHaveLength(asked + 1);
  });
});

/** Lets the first comers go on together. */
function meeting(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((go) => {
      waiting.push(go);
      if (waiting.length >= most) for (const one of waiting) one();
    });
}

function values(attributes: Readonly<Record<string, unknown>>): readonly unknown[] {
  return ['dd.model_id', 'dd.requested_model_id', 'dd.input_tokens', 'dd.output_tokens'].map(
    (name) => attributes[name],
  );
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
