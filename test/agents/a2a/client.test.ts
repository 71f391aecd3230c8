import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAgentsConfig } from '../../../core/agents/parse-agents-config.js';
import { openAgents } from '../../../core/agents/registry.js';
import { startAgentProcess } from '../../../core/io/agent-process.js';
import { httpClient } from '../../../core/io/http-client.js';
import { serviceStarter } from '../../../core/io/service-process.js';
import { type Behaviour, completed, type ReferenceAgent, startReferenceAgent } from '../../interop/reference/agent.js';
import type { PyValue } from '../../interop/reference/python.js';
import { callOf } from '../call.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(behaviour: Behaviour = {}, agentId = 'ref.lookup'): Promise<ReferenceAgent> {
  const agent = await startReferenceAgent(agentId, behaviour);
  open.push(agent);
  return agent;
}

async function register(text: string) {
  const registry = await openAgents(
    parseAgentsConfig(Buffer.from(text), { file: join(import.meta.dirname, 'agents.yaml') }),
    {
      start: startAgentProcess,
      http: httpClient,
      services: serviceStarter({ logs: join(tmpdir(), 'never-written') }),
      environment: new Map([['PATH', process.env['PATH'] ?? '']]),
    },
  );
  open.push(registry);
  return registry;
}

const invoke = async (behaviour: Behaviour, timeoutS = 2) => {
  const service = await start(behaviour);
  const registry = await register(`agents: [{url: "${service.url}", timeout_s: ${timeoutS}}]`);
  expect(registry.unavailable).toEqual([]);
  const agent = registry.agents.get('ref.lookup');
  if (agent === undefined) throw new Error('the agent is not registered');
  return { service, reply: agent.invoke(callOf({ schema_class: 'Lookup', term: 'm' })) };
};

const idOf = (body: string): number => (JSON.parse(body) as { id: number }).id;
const task = (status: object, more: object = {}) => ({ task: { id: 't', contextId: 'c', status, ...more } });
const artifact = (name: string, parts: readonly object[]) => ({ artifactId: name, name, parts });
const answerWith =
  (result: object): NonNullable<Behaviour['onCall']> =>
  (call, response) =>
    void response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: idOf(call.body), result }));
const done = { state: 'TASK_STATE_COMPLETED' };
const good = { result: { outcome: { status: 'abstained', statement: 's' } }, spans: [] };

