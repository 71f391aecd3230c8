import type { FinishedRun } from '../../core/conductor/ports.js';

/** A made-up class schema and the digest under which it is kept. */
export const SAMPLE_SCHEMA = { digest: 'ab'.repeat(32), bytes: Buffer.from('{"type":"object"}\n') };

/** Members of the sample envelope that a test may set; a value is JSON text. */
export type EnvelopeChanges = Readonly<Record<string, string | undefined>>;

/** A made-up finished run; the same id gives the same bytes. Its numbers are written as no double would be printed. */
export function sampleRun(invocationId: string, changes: EnvelopeChanges = {}): FinishedRun {
  return {
    invocationId,
    request: Buffer.from(
      `{\n  "invocation_id": "${invocationId}",\n  "agent_id": "sample.agent",\n  "input": { "schema_class": "Sample" }\n}\n`,
    ),
    envelope: Buffer.from(sampleEnvelope(invocationId, changes)),
    spans: Buffer.from(`${JSON.stringify({ name: 'invoke_agent', filler: invocationId.repeat(500) })}\n`),
    groundingText: 'grounding: passed [none] (0 retrieval, 0 chat spans)\n',
    sourcesText: 'sources: 0 verified, 0 unresolved\n',
    schemas: new Map([[SAMPLE_SCHEMA.digest, SAMPLE_SCHEMA.bytes]]),
    crate: { startedAt: '2026-11-30T10:00:00.000000Z', agentDescription: 'An agent made up for tests' },
  };
}

function sampleEnvelope(invocationId: string, changes: EnvelopeChanges): string {
  const members: Record<string, string | undefined> = {
    invocation_id: JSON.stringify(invocationId),
    agent_id: '"sample.agent"',
    agent_version: '"1.2.3"',
    completed_at: '"2026-11-30T10:00:01.500000Z"',
    grounding_mode: '"none"',
    policy_bundle_ref: '"profile:default@v1"',
    acting_for:
      '{ "principal_id": "https://orcid.org/0000-0002-1825-0097", "name": "Josiah Carberry", "principal_kind": "person", "assurance": "asserted" }',
    outcome: '{ "status": "succeeded", "statement": "A sample\\u2028statement" }',
    payload:
      '{ "schema_class": "SampleResult", "grounded_on": [], "score": 1.0, "count": 12345678901234567890, "small": 1e-7 }',
    ...changes,
  };
  const lines = Object.entries(members).flatMap(([name, text]) => (text === undefined ? [] : [`  "${name}": ${text}`]));
  return `{\n${lines.join(',\n')}\n}\n`;
}
