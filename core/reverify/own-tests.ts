import { hashOf, type JsonNode } from '../json/index.js';
import type { Tampering } from '../model/stored-run.js';
import { ATTRIBUTES, type Span } from '../trace/index.js';

/** The one root; undefined when there are none or several, and then nothing can be compared with it (contract 10). */
export function rootOf(spans: readonly Span[]): Span | undefined {
  let root: Span | undefined;
  for (const span of spans) {
    if (span.role !== 'root') continue;
    if (root !== undefined) return undefined;
    root = span;
  }
  return root;
}

/** The root's `dd.input_hash` against the input of request.json; a root that states none breaks G0 and is not judged here. */
export function testInputHash(root: Span, request: JsonNode | null): Tampering | null {
  if (request === null || !root.facts.conductorAttributes.includes(ATTRIBUTES.inputHash)) return null;
  const input = request.get('input');
  if (input === undefined) return { test: 'input-hash', message: 'request.json holds no input' };
  if (root.facts.inputHash === hashOf(input, 'dd-input-json-v1')) return null;
  return { test: 'input-hash', message: 'the trace states another hash than that of the input in request.json' };
}

/** The envelope's `telemetry.trace_id` against the root's trace id. */
export function testTraceId(root: Span, envelope: JsonNode): Tampering | null {
  const stated = envelope.get('telemetry')?.present('trace_id');
  if (stated === undefined) return null;
  const text = stated.string();
  const bare = text?.startsWith('0x') === true ? text.slice(2) : text;
  if (bare === root.traceId) return null;
  return { test: 'trace-id', message: "the envelope's telemetry names another trace than spans.jsonl" };
}
