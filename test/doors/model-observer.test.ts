import { describe, expect, it } from 'vitest';
import { ModelObserver } from '../../core/doors/model-observer.js';
import { modelTarget } from '../../core/doors/model-target.js';
import { Turnstile } from '../../core/doors/turnstile.js';

function observe(contentType: string, body: string, pieces = 1): ReturnType<ModelObserver['observed']> {
  const observer = new ModelObserver();
  observer.asked(Buffer.from('{"model":"asked","messages":[]}'));
  observer.head({ status: 200, contentType });
  const bytes = Buffer.from(body);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) observer.told(bytes.subarray(at, at + size));
  observer.ended();
  return observer.observed();
}

const STREAM = 'text/event-stream; charset=utf-8';

describe('ModelObserver', () => {
  it.each([1, 7, 1_000])(
    'returns model and tokens of the events of responses when they come in %i pieces',
    (pieces) => {
      const events = [
        'event: response.created\r\ndata: {"type":"response.created","response":{"model":"mödel","usage":null}}\r\n\r\n',
        ': a comment\r\n\r\n',
        'data: {"type":"response.output_text.delta",\ndata: "delta":"x"}\n\n',
        'data: {"type":"response.completed","response":{"model":"mödel","usage":{"input_tokens":3,"output_tokens":4}}}\n\n',
      ].join('');
      expect(observe(STREAM, events, pieces)).toEqual({
        modelId: 'mödel',
        requestedModelId: 'asked',
        inputTokens: 3,
        outputTokens: 4,
        failure: null,
      });
    },
  );

  it.each([
    ['an error instead of an answer', 'data: {"type":"message_start"}\n\ndata: {"type":"error","error":{}}\n\n', true],
    ['an error of the other kind', 'data: {"error":{"message":"no"}}\n\n', true],
    ['nothing', '', true],
    ['an error after a part of the answer', 'data: {"choices":[{}]}\n\ndata: {"error":{}}\n\n', false],
    ['an event that is no JSON', 'data: [DONE]\n\n', false],
  ])('says whether a stream failed that holds %s', (_what, body, failed) => {
    expect(observe(STREAM, body).failure !== null).toBe(failed);
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['a model that is no name', `{"model":${JSON.stringify('m'.repeat(300))}}`],
    ['half a surrogate pair', '{"model":"\\ud800"}'],
    ['members of other types', '{"model":["m"],"usage":{"prompt_tokens":"1","completion_tokens":-1}}'],
    ['tokens that are no whole numbers', '{"usage":{"prompt_tokens":1.5,"completion_tokens":1e400}}'],
  ])('returns what was asked when the answer holds %s', (_what, body) => {
    expect(observe('application/json', body)).toMatchObject({
      modelId: 'asked',
      inputTokens: null,
      outputTokens: null,
    });
  });

  it('leaves bodies unread that are too large', () => {
    const body = `{"model":"real","pad":"${'x'.repeat(17 * 1024 * 1024)}"}`;
    expect(observe('application/json', body, 100)).toMatchObject({ modelId: 'asked', failure: null });
    expect(observe(STREAM, `data: ${body}\n\ndata: {"model":"later"}\n\n`, 100)).toMatchObject({ modelId: 'later' });
  });
});

describe('modelTarget', () => {
  const upstreams = { openai: 'https://api.example.org/v1' };
  const target = (path: string, method = 'POST') =>
    modelTarget({ provider: 'openai', method, target: path }, upstreams);

  it('returns the address below the upstream when a single call is asked for', () => {
    expect(target('/chat/completions?a=b')).toEqual({
      kind: 'given',
      value: { url: 'https://api.example.org/v1/chat/completions?a=b', chat: true },
    });
    expect(target('/embeddings')).toMatchObject({ value: { chat: false } });
    expect(target('/models/org/name', 'GET')).toMatchObject({ kind: 'given' });
  });

  it.each([
    ['/chat/completions', 'GET'],
    ['/chat/../chat/completions', 'POST'],
    ['/models/..', 'GET'],
    ['/models/../files', 'GET'],
    ['//chat/completions', 'POST'],
    ['/responses/r1', 'GET'],
    ['/files', 'POST'],
    ['/realtime', 'GET'],
    ['/chat/completions#x', 'POST'],
  ])('refuses %s by %s', (path, method) => {
    expect(target(path, method)).toMatchObject({ kind: 'refused', code: 'not-passed' });
  });

  it('refuses a provider that the entry does not name', () => {
    expect(modelTarget({ provider: 'anthropic', method: 'POST', target: '/v1/messages' }, upstreams)).toMatchObject({
      code: 'not-here',
    });
  });
});

describe('Turnstile', () => {
  it('lets several in together and one alone, in the order in which they came', async () => {
    const turnstile = new Turnstile();
    const log: string[] = [];
    const enter = async (name: string, alone: boolean): Promise<() => void> => {
      const leave = await turnstile.enter(alone);
      log.push(name);
      return leave;
    };
    const [first, second] = [await enter('a', false), await enter('b', false)];
    const third = enter('c alone', true);
    const fourth = enter('d', false);
    first();
    await Promise.resolve();
    expect(log).toEqual(['a', 'b']);
    second();
    const leave = await third;
    expect(log).toEqual(['a', 'b', 'c alone']);
    leave();
    (await fourth)();
    expect(log).toEqual(['a', 'b', 'c alone', 'd']);
  });
});
