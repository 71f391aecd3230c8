import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startReferenceAgent } from '../interop/reference/agent.js';
import { callAgent, messageBody, newInvocationId, post, send } from '../interop/reference/workbench.js';
import { folderWith, grounding, ROOT } from './grounding.js';
import { start } from './serving.js';
import { PRINCIPAL } from './workshop.js';

const module = (name: string): string => JSON.stringify(join(ROOT, 'examples/agents', `${name}.js`));
const TASK = { agent_id: 'example.hello', input: { schema_class: 'Message', message_text: 'Good morning' } };
const ASSIGNMENT = { schema_class: 'Assignment', tasks: [TASK] };

function workshop(): string {
  const folder = folderWith({
    'agents.yaml': `agents: [{module: ${module('orchestrator')}}, {module: ${module('hello')}}, {url: "http://127.0.0.1:9", name: far}]`,
    'sources.yaml': 'sources: []\n',
    'input.json': JSON.stringify(ASSIGNMENT),
  });
  for (const name of ['profiles', 'fixtures']) mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, 'profiles/default.yaml'),
    'profile_id: tests\nversion: 1\nagents: {orchestrator.stub: orchestrate, example.hello: converse}\n',
  );
  writeFileSync(
    join(folder, 'fixtures/one.json'),
    JSON.stringify({ agent_id: 'orchestrator.stub', input: ASSIGNMENT }),
  );
  return folder;
}

describe('grounding run', () => {
  it('opens the endpoint by itself when an agent delegates', async () => {
    const cwd = workshop();
    const ended = await grounding(['run', '--format', 'json'], { cwd, env: PRINCIPAL });
    expect(ended.stderr).toBe('');
    expect(ended.code).toBe(0);
    expect(readdirSync(join(cwd, 'runs')).filter((name) => name.length === 36)).toHaveLength(2);
  });
});

describe('grounding invoke', () => {
  it('issues no grant, so that a delegating agent fails', async () => {
    const cwd = workshop();
    const ended = await grounding(['invoke', '--agent', 'orchestrator.stub', '--input', 'input.json'], {
      cwd,
      env: PRINCIPAL,
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('has no grant');
  });
});

describe('grounding serve', () => {
  it('lists the agents, makes runs for its principal, and ends with 0 when it is interrupted', async () => {
    const cwd = workshop();
    const serve = await start(['serve'], { cwd, env: PRINCIPAL });
    const agents = JSON.parse((await send(`${serve.url}/agents`)).body) as {
      agents: { agent_id: string }[];
      unavailable: { label: string }[];
      incompatible: unknown[];
    };
    expect(agents.agents.map(({ agent_id }) => agent_id)).toEqual(['orchestrator.stub', 'example.hello']);
    expect(agents).toMatchObject({ unavailable: [{ label: 'far' }], incompatible: [] });
    const request = {
      invocation_id: '01a0c455-0000-7000-8000-000000000001',
      agent_id: 'orchestrator.stub',
      issued_at: '2026-09-30T10:00:00Z',
      input: ASSIGNMENT,
    };
    const { body } = await post(serve.url, messageBody(request, {}));
    expect(body).toContain('envelope-json');
    expect(body).toContain('delegations');
    expect(await serve.stop()).toEqual({ code: 0, stderr: '' });
  });

  it.each([
    'garbage',
    'ftp://harness.example.org',
    'http://a:b@harness.example.org',
    'http://h.example.org/?q',
    'http://h/a b',
  ])('ends with 2 when DD_HARNESS_URL is %j, which no agent could come back to', async (DD_HARNESS_URL) => {
    const ended = await grounding(['serve', '--port', '0'], { cwd: workshop(), env: { ...PRINCIPAL, DD_HARNESS_URL } });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('[usage]') });
    expect(ended.stderr).not.toContain('a:b');
  });

  it('is come back to where it listens on every address', async () => {
    const orchestrator = await start(['serve-agent', join(ROOT, 'examples/agents/orchestrator.js')], { cwd: ROOT });
    const cwd = workshop();
    writeFileSync(
      join(cwd, 'agents.yaml'),
      `agents: [{module: ${module('hello')}}, {url: ${JSON.stringify(orchestrator.url)}, name: orchestrator}]`,
    );
    const serve = await start(['serve', '--host', '0.0.0.0'], { cwd, env: PRINCIPAL });
    expect(new URL(serve.url).hostname).toBe('127.0.0.1');
    const request = {
      invocation_id: newInvocationId(),
      agent_id: 'orchestrator.stub',
      issued_at: '2026-09-30T10:00:00Z',
      input: ASSIGNMENT,
    };
    const { body } = await post(serve.url, messageBody(request, {}));
    expect(body).toContain('Relayed 1 of 1.');
    await Promise.all([serve.stop('SIGINT'), orchestrator.stop('SIGINT')]);
  });

  it('names on its card the host that it was asked at, where it listens on every address', async () => {
    const served = await start(['serve-agent', join(ROOT, 'examples/agents/hello.js'), '--host', '0.0.0.0'], {
      cwd: ROOT,
    });
    const card = async (host: string) => {
      const { body } = await send(`${served.url}/.well-known/agent-card.json`, { headers: { host } });
      return (JSON.parse(body) as { supportedInterfaces: [{ url: string }] }).supportedInterfaces[0].url;
    };
    expect(await card('agents.internal:9001')).toBe('http://agents.internal:9001/a2a');
    for (const odd of ['a b', 'evil@agents', 'agents/x', 'agents:99999', '[::zz]', 'a,b'])
      expect(await card(odd)).toBe(`${served.url}/a2a`);
    await served.stop('SIGINT');
  });

  it('names the address of DD_HARNESS_URL on its card', async () => {
    const cwd = workshop();
    const env = { ...PRINCIPAL, DD_HARNESS_URL: 'https://harness.example.org/' };
    const serve = await start(['serve', '--host', '127.0.0.1'], { cwd, env });
    const { body } = await send(`${serve.url}/.well-known/agent-card.json`);
    expect(JSON.parse(body)).toMatchObject({ supportedInterfaces: [{ url: 'https://harness.example.org/a2a' }] });
    await serve.stop('SIGINT');
  });

  it.each([
    ['nobody is named', [], {}, 'principal-missing'],
    ['the port is none', ['--port', '70000'], PRINCIPAL, 'usage'],
    ['the address is not of this machine', ['--host', '192.0.2.1'], PRINCIPAL, 'address-unavailable'],
  ])('ends with 2 when %s', async (_, args, env, code) => {
    const ended = await grounding(['serve', ...args], { cwd: workshop(), env });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`[${code}]`) });
  });
});

