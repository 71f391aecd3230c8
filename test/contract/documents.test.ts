import { describe, expect, it } from 'vitest';
import { type DocumentKind, validateDocument, validateRequest } from '../../core/contract/documents.js';
import { type Composable, jsonOf, parseJson } from '../../core/json/index.js';

const UUID = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
const HASH = 'a'.repeat(64);
const TIME = '2026-09-30T10:00:00.000000Z';
type Members = Readonly<Record<string, Composable>>;

const REFERENCE = { source_id: 'src:a', content_hash: HASH };
const PRINCIPAL = {
  principal_id: 'https://orcid.org/0000-0002-1825-0097',
  name: 'Josiah Carberry',
  principal_kind: 'person',
  assurance: 'asserted',
};

/** One valid document of each kind, with every optional member present. */
const FULL: Readonly<Record<DocumentKind, Members>> = {
  request: {
    invocation_id: UUID,
    agent_id: 'case.a',
    issued_at: TIME,
    input: { schema_class: 'Case', anything: [1, null] },
    requirement_ids: ['r1'],
    conversation_id: 'c1',
    parent_invocation_id: UUID,
    project_id: 'p1',
  },
  envelope: {
    invocation_id: UUID,
    agent_id: 'case.a',
    agent_version: '0.1.0',
    completed_at: TIME,
    grounding_mode: 'delegation',
    policy_bundle_ref: 'profile:default@v1',
    policy_digest: HASH,
    acting_for: PRINCIPAL,
    contract_version: '0.7.0',
    outcome: { status: 'succeeded', statement: '' },
    telemetry: { energy_method: 'not_measured', energy_estimate_j: null },
    requires_human_review: true,
    input_schema: HASH,
    payload: { schema_class: 'CaseResult', grounded_on: [REFERENCE], more: {} },
    payload_schema: HASH,
    evidence: [{ ...REFERENCE, hash_algorithm: 'sha256', canonicalisation: 'dd-json-document-v1' }],
    problem: { type: 'https://w3id.org/data-director/problems/agent-error' },
    conversation_id: 'c1',
    parent_invocation_id: UUID,
    project_id: 'p1',
    delegations: [
      {
        delegated_invocation_id: UUID,
        delegated_agent_id: 'case.b',
        delegated_agent_version: '1.0.0',
        delegated_status: 'abstained',
        content_hash: HASH,
      },
    ],
  },
  result: {
    outcome: { status: 'abstained', statement: 'no', reason_code: 'not_applicable' },
    payload: { schema_class: 'CaseResult', grounded_on: [] },
    evidence: [],
    model_id: 'm',
    input_tokens: 3,
    output_tokens: 0,
  },
  specification: {
    agent_id: 'case.a',
    version: '0.1.0',
    description: '',
    action_class: 'advise',
    accepts: ['Case'],
    grounding_mode: 'none',
    payload: null,
    derivations: { 'a.b': { how: 'template', recorded_in: null } },
    contract_version: '0.7.0',
    schemas: { Case: { digest: HASH, json_schema: {} } },
  },
  outcome: {
    status: 'referred',
    statement: 'ask',
    reason_code: 'policy_requires_approval',
    referred_to: 'data_steward',
  },
  evidence: {
    ...REFERENCE,
    hash_algorithm: 'sha256',
    canonicalisation: 'dd-json-document-v1',
    source_uri: 'https://example.org/a',
    retrieved_at: TIME,
    snapshot_ref: 'snap:1',
    content: { any: 1 },
  },
  reference: REFERENCE,
  delegation: {
    delegated_invocation_id: UUID,
    delegated_agent_id: 'case.b',
    delegated_agent_version: '1.0.0',
    delegated_status: 'failed',
    content_hash: HASH,
  },
  principal: PRINCIPAL,
  telemetry: {
    energy_method: 'measured',
    trace_id: 'f'.repeat(32),
    model_id: 'm',
    input_tokens: 1,
    output_tokens: 2,
    energy_estimate_j: 0.5,
  },
  problem: {
    type: 'https://w3id.org/data-director/problems/revision-refused',
    title: 't',
    http_status: 409,
    detail: 'd',
    instance: 'urn:x',
    resume_condition: 'r',
    resume_after: TIME,
  },
  message: {
    schema_class: 'Message',
    message_text: 'hello',
    history: [
      { role: 'user', turn_text: 'a' },
      { role: 'agent', turn_text: 'b', turn_agent_id: 'x', turn_agent_version: '1.0.0', turn_invocation_id: UUID },
    ],
  },
  reply: { schema_class: 'Reply', reply_text: 'hi', reply_derivation: 'lexical', grounded_on: [REFERENCE] },
};

