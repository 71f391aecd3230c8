import type { ReportedRun } from '../../core/html/run-facts.js';
import { parseJson } from '../../core/json/index.js';
import { settleRun } from '../../core/reverify/settle.js';
import { judgeSolo } from '../../core/reverify/solo.js';
import { NO_COPIES, type SourceCopies } from '../../core/sources/index.js';
import type { RunContents } from '../../core/store/index.js';

const HASH = 'a'.repeat(64);
const TRACE = '0123456789abcdef0123456789abcdef';

/** The files of a run in which every text that an agent or a caller could choose is this one. */
export function hostileContents(text: string): RunContents {
  const id = '0190a000-0000-7000-8000-000000000001';
  const wellFormed = text.toWellFormed();
  const envelope = {
    invocation_id: id,
    agent_id: wellFormed,
    agent_version: wellFormed,
    completed_at: '2026-09-30T10:00:00.900000Z',
    grounding_mode: 'retrieval',
    policy_bundle_ref: wellFormed,
    acting_for: { principal_id: wellFormed, name: wellFormed, principal_kind: wellFormed },
    outcome: { status: 'succeeded', statement: wellFormed, reason_code: wellFormed, referred_to: wellFormed },
    payload: {
      schema_class: wellFormed,
      grounded_on: [
        { source_id: wellFormed, content_hash: HASH },
        { source_id: `invocation:${wellFormed}`, content_hash: HASH },
        { source_id: `input:${wellFormed}`, content_hash: HASH },
        wellFormed,
      ],
      [wellFormed]: { [`${wellFormed}_derivation`]: 'model' },
    },
    evidence: [
      {
        source_id: wellFormed,
        content_hash: HASH,
        hash_algorithm: wellFormed,
        canonicalisation: wellFormed,
        snapshot_ref: wellFormed,
        source_uri: wellFormed,
        retrieved_at: wellFormed,
        content: { [wellFormed]: wellFormed, nested: { [wellFormed]: [wellFormed] } },
      },
      { source_id: `invocation:${wellFormed}`, content_hash: HASH },
    ],
    problem: { type: wellFormed, title: wellFormed, detail: wellFormed },
    conversation_id: wellFormed,
    project_id: wellFormed,
    parent_invocation_id: wellFormed,
    delegations: [
      {
        delegated_invocation_id: wellFormed,
        delegated_agent_id: wellFormed,
        delegated_agent_version: wellFormed,
        delegated_status: wellFormed,
        content_hash: wellFormed,
      },
    ],
    telemetry: { trace_id: wellFormed, model_id: wellFormed, input_tokens: 1 },
  };
  const request = { invocation_id: id, agent_id: wellFormed, input: { schema_class: wellFormed, text: wellFormed } };
  const said = Buffer.from(`grounding: FAILED [${text}]\n  - G2: ${text}\n`);
  return {
    request: json(request),
    envelope: json(envelope),
    spans: Buffer.from(hostileSpans(wellFormed)),
    grounding: said,
    sources: said,
  };
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value, null, 2));
}

function hostileSpans(text: string): string {
  const span = (spanId: string, name: string, more: object): string =>
    JSON.stringify({
      name,
      context: { trace_id: TRACE, span_id: spanId },
      parent_id: 'root',
      start_time: '2026-09-30T10:00:00.000100Z',
      end_time: '2026-09-30T10:00:00.000200Z',
      ...more,
    });
  return [
    span('root', 'invoke_agent', { parent_id: null, attributes: { 'dd.input_hash': text, 'dd.grounding_mode': text } }),
    span(text, 'chat', { attributes: { 'gen_ai.operation.name': text } }),
    span('r', 'retrieval', { kind: text, attributes: { 'dd.source_id': text, 'dd.content_hash': text } }),
    span('x', text, { kind: text, parent_id: text }),
  ].join('\n');
}

/** A run as the report is handed it, judged from its contents as `reverify` would. */
export function reportedRun(
  contents: RunContents,
  given: { readonly name?: string; readonly copies?: SourceCopies } & Partial<ReportedRun> = {},
): ReportedRun {
  const { name = nameIn(contents), copies = NO_COPIES, ...more } = given;
  const solo = judgeSolo({ name, contents }, copies);
  return {
    verdict: settleRun({ name, solo, line: null, children: new Map() }, { index: null, unresolved: 'warn' }),
    contents,
    copies,
    downloads: [],
    hasPage: () => false,
    derivationsOf: () => [],
    fixture: null,
    ...more,
  };
}

function nameIn({ envelope }: RunContents): string {
  try {
    return (envelope && parseJson(envelope, { file: 'envelope.json' }).get('invocation_id')?.string()) ?? 'run';
  } catch {
    return 'run';
  }
}