describe('grounding serve-agent', () => {
  it('serves an agent until it is interrupted', async () => {
    const served = await start(['serve-agent', join(ROOT, 'examples/agents/hello.js')], { cwd: ROOT });
    expect((await send(`${served.url}/.well-known/agent-card.json`)).body).toContain('example.hello');
    expect(await served.stop('SIGINT')).toEqual({ code: 0, stderr: '' });
  });

  it.each([
    ['an exception of a timer', 'throw', 'a timer threw'],
    ['a promise that nobody awaits', 'reject', 'nobody awaits'],
    ['one that is rejected once its run has failed', 'late', 'the first'],
  ])('fails the call alone and goes on after %s', async (_, act, error) => {
    const served = await start(['serve-agent', join(ROOT, 'test/agents/modules/stray.js')], { cwd: ROOT });
    const ask = (text: string) =>
      callAgent(served.url, { agentId: 'test.stray', input: { schema_class: 'Message', message_text: text } });
    const [beside, failed] = await Promise.all([ask('wait'), ask(act)]);
    expect(failed).toMatchObject({ state: 'TASK_STATE_FAILED', error: expect.stringContaining(error) });
    expect(failed.raw).not.toContain('stray.js');
    expect(beside).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(await ask('answer')).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(await served.stop('SIGINT')).toEqual({ code: 0, stderr: expect.stringMatching(/^note: [^\n]*\n$/) });
  });

  it('ends when it is interrupted, whatever its agent still waits for', async () => {
    const served = await start(['serve-agent', join(ROOT, 'test/agents/modules/stray.js')], { cwd: ROOT });
    const input = { schema_class: 'Message', message_text: 'hang' };
    const hanging = callAgent(served.url, { agentId: 'test.stray', input }).catch(() => 'cut off');
    // Answered after the other one was begun.
    await callAgent(served.url, { agentId: 'test.stray', input: { ...input, message_text: 'answer' } });
    expect(await served.stop('SIGINT')).toEqual({ code: 0, stderr: '' });
    expect(await hanging).toBe('cut off');
  });

  it('ends with 2 when the module gives no agent', async () => {
    const ended = await grounding(['serve-agent', 'nowhere.js']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('[agent-module]') });
  });
});

describe('grounding agents', () => {
  it('lists those that cannot be reached below the table', async () => {
    const ended = await grounding(['agents'], { cwd: workshop() });
    expect(ended.stdout).toMatch(/^unavailable: far: /m);
  });

  it('lists those of another contract with both versions, in the table and in JSON', async () => {
    const other = await startReferenceAgent('ref.lookup', {
      cardText: (usual) => usual.replace('"contract_version": "0.7.2"', '"contract_version": "1.0.0"'),
    });
    try {
      const folder = workshop();
      writeFileSync(
        join(folder, 'agents.yaml'),
        `agents: [{module: ${module('hello')}}, {url: "${other.url}", name: newer}]`,
      );
      const table = await grounding(['agents'], { cwd: folder });
      expect(table.stdout).toMatch(/^incompatible: newer: .*1\.0\.0.*0\.7\.0$/m);
      const json = await grounding(['agents', '--format', 'json'], { cwd: folder });
      expect(JSON.parse(json.stdout)).toMatchObject({
        incompatible: [{ label: 'newer', contract_version: '1.0.0', expected_contract_version: '0.7.0' }],
      });
    } finally {
      await other.close();
    }
  });
});