const REQUIRED: Readonly<Record<DocumentKind, readonly string[]>> = {
  request: ['invocation_id', 'agent_id', 'issued_at', 'input'],
  envelope: [
    'invocation_id',
    'agent_id',
    'agent_version',
    'completed_at',
    'grounding_mode',
    'policy_bundle_ref',
    'policy_digest',
    'acting_for',
    'contract_version',
    'outcome',
    'telemetry',
    'requires_human_review',
  ],
  result: ['outcome'],
  specification: [
    'agent_id',
    'version',
    'action_class',
    'accepts',
    'grounding_mode',
    'payload',
    'contract_version',
    'schemas',
  ],
  outcome: ['status', 'statement'],
  evidence: ['source_id', 'hash_algorithm', 'canonicalisation', 'content_hash'],
  reference: ['source_id', 'content_hash'],
  delegation: [
    'delegated_invocation_id',
    'delegated_agent_id',
    'delegated_agent_version',
    'delegated_status',
    'content_hash',
  ],
  principal: ['principal_id', 'name', 'principal_kind', 'assurance'],
  telemetry: ['energy_method'],
  problem: ['type'],
  message: ['schema_class', 'message_text'],
  reply: ['schema_class', 'reply_text', 'reply_derivation', 'grounded_on'],
};

const KINDS = Object.keys(FULL) as DocumentKind[];
const without = (members: Members, key: string) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
const faultsOf = (kind: DocumentKind, members: Composable) =>
  validateDocument(kind, jsonOf(members)).map(({ rule, pointer }) => `${rule} ${pointer}`);

describe.each(KINDS)('validateDocument of %s', (kind) => {
  const full = FULL[kind];

  it('returns no fault when every member is there', () => {
    expect(faultsOf(kind, full)).toEqual([]);
  });

  it('returns no fault when the optional members are left out', () => {
    expect(faultsOf(kind, Object.fromEntries(REQUIRED[kind].map((key) => [key, full[key]])))).toEqual([]);
  });

  it('returns a fault for each required member when it is left out', () => {
    for (const key of REQUIRED[kind]) expect(faultsOf(kind, without(full, key))).toEqual(['required ']);
    expect(faultsOf(kind, {})).toHaveLength(REQUIRED[kind].length);
  });

  it('returns a fault when any member is null, but for the ones that may be', () => {
    const nullable = { telemetry: ['energy_estimate_j'], specification: ['payload'] } as Partial<
      Record<DocumentKind, string[]>
    >;
    for (const key of Object.keys(full)) {
      const faults = faultsOf(kind, { ...full, [key]: null });
      if (nullable[kind]?.includes(key) === true) expect(faults).toEqual([]);
      else expect(faults).toContain(`type /${key}`);
    }
  });

  it('returns a fault when an unknown member is there, however it is named', () => {
    for (const name of ['extra', 'toString', '__proto__', 'a/b~c']) {
      const text = `${JSON.stringify(full).slice(0, -1)},${JSON.stringify(name)}:1}`;
      const faults = validateDocument(kind, parseJson(new TextEncoder().encode(text), { file: 'x.json' }));
      expect(faults.map(({ rule }) => rule)).toEqual(['additionalProperties']);
      expect(faults[0]?.place).toEqual({ file: 'x.json', line: 1, column: text.length - 1 });
    }
  });

  it('returns a fault when the document is no object', () => {
    for (const value of [null, [], 'x', 1, true]) expect(faultsOf(kind, value)).toEqual(['type ']);
  });
});

