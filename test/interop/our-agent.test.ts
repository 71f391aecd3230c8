import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importAgent } from '../../core/io/import-agent.js';
import { type ServedAgentHandle, serveAgent } from '../../core/io/serve-agent.js';
import { canonical, Float, type PyValue, sha256 } from './reference/python.js';
import { callAgent, readSpecification } from './reference/workbench.js';

let served: ServedAgentHandle;
beforeAll(async () => {
  const module = join(import.meta.dirname, '..', 'agents', 'modules', 'served.js');
  served = await serveAgent(await importAgent(module), { port: 0 });
});
afterAll(() => served.close());

const items = (result: Record<string, PyValue> | undefined, key: string) =>
  (result?.[key] ?? []) as Record<string, PyValue>[];

describe('an agent of ours under the reference', () => {
  it('declares itself on a card whose schemas hash as the reference hashes them', async () => {
    const specification = await readSpecification(served.url);
    expect(specification).toMatchObject({ agent_id: 'test.served', contract_version: '0.7.0', payload: 'Answer' });
    const schemas = Object.values(specification['schemas'] as Record<string, { digest: string; json_schema: PyValue }>);
    expect(schemas).toHaveLength(2);
    for (const { digest, json_schema } of schemas) expect(sha256(canonical(json_schema))).toBe(digest);
  });

  it('answers a call whose numbers crossed a Struct, with evidence that hashes on the other side', async () => {
    const input = { schema_class: 'Act', act: 'read', amount: 3, text: 'Ω' };
    const called = await callAgent(served.url, { agentId: 'test.served', input });
    expect(called.error).toBeUndefined();
    expect(called.state).toBe('TASK_STATE_COMPLETED');
    const evidence = items(called.result, 'evidence');
    expect(evidence.map((item) => item['source_id'])).toEqual(['src:one', expect.stringMatching(/^input:/)]);
    for (const item of evidence) expect(sha256(canonical(item['content'] ?? null))).toBe(item['content_hash']);
    expect(called.result).toMatchObject({ model_id: 'model-1', input_tokens: 7, output_tokens: 2 });
  });

  it('answers a call with a fraction in its input', async () => {
    const input = { schema_class: 'Act', act: 'read', amount: new Float(0.1) };
    const called = await callAgent(served.url, { agentId: 'test.served', input });
    const [, evidence] = items(called.result, 'evidence');
    expect(evidence?.['content_hash']).toBe(sha256(canonical(input)));
  });

  it('returns spans as strings in the trace of the caller, with the members that the reference reads', async () => {
    const input = { schema_class: 'Act', act: 'read' };
    const called = await callAgent(served.url, { agentId: 'test.served', input });
    const spans = called.spans.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(spans.map((span) => span['name'])).toEqual(['retrieval', 'chat']);
    for (const span of spans) {
      expect(span['context']).toMatchObject({ trace_id: `0x${called.traceId}` });
      expect(span['start_time']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(span).toHaveProperty('end_time');
      expect(span).toHaveProperty('parent_id');
    }
    expect(spans[0]?.['attributes']).toMatchObject({ 'dd.source_id': 'src:one' });
  });
});
