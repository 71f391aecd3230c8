import { hashOf, type JsonNode } from '../json/index.js';
import type { Tampering } from '../model/stored-run.js';
import { ATTRIBUTES, type Span } from '../trace/index.js';

/** The one root; undefined when there are none or several, and then nothing can be compared with it (contract 10). */
function rootOf(spans: readonly Span[]): Span | undefined {
  const roots = spans.filter((span) => span.role === 'root');
  return roots.length === 1 ? roots[0] : undefined;
}

/** The root's `dd.input_hash` against the input of request.json; a root that states none breaks G0 and is not judged here. */
export function testInputHash(spans: readonly Span[], request: JsonNode | null): Tampering[] {
  const root = rootOf(spans);
  if (root === undefined || request === null) return [];
  if (!root.facts.conductorAttributes.includes(ATTRIBUTES.inputHash)) return [];
  const input = request.get('input');
  if (input === undefined) return [{ test: 'input-hash', message: 'request.json holds no input' }];
  if (root.facts.inputHash === hashOf(input, 'dd-input-json-v1')) return [];
  return [{ test: 'input-hash', message: 'the trace states another hash than that of the input in request.json' }];
}

/** The envelope's `telemetry.trace_id` against the root's trace id. */
export function testTraceId(spans: readonly Span[], envelope: JsonNode): Tampering[] {
  const root = rootOf(spans);
  const stated = envelope.get('telemetry')?.present('trace_id');
  if (root === undefined || stated === undefined) return [];
  if (stated.string()?.replace(/^0x/, '') === root.traceId) return [];
  return [{ test: 'trace-id', message: "the envelope's telemetry names another trace than spans.jsonl" }];
}
