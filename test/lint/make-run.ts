import { jsonOf, parseJson } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import type { GroundingReport } from '../../core/model/report.js';
import { readSpans, type Span } from '../../core/trace/index.js';

/** Any JSON value, as a test writes it. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain | undefined };
type Members = { readonly [key: string]: Plain | undefined };

export const INVOCATION = '0199a3b0-0000-7000-8000-0000000000aa';
export const TRACE = 'a'.repeat(32);
export const ROOT_ID = '00000000000000f0';
export const A = 'a'.repeat(64);
export const B = 'b'.repeat(64);
export const INPUT_HASH = 'c'.repeat(64);

/** A grounding reference. */
export const ref = (sourceId: Plain, contentHash: Plain = A) => ({ source_id: sourceId, content_hash: contentHash });
/** The reference to the input. */
export const INPUT = ref(`input:${INVOCATION}`, INPUT_HASH);

/** A time of the test day, in milliseconds after 10:00. */
export const ms = (milliseconds: number) => `2026-09-30T10:00:00.${String(milliseconds).padStart(3, '0')}000Z`;

/** A span line; what is not said is that of a finished step below the root. Spans of one id are told apart by nothing. */
export function span(name: string, id: string, over: Members = {}): Members {
  return {
    name,
    context: { trace_id: `0x${TRACE}`, span_id: `0x${id}`, trace_state: '[]' },
    kind: 'SpanKind.INTERNAL',
    parent_id: `0x${ROOT_ID}`,
    start_time: ms(100),
    end_time: ms(200),
    status: { status_code: 'UNSET' },
    attributes: {},
    ...over,
  };
}

/** The root, with the conductor's attributes laid over. */
export function root(mode: string, over: Members = {}, attributes: Members = {}): Members {
  return span('invoke_agent', ROOT_ID, {
    parent_id: null,
    start_time: ms(0),
    end_time: ms(900),
    attributes: { 'dd.grounding_mode': mode, 'dd.input_hash': INPUT_HASH, 'dd.outcome': 'succeeded', ...attributes },
    ...over,
  });
}

/** A retrieval of one record, from 100 ms to 200 ms unless said otherwise. */
export function retrieval(
  id: string,
  of: { readonly source_id: Plain; readonly content_hash: Plain },
  over: Members = {},
): Members {
  const attributes = { 'dd.source_id': of.source_id, 'dd.content_hash': of.content_hash };
  return span('retrieval', id, { attributes, ...over });
}

/** A model call, from 300 ms to 400 ms unless said otherwise. */
export function chat(id: string, over: Members = {}): Members {
  return span('chat', id, { start_time: ms(300), end_time: ms(400), ...over });
}

/** An evidence item for a reference. */
export const item = (reference: Members, over: Members = {}): Members => ({
  ...reference,
  hash_algorithm: 'sha256',
  canonicalisation: 'dd-json-document-v1',
  ...over,
});

/** An envelope that cites what it is told to, with members laid over. */
export function envelope(mode: Plain, cites: readonly Members[], over: Members = {}): Members {
  return {
    invocation_id: INVOCATION,
    grounding_mode: mode,
    outcome: { status: 'succeeded', statement: '' },
    payload: { schema_class: 'Case', grounded_on: cites },
    evidence: cites.map((one) => item(one)),
    ...over,
  };
}

/** The spans of span lines, read as a file is. */
export function spansOf(lines: readonly Members[]): Span[] {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return readSpans(Buffer.from(text), { file: 'spans.jsonl' });
}

/** Judges span lines and an envelope. */
export function judged(lines: readonly Members[], over: Members): GroundingReport {
  return judge(spansOf(lines), jsonOf(over));
}

/** Judges span lines and the text of an envelope, for what only a text can hold. */
export function judgedText(lines: readonly Members[], text: string): GroundingReport {
  return judge(spansOf(lines), parseJson(Buffer.from(text), { file: 'envelope.json' }));
}

/** What a table states about a report. */
export const verdict = (report: GroundingReport) => ({
  rules: report.rules,
  retrievals: report.retrievals,
  chats: report.chats,
});
