import { expect, test } from 'vitest';
import { parseJson } from '../../core/json/index.js';
import { completeRequest } from '../../core/runner/complete-request.js';

const world = {
  clock: { nowNs: () => 1_790_762_400_000_000_000n },
  ids: { invocationId: () => '0199a3b0-0000-7000-8000-000000000001' },
};

function completed(text: string) {
  return completeRequest(parseJson(Buffer.from(text), { file: 'fixture.json' }), world);
}

test('returns a request that keeps every place, lexeme and member when it fills in id and time', () => {
  const request = completed('\n{ "agent_id":\n "a", "input": {"n": 1.0} }');
  expect(request.get('agent_id')?.place()).toEqual({ file: 'fixture.json', line: 3, column: 2 });
  expect(request.get('input')?.text()).toBe('{"n": 1.0}');
  expect(request.get('invocation_id')?.string()).toBe(world.ids.invocationId());
  expect(request.get('issued_at')?.string()).toBe('2026-09-30T10:00:00.000000Z');
});

test('returns only what is missing, and an empty object with both', () => {
  const request = completed('{"issued_at":"2026-01-01T00:00:00Z"}');
  expect([request.size, request.get('issued_at')?.string()]).toEqual([2, '2026-01-01T00:00:00Z']);
  expect(completed('{}').size).toBe(2);
  const whole = parseJson(Buffer.from('{"invocation_id":1,"issued_at":2}'), { file: 'f' });
  expect(completeRequest(whole, world)).toBe(whole);
});

test('returns a request alone when it stood within a larger document', () => {
  const message = parseJson(Buffer.from('{"parts": [{"data": {"agent_id": "a"}, "more": 1}]}'), { file: 'message' });
  const data = message.locate('/parts/0/data');
  if (data === undefined) throw new Error('the message has no data');
  const request = completeRequest(data, world);
  expect(request.entries().map(([key]) => key)).toEqual(['agent_id', 'invocation_id', 'issued_at']);
  expect(request.get('agent_id')?.string()).toBe('a');
});
