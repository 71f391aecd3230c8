import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { importAgent } from '../../core/io/import-agent.js';
import { serveAgent } from '../../core/io/serve-agent.js';
import { startHarness } from '../../core/runner/harness.js';
import { startReferenceHarness } from './reference/harness.js';
import type { PyValue } from './reference/python.js';
import { callAgent } from './reference/workbench.js';
import { PRINCIPAL, requestFor, sessionWith } from './session.js';

const ORCHESTRATOR = join(import.meta.dirname, '../../examples/agents/orchestrator.js');
const HELLO = join(import.meta.dirname, '../../examples/agents/hello.js');
const TASK = { agent_id: 'example.hello', input: { schema_class: 'Message', message_text: 'Goede dag' } };
const ASSIGNMENT = { schema_class: 'Assignment', tasks: [TASK, TASK] };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(module: string): Promise<string> {
  const served = await serveAgent(await importAgent(module), { port: 0 });
  open.push(served);
  return served.url;
}

describe('a delegating agent of ours', () => {
  it('asks the harness of the reference for two runs, and cites them by the hash of what is stored there', async () => {
    const harness = await startReferenceHarness();
    open.push(harness);
    const called = await callAgent(await serve(ORCHESTRATOR), {
      agentId: 'orchestrator.stub',
      input: ASSIGNMENT,
      metadata: { 'dd.delegate_url': harness.url, 'dd.delegation_token': harness.token },
    });
    expect(called.error).toBeUndefined();
    const evidence = called.result?.['evidence'] as Record<string, PyValue>[];
    const children = evidence.slice(0, 2).map((item) => [String(item['source_id']), item['content_hash']]);
    expect(children).toEqual([...harness.recorded].map(([id, hash]) => [`invocation:${id}`, hash]));
    expect(evidence[2]?.['source_id']).toMatch(/^input:/);
    expect(called.raw).not.toContain(harness.token);
  });

  it('sends the token and the trace of the span that waits, and nothing that only the conductor sets', async () => {
    const harness = await startReferenceHarness();
    open.push(harness);
    const called = await callAgent(await serve(ORCHESTRATOR), {
      agentId: 'orchestrator.stub',
      input: ASSIGNMENT,
      metadata: { 'dd.delegate_url': `${harness.url}/a2a`, 'dd.delegation_token': harness.token },
    });
    const spans = called.spans.map((text) => JSON.parse(text) as { name: string; context: { span_id: string } });
    const waiting = spans.filter(({ name }) => name === 'delegate').map(({ context }) => context.span_id.slice(2));
    expect(harness.seen.map(({ metadata }) => metadata['traceparent']?.split('-').slice(1, 3))).toEqual(
      waiting.map((span) => [called.traceId, span]),
    );
    for (const { request } of harness.seen)
      expect(Object.keys(request)).toEqual(['invocation_id', 'agent_id', 'issued_at', 'input']);
  });

  it('fails with what the harness says when it is refused', async () => {
    const harness = await startReferenceHarness();
    open.push(harness);
    const called = await callAgent(await serve(ORCHESTRATOR), {
      agentId: 'orchestrator.stub',
      input: ASSIGNMENT,
      metadata: { 'dd.delegate_url': harness.url, 'dd.delegation_token': 'another' },
    });
    expect(called).toMatchObject({ state: 'TASK_STATE_FAILED', error: expect.stringContaining('unknown token') });
  });

  it('succeeds as a service under our conductor, its child a service too', async () => {
    const bench = await sessionWith({
      agents: `agents: [{url: "${await serve(ORCHESTRATOR)}"}, {url: "${await serve(HELLO)}"}]`,
      permitted: { 'orchestrator.stub': 'orchestrate', 'example.hello': 'converse' },
    });
    open.push(bench, await startHarness(bench.session, { host: '127.0.0.1', port: 0 }));
    const request = requestFor('orchestrator.stub', ASSIGNMENT);
    const run = await bench.session.conductor.invoke({ request, principal: PRINCIPAL });
    expect(run.envelope.get('outcome')?.get('status')?.string()).toBe('succeeded');
    expect(run.envelope.get('delegations')?.size).toBe(2);
    expect(run.grounding.passed).toBe(true);
  });
});