describe('validateDocument', () => {
  it.each<[DocumentKind, Members, string]>([
    ['request', { invocation_id: UUID.toUpperCase() }, 'pattern /invocation_id'],
    ['request', { invocation_id: UUID.replace('-7', '-4') }, 'pattern /invocation_id'],
    ['request', { invocation_id: `${UUID}\n` }, 'pattern /invocation_id'],
    ['request', { input: {} }, 'required /input'],
    ['request', { input: { schema_class: 1 } }, 'type /input/schema_class'],
    ['request', { agent_id: '' }, 'minLength /agent_id'],
    ['request', { requirement_ids: ['a', 1] }, 'type /requirement_ids/1'],
    ['request', { issued_at: '2026-09-30T10:00:00' }, 'pattern /issued_at'],
    ['request', { issued_at: '2026-09-30 10:00:00Z' }, 'pattern /issued_at'],
    ['request', { issued_at: '2026-02-30T10:00:00Z' }, 'format /issued_at'],
    ['request', { issued_at: 1 }, 'type /issued_at'],
    ['envelope', { contract_version: '0.7.1' }, 'enum /contract_version'],
    ['envelope', { requires_human_review: false }, 'enum /requires_human_review'],
    ['envelope', { grounding_mode: 'any' }, 'enum /grounding_mode'],
    ['envelope', { agent_version: '01.0.0' }, 'pattern /agent_version'],
    ['envelope', { agent_version: '1.0' }, 'pattern /agent_version'],
    ['envelope', { policy_bundle_ref: 'profile:Default@v1' }, 'pattern /policy_bundle_ref'],
    ['envelope', { policy_digest: 'A'.repeat(64) }, 'pattern /policy_digest'],
    ['envelope', { delegations: [] }, 'minItems /delegations'],
    ['envelope', { payload: { schema_class: 'X' } }, 'required /payload'],
    ['envelope', { payload: { schema_class: 'X', grounded_on: {} } }, 'type /payload/grounded_on'],
    ['envelope', { payload: { schema_class: 'X', grounded_on: [{}] } }, 'required /payload/grounded_on/0'],
    ['outcome', { status: 'done' }, 'enum /status'],
    ['outcome', { reason_code: 'because' }, 'enum /reason_code'],
    ['evidence', { hash_algorithm: 'sha512' }, 'enum /hash_algorithm'],
    ['evidence', { content_hash: `sha256:${HASH}` }, 'pattern /content_hash'],
    ['evidence', { content: [] }, 'type /content'],
    ['evidence', { retrieved_at: 'yesterday' }, 'format /retrieved_at'],
    ['reference', { source_id: '' }, 'minLength /source_id'],
    ['delegation', { delegated_status: 'running' }, 'enum /delegated_status'],
    ['principal', { principal_id: 'orcid' }, 'pattern /principal_id'],
    ['principal', { principal_id: 'https://a b' }, 'pattern /principal_id'],
    ['principal', { principal_kind: 'robot' }, 'enum /principal_kind'],
    ['principal', { assurance: 'verified' }, 'enum /assurance'],
    ['telemetry', { energy_method: 'guessed' }, 'enum /energy_method'],
    ['telemetry', { trace_id: `0x${'f'.repeat(32)}` }, 'pattern /trace_id'],
    ['telemetry', { input_tokens: 1.5 }, 'type /input_tokens'],
    ['telemetry', { output_tokens: -1 }, 'minimum /output_tokens'],
    ['problem', { type: 'https://w3id.org/data-director/problems/other' }, 'enum /type'],
    ['problem', { http_status: '500' }, 'type /http_status'],
    ['message', { schema_class: 'message' }, 'enum /schema_class'],
    ['message', { history: [{ role: 'system', turn_text: '' }] }, 'enum /history/0/role'],
    ['message', { history: [{ role: 'user' }] }, 'required /history/0'],
    ['reply', { reply_derivation: 'oracle' }, 'enum /reply_derivation'],
    ['specification', { grounding_mode: 'default' }, 'enum /grounding_mode'],
    ['specification', { accepts: [] }, 'minItems /accepts'],
    ['specification', { derivations: { a: { how: 'guess', recorded_in: null } } }, 'enum /derivations/a/how'],
    ['specification', { schemas: { A: { digest: HASH } } }, 'required /schemas/A'],
  ])('returns the fault of %s when it holds %j', (kind, change, fault) => {
    expect(faultsOf(kind, { ...FULL[kind], ...change })).toContain(fault);
  });

  it('returns every fault at once, with its place', () => {
    const bytes = new TextEncoder().encode('{\n  "invocation_id": "x",\n  "agent_id": 1\n}');
    const faults = validateRequest(parseJson(bytes, { file: 'r.json' }));
    expect(faults.map(({ rule, pointer, place }) => [rule, pointer, place?.line, place?.column])).toEqual([
      ['required', '', 1, 1],
      ['required', '', 1, 1],
      ['pattern', '/invocation_id', 2, 20],
      ['type', '/agent_id', 3, 15],
    ]);
  });

  it('returns in good time when a document holds a hundred thousand faults', () => {
    const items = Array.from({ length: 100_000 }, () => ({}));
    expect(faultsOf('result', { ...FULL.result, evidence: items }).length).toBe(400_000);
  });
});
