import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importAgent } from '../../../core/io/import-agent.js';
import { type ServedAgentHandle, serveAgent } from '../../../core/io/serve-agent.js';
import { Float, type PyValue } from '../../interop/reference/python.js';
import { callAgent, messageBody, newInvocationId, post, readTask, send } from '../../interop/reference/workbench.js';

const TOKEN = 'c2VjcmV0LXRva2VuLW9mLWEtZ3JhbnQtdGhhdC1tdXN0LW5vdC1sZWFr';
let served: ServedAgentHandle;
beforeAll(async () => {
  served = await serveAgent(await importAgent(join(import.meta.dirname, '..', 'modules', 'served.js')), { port: 0 });
});
afterAll(() => served.close());

const act = (input: Record<string, PyValue>, more: { agentId?: string; metadata?: Record<string, string> } = {}) =>
  callAgent(served.url, { agentId: 'test.served', input: { schema_class: 'Act', ...input }, ...more });

describe('a served agent', () => {
  it('does not require the extension, which the reference never names', async () => {
    const { body } = await send(`${served.url}/.well-known/agent-card.json`);
    const card = JSON.parse(body) as { capabilities: { extensions: { required?: boolean }[] } };
    expect(card.capabilities.extensions.map(({ required }) => required ?? false)).toEqual([false]);
  });

  it('answers a request of several megabytes', async () => {
    const called = await act({ act: 'read', text: 'x'.repeat(3_000_000) });
    expect(called).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('refuses a request of more than 16 MB in JSON', async () => {
    const { status, body } = await post(served.url, Buffer.alloc(16 * 1024 * 1024 + 1, 0x20));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32600 } });
  });

  it('fails with one line and no stack when the agent throws', async () => {
    const called = await act({ act: 'throw' });
    expect(called).toMatchObject({ state: 'TASK_STATE_FAILED', error: 'Error: it broke' });
    expect(called.raw).not.toContain('/secret/path.js');
    expect(called.raw).not.toContain('node:');
  });

  it.each([
    ['a float without a fraction', '{"price": 1.0}'],
    ['an exponent without a fraction', '{"price": 1e2}'],
    ['an integer past 2^53', '{"big": 12345678901234567890}'],
    ['one deep inside', '{"a": [{"b": [-0.0]}]}'],
  ])('fails when evidence holds %s', async (_, text) => {
    const called = await act({ act: 'record', text });
    expect(called.state).toBe('TASK_STATE_FAILED');
    expect(called.error).toContain('does not survive the wire');
  });

  it.each([
    ['numbers that survive', '{"price": 1.5, "big": 9007199254740991, "tiny": 5e-324}'],
    ['such numbers inside strings', '{"price": "1.0", "note": "\\" 1.0 "}'],
  ])('answers when evidence holds %s', async (_, text) => {
    expect(await act({ act: 'record', text })).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it.each<[string, Parameters<typeof act>, RegExp]>([
    ['the request is for another agent', [{ act: 'read' }, { agentId: 'test.other' }], /test\.other/],
    [
      'the input is not what the hash names',
      [{ act: 'read' }, { metadata: { 'dd.input_hash': 'f'.repeat(64) } }],
      /dd\.input_hash/,
    ],
    ['there is no traceparent', [{ act: 'read' }, { metadata: { traceparent: 'nothing' } }], /traceparent/],
    ['the class is another', [{ act: 'read', schema_class: 'Question' }], /Question/],
    ['the input does not fit its class', [{ act: 7 }], /act/],
    ['a float was hashed as one', [{ act: 'read', amount: new Float(1) }], /wire/],
    [
      'the harness is a stranger',
      [{ act: 'read' }, { metadata: { 'dd.delegate_url': 'http://192.0.2.1/', 'dd.delegation_token': TOKEN } }],
      /dd\.delegate_url/,
    ],
  ])('fails when %s', async (_, given, reason) => {
    const called = await act(...given);
    expect(called.state).toBe('TASK_STATE_FAILED');
    expect(called.error).toMatch(reason);
  });

  it('echoes neither the token nor any metadata, wherever a caller puts it', async () => {
    const metadata = { 'dd.delegate_url': 'http://127.0.0.1:9/', 'dd.delegation_token': TOKEN };
    const called = await act({ act: 'read' }, { metadata });
    expect(called.state).toBe('TASK_STATE_COMPLETED');
    expect(called.raw).not.toContain(TOKEN);
    const body = messageBody({ agent_id: 'x' }, metadata)
      .replace('"params": {', `"params": {"metadata": {"t": "${TOKEN}"}, `)
      .replace('"parts": [{', `"parts": [{"metadata": {"t": "${TOKEN}"}, `);
    const { body: failed } = await post(served.url, body);
    expect(readTask(failed).state).toBe('TASK_STATE_FAILED');
    expect(failed).not.toContain(TOKEN);
  });

  it('prints nothing of what a caller sends, wherever it stands', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    );
    const ids = `"referenceTaskIds": ["${TOKEN}"], "reference_task_ids": ["::error::x"], "extensions": ["${TOKEN}"], "parts": [{`;
    const body = messageBody({ agent_id: 'x' }, {})
      .replace('"parts": [{', ids)
      .replace('"configuration": {', `"configuration": {"taskPushNotificationConfig": {"url": "${TOKEN}"}`);
    const answer = await post(served.url, body);
    expect(readTask(answer.body).state).toBe('TASK_STATE_FAILED');
    expect(answer.body).not.toContain(TOKEN);
    const calls = spies.flatMap((spy) => spy.mock.calls);
    for (const spy of spies) spy.mockRestore();
    expect(calls).toEqual([]);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['no version is named', '{}', { 'A2A-Version': '' }, -32009],
    ['another version is named', '{}', { 'A2A-Version': '0.3' }, -32009],
    ['the body is no JSON', '{', {}, -32700],
    ['a key is there twice', '{"method": "SendMessage", "method": "GetTask"}', {}, -32700],
    ['the body is a batch', '[]', {}, -32700],
    ['the body is empty', '', {}, -32700],
    ['the method streams', '{"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {}}', {}, -32601],
  ])('answers with a JSON-RPC error when %s', async (_, body, headers, code) => {
    const answer = await post(served.url, body, headers);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('answers with JSON where there is nothing', async () => {
    const { status, body } = await send(`${served.url}/nowhere`);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
  });

  it('refuses what a web page sends', async () => {
    const answer = await post(served.url, messageBody({ agent_id: 'test.served' }, {}), {
      Origin: 'http://evil.example',
    });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32600 } });
  });

  it('answers with JSON and says nothing of its insides, whatever is sent', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const near = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.object()),
        method: fc.constantFrom('SendMessage', 'GetTask', 'ListTasks', 'CancelTask'),
        params: fc.oneof(
          fc.jsonValue(),
          fc.record({
            message: fc.jsonValue(),
            configuration: fc.jsonValue(),
            id: fc.jsonValue(),
            tenant: fc.jsonValue(),
          }),
          fc.record({
            message: fc.record(
              {
                messageId: fc.string(),
                parts: fc.jsonValue(),
                metadata: fc.jsonValue(),
                taskId: fc.jsonValue(),
                role: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          }),
        ),
      },
      { requiredKeys: ['method'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(near, fc.jsonValue()), async (body) => {
        const answer = await post(served.url, JSON.stringify(body));
        expect(() => JSON.parse(answer.body)).not.toThrow();
        expect(answer.body).not.toMatch(/node_modules|\\n\s+at |core\/io/);
      }),
      { numRuns: 150 },
    );
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
  });

  it('keeps no task to ask for later', async () => {
    const body = `{"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "${newInvocationId()}"}}`;
    expect(JSON.parse((await post(served.url, body)).body)).toMatchObject({ error: { code: -32001 } });
  });

  it('rejects when the port is taken', async () => {
    const agent = await importAgent(join(import.meta.dirname, '..', 'modules', 'served.js'));
    const port = Number(new URL(served.url).port);
    await expect(serveAgent(agent, { port })).rejects.toMatchObject({ code: 'address-unavailable' });
  });
});
