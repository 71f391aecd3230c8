import { afterEach, describe, expect, it } from 'vitest';
import type { Composable } from '../../core/json/index.js';
import { type Behaviour, RECORD, startReferenceAgent, traceOf } from './reference/agent.js';
import { canonical, dumps, sha256 } from './reference/python.js';
import { PRINCIPAL, requestFor, sessionWith } from './session.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function invoke(
  behaviour: Behaviour,
  input: Readonly<Record<string, Composable>> = { schema_class: 'Lookup', term: 'm' },
) {
  const agent = await startReferenceAgent('ref.lookup', behaviour);
  open.push(agent);
  const bench = await sessionWith({
    agents: `agents: [{url: "${agent.url}", timeout_s: 5}]`,
    permitted: { 'ref.lookup': 'lookup' },
  });
  open.push(bench);
  const run = await bench.session.conductor.invoke({ request: requestFor('ref.lookup', input), principal: PRINCIPAL });
  return { agent, run };
}

describe('an agent of the reference under our conductor', () => {
  it('succeeds, grounded, although its integers came back as doubles', async () => {
    const { run } = await invoke({}, { schema_class: 'Lookup', term: 'Ω', limit: 3, weight: 0.75 });
    expect(run.grounding).toMatchObject({ passed: true, retrievals: 1, chats: 1 });
    expect(run.envelope.get('outcome')?.get('status')?.string()).toBe('succeeded');
    expect(run.envelope.locate('/evidence/0/content_hash')?.string()).toBe(sha256(canonical(RECORD)));
    expect(run.envelope.locate('/telemetry/input_tokens')?.lexeme()).toBe('12');
    expect(run.envelope.locate('/telemetry/model_id')?.string()).toBe('model-py');
  });

  it('is told the hash that the reference would compute', async () => {
    const input = { schema_class: 'Lookup', term: 'Ω ∞', limit: 3 };
    const { agent } = await invoke({}, input);
    expect(agent.calls[0]?.metadata['dd.input_hash']).toBe(sha256(canonical(input)));
    expect(agent.calls[0]?.metadata).not.toHaveProperty('dd.delegation_token');
    expect(agent.calls[0]?.request).not.toHaveProperty('acting_for');
  });

  it('breaks E1 when a number of its evidence is another', async () => {
    const { run } = await invoke({
      async answer(call) {
        const hash = sha256(canonical(RECORD));
        const span = traceOf(call).span('retrieval', { 'dd.source_id': 'ref:1', 'dd.content_hash': hash });
        const reference = { source_id: 'ref:1', content_hash: hash };
        return {
          result: {
            outcome: { status: 'succeeded', statement: 'Altered.' },
            payload: { schema_class: 'Finding', text: 't', grounded_on: [reference] },
            evidence: [
              {
                ...reference,
                hash_algorithm: 'sha256',
                canonicalisation: 'dd-json-document-v1',
                content: { ...(RECORD as object), year: 2022 },
              },
            ],
          },
          spans: [span],
        };
      },
    });
    expect(run.grounding.rules).toEqual(['E1']);
    expect(run.envelope.locate('/problem/type')?.string()).toMatch(/grounding-violation$/);
  });

  it('breaks G0 when its spans are of a trace of its own', async () => {
    const { run } = await invoke({
      answer: async () => ({
        result: { outcome: { status: 'abstained', statement: 's', reason_code: 'not_applicable' }, evidence: [] },
        spans: [
          dumps({
            name: 'retrieval',
            context: { trace_id: `0x${'b'.repeat(32)}`, span_id: '0x00000000000000bb', trace_state: '[]' },
            parent_id: null,
            start_time: '2026-09-30T10:00:00.000000Z',
            end_time: '2026-09-30T10:00:00.000001Z',
            attributes: { 'dd.source_id': 'x', 'dd.content_hash': 'a'.repeat(64) },
          }),
        ],
      }),
    });
    expect(run.grounding.rules).toContain('G0');
  });

  it('ends as agent-error, with nothing of its reply, when the reply is no task', async () => {
    const { run } = await invoke({
      onCall: (call, response) => {
        const { id } = JSON.parse(call.body) as { id: number };
        const result = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } };
        response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
    });
    expect(run.envelope.locate('/problem/type')?.string()).toMatch(/agent-error$/);
    expect(run.envelope.locate('/outcome/statement')?.string()).toMatch(/message instead of a task/);
  });
});
