import type { AgentCall } from '../../core/agents/agent.js';
import { hashOf, jsonOf } from '../../core/json/index.js';

type Input = { readonly [key: string]: string | number | null | readonly string[] | object };

/** A call as the conductor makes it, with a fresh id for every test that needs one. */
export function callOf(input: Input, invocationId = '01a0c455-bf5e-7bd9-8565-7a47938408ff'): AgentCall {
  const stored = jsonOf({ schema_class: 'Question', ...input } as never);
  const request = jsonOf({
    invocation_id: invocationId,
    agent_id: 'test.subject',
    issued_at: '2026-09-30T10:00:00Z',
    input: stored,
  });
  return {
    request,
    inputRef: `input:${invocationId}`,
    inputHash: hashOf(stored, 'dd-input-json-v1'),
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  };
}