describe('an agent that is a service', () => {
  it('rebuilds the specification from the extension, digests checked over restored integers', async () => {
    const { url } = await start();
    const registry = await register(`agents: [{url: "${url}/"}]`);
    const specification = registry.agents.get('ref.lookup')?.specification;
    expect(specification).toMatchObject({ version: '0.3.1', groundingMode: 'retrieval', payload: 'Finding' });
    expect(specification?.derivations.get('count')).toEqual({ how: 'registry', recordedIn: 'text' });
    expect(specification?.schemas.get('Lookup')?.schema.locate('/properties/term/minLength')?.lexeme()).toBe('1');
  });

  it('sends version and extension headers, the request in one data part with its numbers as written, and the facts', async () => {
    const service = await start();
    const registry = await register(`agents: [{url: "${service.url}"}]`);
    const call = callOf({ schema_class: 'Lookup', term: 'm' });
    await registry.agents.get('ref.lookup')?.invoke(call);
    const [seen] = service.calls;
    expect(seen?.headers).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'https://w3id.org/data-director/a2a/agent-spec/v0',
    });
    expect(seen?.metadata).toEqual({
      'dd.input_ref': call.inputRef,
      'dd.input_hash': call.inputHash,
      traceparent: call.traceparent,
    });
    expect(seen?.body).toContain('"role":"ROLE_USER"');
    expect(seen?.request).toEqual(JSON.parse(call.request.text()));
  });

  it('restores what crossed as doubles in evidence and token counts, and nothing else', async () => {
    const { reply } = await invoke({});
    const { result, spans } = await reply;
    expect(result.locate('/evidence/0/content/year')?.lexeme()).toBe('2021');
    expect(result.locate('/evidence/0/content/counts/2')?.lexeme()).toBe('-7');
    expect(result.locate('/evidence/0/content/score')?.lexeme()).toBe('1.5');
    expect(result.get('input_tokens')?.integer()).toBe(12);
    expect(result.locate('/payload/count')?.lexeme()).toBe('1.0');
    expect(spans).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['a text', 'yes'],
    ['an object without an outcome', {}],
  ])('returns the spans beside a result that is %s, which is for the conductor to refuse', async (_, result) => {
    const data = { result, spans: ['{"name": "chat"}'] };
    const { reply } = await invoke({
      onCall: answerWith(task(done, { artifacts: [artifact('agent-result', [{ data }])] })),
    });
    const answered = await reply;
    expect(answered.spans).toEqual(['{"name": "chat"}']);
    expect(JSON.parse(answered.result.text())).toEqual(result);
  });

  it.each<[string, NonNullable<Behaviour['onCall']>, string, RegExp]>([
    [
      'there is no result',
      answerWith(task(done, { artifacts: [artifact('agent-result', [{ data: { spans: [] } }])] })),
      'agent-reply',
      /no result/,
    ],
    [
      'a message comes in place of a task',
      answerWith({ message: { messageId: 'm', role: 'ROLE_AGENT' } }),
      'agent-reply',
      /message/,
    ],
    [
      'there are two artifacts',
      answerWith(
        task(done, { artifacts: [artifact('agent-result', [{ data: good }]), artifact('more', [{ data: good }])] }),
      ),
      'agent-reply',
      /2 artifacts/,
    ],
    ['there is no artifact', answerWith(task(done)), 'agent-reply', /0 artifacts/],
    [
      'the artifact has another name',
      answerWith(task(done, { artifacts: [artifact('result', [{ data: good }])] })),
      'agent-reply',
      /"result"/,
    ],
    [
      'the artifact has two parts',
      answerWith(task(done, { artifacts: [artifact('agent-result', [{ data: good }, { data: good }])] })),
      'agent-reply',
      /one data part/,
    ],
    [
      'the part holds a text as well',
      answerWith(task(done, { artifacts: [artifact('agent-result', [{ data: good, text: 'another answer' }])] })),
      'agent-reply',
      /one data part/,
    ],
    [
      'the part is text',
      answerWith(task(done, { artifacts: [artifact('agent-result', [{ text: JSON.stringify(good) }])] })),
      'agent-reply',
      /one data part/,
    ],
    [
      'a span is no string',
      answerWith(task(done, { artifacts: [artifact('agent-result', [{ data: { ...good, spans: [{}] } }])] })),
      'agent-reply',
      /span/,
    ],
    [
      'the artifact has a name of a megabyte',
      answerWith(task(done, { artifacts: [artifact('x'.repeat(1_000_000), [{ data: good }])] })),
      'agent-reply',
      /^.{0,400}$/,
    ],
    [
      'the state of the task has a megabyte',
      answerWith(task({ state: 'x'.repeat(1_000_000) })),
      'agent-reply',
      /^.{0,400}$/,
    ],
    [
      'the text of a failure is cut within a character',
      answerWith(
        task({
          state: 'TASK_STATE_FAILED',
          message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: { error: `${'a'.repeat(1_999)}😀` } }] },
        }),
      ),
      'agent-threw',
      /a\ufffd$/,
    ],
    [
      'it switches to another protocol',
      (_, response) =>
        void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'agent-unreachable',
      /protocol/,
    ],
    ['the task is still working', answerWith(task({ state: 'TASK_STATE_WORKING' })), 'agent-reply', /WORKING/],
    [
      'the task failed',
      answerWith(
        task({
          state: 'TASK_STATE_FAILED',
          message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: { error: 'no luck\n at line 1' } }] },
        }),
      ),
      'agent-threw',
      /no luck\\u000a at line 1/,
    ],
    [
      'a redirect comes',
      (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/a2a' }).end(),
      'agent-redirect',
      /307/,
    ],
    [
      'it answers 500 with a page',
      (_, response) => void response.writeHead(500).end('<html>stack</html>'),
      'agent-reply',
      /500/,
    ],
    [
      'it answers with a JSON-RPC error',
      (call, response) =>
        void response
          .writeHead(200)
          .end(JSON.stringify({ jsonrpc: '2.0', id: idOf(call.body), error: { code: -32603, message: 'broken' } })),
      'agent-reply',
      /broken/,
    ],
    [
      'a key is there twice',
      (call, response) =>
        void response
          .writeHead(200)
          .end(
            completed(idOf(call.body), { result: { outcome: {} }, spans: [] }).replace(
              '"parts":',
              '"parts": [], "parts":',
            ),
          ),
      'agent-reply',
      /twice|duplicate/i,
    ],
    [
      'the reply is longer than 16 MB',
      (_, response) => void response.writeHead(200).end(Buffer.alloc(16 * 1024 * 1024 + 1, 0x20)),
      'agent-reply-too-large',
      /longer/,
    ],
    [
      'the reply breaks off',
      (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
      'agent-unreachable',
      /broke off/,
    ],
    ['nothing comes within timeout_s', () => {}, 'agent-timeout', /2 s/],
  ])('rejects when %s', async (_, onCall, code, message) => {
    const { reply } = await invoke({ onCall });
    await expect(reply).rejects.toMatchObject({ code, blame: 'agent', message: expect.stringMatching(message) });
  });

  it('rejects before it sends anything when the card changed since registration', async () => {
    const { service, reply } = await invoke({
      card: (usual, asked) => (asked === 0 ? usual : { ...usual, version: '0.3.2' }),
    });
    await expect(reply).rejects.toMatchObject({ code: 'agent-changed' });
    expect(service.calls).toEqual([]);
  });

  it('rejects when the service is gone', async () => {
    const service = await start();
    const registry = await register(`agents: [{url: "${service.url}"}]`);
    await service.close();
    await expect(
      registry.agents.get('ref.lookup')?.invoke(callOf({ schema_class: 'Lookup', term: 'm' })),
    ).rejects.toMatchObject({ code: 'agent-unreachable' });
  });

  it('sends the call to the host of agents.yaml when its card names another', async () => {
    const service = await start({
      card: (usual) => ({
        ...usual,
        supportedInterfaces: [{ url: 'http://127.0.0.1:9/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      }),
    });
    const registry = await register(`agents: [{url: "${service.url}"}]`);
    await registry.agents.get('ref.lookup')?.invoke(callOf({ schema_class: 'Lookup', term: 'm' }));
    expect(service.calls).toHaveLength(1);
  });
});

const params = (card: Record<string, PyValue>) =>
  (card['capabilities'] as { extensions: { params: Record<string, PyValue> }[] }).extensions[0]?.params ?? {};
const withParams = (change: (params: Record<string, PyValue>) => Record<string, PyValue>): Behaviour => ({
  card: (usual) => ({
    ...usual,
    capabilities: {
      extensions: [
        { uri: 'https://w3id.org/data-director/a2a/agent-spec/v0', required: true, params: change(params(usual)) },
      ],
    },
  }),
});

describe('the path of a card', () => {
  it.each([
    ['a path of two slashes', (there: string) => `http://127.0.0.1:9//${there}/a2a`],
    ['an address with backslashes', (there: string) => `other:\\\\${there}/a2a`],
    ['an address that is one slash of each kind', (there: string) => `other:/\\${there}/a2a`],
  ])('sends no call to another host when it is %s', async (_, urlOf) => {
    const elsewhere = await start();
    const service = await start({
      card: (usual) => ({
        ...usual,
        supportedInterfaces: [
          { url: urlOf(new URL(elsewhere.url).host), protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      }),
    });
    const registry = await register(`agents: [{url: "${service.url}"}]`);
    await registry.agents
      .get('ref.lookup')
      ?.invoke(callOf({ schema_class: 'Lookup', term: 'm' }))
      .catch(() => {});
    expect(elsewhere.calls).toEqual([]);
  });
});

describe('registration of a service', () => {
  it.each<[string, Behaviour, RegExp]>([
    [
      'the card redirects',
      {
        onCard: (response) => {
          response.writeHead(302, { location: '/card' }).end();
          return true;
        },
      },
      /redirect/,
    ],
    [
      'there is no card',
      {
        onCard: (response) => {
          response.writeHead(404).end();
          return true;
        },
      },
      /404/,
    ],
    [
      'the card has a key twice',
      { cardText: (usual) => usual.replace('"version":', '"version": "0", "version":') },
      /strict JSON/,
    ],
    ['the extension is missing', { card: (usual) => ({ ...usual, capabilities: {} }) }, /extension/],
    [
      'a schema is not what its digest names',
      withParams((one) => ({
        ...one,
        schemas: JSON.parse(JSON.stringify(one['schemas']).replace('200', '201')) as PyValue,
      })),
      /digest/,
    ],
    ['there is no grounding mode', withParams(({ grounding_mode: _, ...one }) => one), /grounding_mode/],
    [
      'no interface speaks 1.0',
      {
        card: (usual) => ({
          ...usual,
          supportedInterfaces: [{ url: '/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
        }),
      },
      /1\.0/,
    ],
  ])('lists it as unavailable with the reason when %s', async (_, behaviour, reason) => {
    const { url } = await start(behaviour);
    const registry = await register(`agents: [{url: "${url}", name: far, timeout_s: 2}]`);
    expect([...registry.agents]).toEqual([]);
    expect(registry.unavailable).toEqual([{ label: 'far', address: url, reason: expect.stringMatching(reason) }]);
  });

  it('lists it as incompatible with both versions when the contract of its card is another', async () => {
    const { url } = await start(withParams((one) => ({ ...one, contract_version: '0.8.0', unheard_of: 1 })));
    const registry = await register(`agents: [{url: "${url}", name: far}]`);
    expect(registry.unavailable).toEqual([]);
    expect(registry.incompatible).toEqual([{ label: 'far', theirs: '0.8.0', ours: '0.7.0' }]);
  });

  it('rejects when two cards have one id', async () => {
    const [one, two] = [await start(), await start()];
    await expect(register(`agents:\n  - {url: "${one.url}"}\n  - {url: "${two.url}"}`)).rejects.toMatchObject({
      code: 'agent-duplicate',
      place: { line: 3 },
    });
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://user:pw@127.0.0.1/', 'nowhere', 'http://127.0.0.1/?x=1'])(
    'rejects the address %s',
    async (url) => {
      await expect(register(`agents: [{url: "${url}"}]`)).rejects.toMatchObject({ code: 'agent-address' });
    },
  );
});
