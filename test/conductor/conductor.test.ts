import { describe, expect, it } from 'vitest';
import { validateEnvelope } from '../../core/contract/documents.js';
import { hashOf, jsonOf, parseJson, sha256Hex } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import { groundingText } from '../../core/report/grounding-text.js';
import { readSpans } from '../../core/trace/index.js';
import { ANSWER, at, fakeAgent, QUESTION, schemaEntry, spanNames, success } from './fake-agent.js';
import { PINNED, PRINCIPAL, stage } from './stage.js';

const hello = (more = {}) => fakeAgent(more, ({ input }) => ({ result: success([input]) }));
/** A value whose number text must survive. */
const jsonParse = (text: string) => parseJson(Buffer.from(text), { file: 'value' });
const problem = (slug: string) => `https://w3id.org/data-director/problems/${slug}`;

describe('invoke, a run that succeeds', () => {
  it('returns and stores an envelope with everything that the conductor alone may say', async () => {
    const set = await stage([hello()]);
    const run = await set.invoke({ conversation_id: 'c-1' });
    const { envelope } = run;
    expect(validateEnvelope(envelope)).toEqual([]);
    expect(set.read(run, 'envelope.json')).toBe(envelope.text());
    expect({
      agent: at(envelope, '/agent_id'),
      version: at(envelope, '/agent_version'),
      mode: at(envelope, '/grounding_mode'),
      policy: at(envelope, '/policy_bundle_ref'),
      principal: at(envelope, '/acting_for/principal_id'),
      contract: at(envelope, '/contract_version'),
      conversation: at(envelope, '/conversation_id'),
      status: at(envelope, '/outcome/status'),
      review: at(envelope, '/requires_human_review'),
      energy: at(envelope, '/telemetry/energy_estimate_j'),
      inputSchema: at(envelope, '/input_schema'),
      payloadSchema: at(envelope, '/payload_schema'),
    }).toEqual({
      agent: 'fake.agent',
      version: '1.2.3',
      mode: 'none',
      policy: 'profile:test@v3',
      principal: PRINCIPAL.principalId,
      contract: '0.7.0',
      conversation: 'c-1',
      status: 'succeeded',
      review: 'true',
      energy: 'null',
      inputSchema: hashOf(jsonOf(QUESTION), 'dd-json-document-v1'),
      payloadSchema: hashOf(jsonOf(ANSWER), 'dd-json-document-v1'),
    });
    expect(envelope.has('delegations')).toBe(false);
    expect(set.read(run, 'grounding.txt')).toBe('grounding: passed [none] (0 retrieval, 0 chat spans)\n');
    expect(set.read(run, 'sources.txt')).toBe('sources: 0 verified, 0 unresolved\n');
  });

  it('returns a trace whose root carries the conductor’s attributes and whose gate hangs below it', async () => {
    const set = await stage([hello()]);
    const run = await set.invoke();
    const [root, gate] = set
      .read(run, 'spans.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const input = set.readJson(run, 'request.json').get('input');
    expect(root).toMatchObject({
      name: 'invoke_agent',
      parent_id: null,
      attributes: {
        'dd.operation': 'invoke_agent',
        'dd.agent_id': 'fake.agent',
        'dd.grounding_mode': 'none',
        'dd.input_hash': input && hashOf(input, 'dd-input-json-v1'),
        'dd.outcome': 'succeeded',
      },
    });
    expect(root.context.trace_id).toBe(`0x${at(run.envelope, '/telemetry/trace_id')}`);
    expect(gate).toMatchObject({
      name: 'policy_gate',
      parent_id: root.context.span_id,
      attributes: { 'dd.operation': 'policy_gate', 'dd.agent_id': 'fake.agent' },
    });
  });

  it('returns verified evidence when a retrieval cites a pinned record', async () => {
    const agent = fakeAgent({ grounding_mode: 'retrieval' }, ({ retrieve, chat }) => {
      const item = retrieve(PINNED, { snapshotRef: 'snap:1' });
      chat();
      return { result: success([item], { model_id: 'm', input_tokens: 12, output_tokens: 3 }) };
    });
    const set = await stage([agent]);
    const run = await set.invoke();
    expect(run.grounding).toMatchObject({ passed: true, retrievals: 1, chats: 1 });
    expect(run.sources).toMatchObject({ passed: true, verified: 1, unresolved: [] });
    expect([
      ...['model_id', 'input_tokens', 'output_tokens'].map((key) => at(run.envelope, `/telemetry/${key}`)),
    ]).toEqual(['m', '12', '3']);
    expect(spanNames(Buffer.from(set.read(run, 'spans.jsonl')))).toEqual([
      'invoke_agent',
      'policy_gate',
      'retrieval',
      'chat',
    ]);
  });

  it('returns token counts as integers when a wire made doubles of them, and leaves absent ones out', async () => {
    const agent = fakeAgent({}, ({ input }) => ({
      result: success([input], { input_tokens: jsonParse('3.0'), output_tokens: null, model_id: null }),
    }));
    const run = await (await stage([agent])).invoke();
    expect(at(run.envelope, '/outcome/status')).toBe('succeeded');
    expect(at(run.envelope, '/telemetry/input_tokens')).toBe('3');
    expect(run.envelope.get('telemetry')?.has('output_tokens')).toBe(false);
    expect(run.envelope.get('telemetry')?.has('model_id')).toBe(false);
  });

  it('returns numbers as the agent wrote them, and drops null members of the input’s top level alone', async () => {
    const agent = fakeAgent({}, ({ input, call }) => ({
      result: {
        ...success([input]),
        payload: {
          schema_class: 'Answer',
          grounded_on: [{ source_id: call.inputRef, content_hash: call.inputHash }],
          score: jsonParse('1.50'),
          big: jsonParse('12345678901234567890123'),
          gone: null,
        },
      },
    }));
    const set = await stage([agent]);
    const run = await set.invoke({
      input: { schema_class: 'Question', topic: 'soil', gone: null, kept: { deep: null }, size: jsonParse('1e2') },
    });
    const payload = run.envelope.get('payload');
    expect([payload?.get('score')?.text(), payload?.get('big')?.text(), payload?.get('gone')?.text()]).toEqual([
      '1.50',
      '12345678901234567890123',
      'null',
    ]);
    const input = set.readJson(run, 'request.json').get('input');
    expect(input?.has('gone')).toBe(false);
    expect(input?.get('kept')?.has('deep')).toBe(true);
    expect(input?.get('size')?.text()).toBe('1e2');
    expect(run.grounding.passed).toBe(true);
  });

  it('returns a run for an agent with classes of its own, or the core ones, without any change of the core', async () => {
    const soil = {
      type: 'object',
      required: ['schema_class', 'ph'],
      properties: { schema_class: { enum: ['SoilSample'] }, ph: { type: 'number' } },
    };
    const verdict = {
      type: 'object',
      required: ['schema_class', 'grounded_on', 'acid'],
      properties: { schema_class: { enum: ['SoilVerdict'] }, acid: { type: 'boolean' } },
    };
    const classes = {
      accepts: ['SoilSample', 'Message'],
      schemas: { SoilSample: schemaEntry(soil), SoilVerdict: schemaEntry(verdict) },
    };
    const agent = fakeAgent({ agent_id: 'fake.other', ...classes, payload: 'SoilVerdict' }, ({ input, call }) => ({
      result: success([input], {
        payload: {
          schema_class: 'SoilVerdict',
          acid: true,
          grounded_on: [{ source_id: call.inputRef, content_hash: call.inputHash }],
        },
      }),
    }));
    const talker = fakeAgent({ ...classes, payload: 'Reply' }, ({ input, call }) => ({
      result: success([input], {
        payload: {
          schema_class: 'Reply',
          reply_text: 'hi',
          reply_derivation: 'template',
          grounded_on: [{ source_id: call.inputRef, content_hash: call.inputHash }],
        },
      }),
    }));
    const set = await stage([agent, talker]);
    const run = await set.invoke({ input: { schema_class: 'SoilSample', ph: 5.5 } });
    expect(at(run.envelope, '/outcome/status')).toBe('succeeded');
    const said = await set.invoke({
      agent_id: 'fake.agent',
      input: { schema_class: 'Message', message_text: 'hello' },
    });
    expect(at(said.envelope, '/outcome/status')).toBe('succeeded');
    const digests = [run, said].flatMap(({ envelope }) => [
      at(envelope, '/input_schema'),
      at(envelope, '/payload_schema'),
    ]);
    for (const digest of digests)
      expect(set.readJson({ ...run, invocationId: 'schemas' }, `${digest}.json`).kind).toBe('object');
  });

  it('returns an abstention, a referral and a failure of the agent’s as they are', async () => {
    const outcomes = {
      abstained: { status: 'abstained', statement: 'nothing fits', reason_code: 'no_qualifying_resource' },
      referred: {
        status: 'referred',
        statement: 'ask',
        reason_code: 'requires_human_judgement',
        referred_to: 'a curator',
      },
      failed: { status: 'failed', statement: 'out of order' },
    };
    for (const [status, outcome] of Object.entries(outcomes)) {
      const run = await (await stage([fakeAgent({}, () => ({ result: { outcome, evidence: [] } }))])).invoke();
      expect(at(run.envelope, '/outcome/status')).toBe(status);
      expect(at(run.envelope, '/outcome/statement')).toBe(outcome.statement);
      expect(at(run.envelope, '/problem/type')).toBe(status === 'failed' ? problem('agent-error') : undefined);
      expect(run.envelope.has('evidence')).toBe(status !== 'failed');
      expect(run.grounding.passed).toBe(true);
    }
  });

  it('returns an envelope without null members when an agent writes its absent ones as null', async () => {
    const outcome = { status: 'succeeded', statement: 'done', reason_code: null, referred_to: null };
    const agent = fakeAgent({}, ({ input }) => ({
      result: success([input], { outcome, evidence: [{ ...input, source_uri: null, content: null }], model_id: null }),
    }));
    const run = await (await stage([agent])).invoke();
    expect(at(run.envelope, '/outcome/status')).toBe('succeeded');
    expect(run.envelope.get('outcome')?.size).toBe(2);
    expect(run.envelope.locate('/evidence/0')?.size).toBe(4);
  });

  it('returns a run in mode delegation that cites the input alone, and no list of delegations', async () => {
    const run = await (await stage([hello({ grounding_mode: 'delegation' })])).invoke();
    expect(at(run.envelope, '/outcome/status')).toBe('succeeded');
    expect(run.envelope.has('delegations')).toBe(false);
  });

  it('returns a crate beside the run when crates are wanted, and none otherwise', async () => {
    const withCrate = await stage([hello()], { writeCrate: true });
    const run = await withCrate.invoke();
    expect(withCrate.read(run, 'crate/ro-crate-metadata.json')).toContain('A fake for the tests');
    const without = await stage([hello()]);
    const bare = await without.invoke();
    expect(() => without.read(bare, 'crate/ro-crate-metadata.json')).toThrow(/ENOENT/);
  });

  it('returns every run when twenty are invoked at once', async () => {
    const set = await stage([hello()]);
    const run = await set.invoke();
    const runs = await Promise.all(Array.from({ length: 20 }, () => set.invoke()));
    expect(new Set(runs.map(({ invocationId }) => invocationId)).size).toBe(20);
    expect(runs.every(({ grounding }) => grounding.passed)).toBe(true);
    const lines = set
      .read({ ...run, invocationId: '.' }, 'invocations.jsonl')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(21);
  });
});

describe('invoke, stored bytes', () => {
  it('returns verdicts that a second reading of the stored files gives again', async () => {
    const agent = fakeAgent({ grounding_mode: 'retrieval' }, ({ retrieve }) => ({
      result: success([retrieve(PINNED)]),
    }));
    const set = await stage([agent]);
    const run = await set.invoke();
    const spans = readSpans(Buffer.from(set.read(run, 'spans.jsonl')), { file: 'spans.jsonl' });
    expect(groundingText(judge(spans, set.readJson(run, 'envelope.json')))).toBe(set.read(run, 'grounding.txt'));
    expect(at(run.envelope, '/policy_digest')).toMatch(/^[0-9a-f]{64}$/);
    expect(sha256Hex(set.read(run, 'envelope.json'))).toBe(sha256Hex(run.envelope.raw()));
  });
});
