import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { InvokedRun } from '../../core/conductor/ports.js';
import { type Composable, hashOf, type JsonNode, parseJson } from '../../core/json/index.js';
import { type HarnessOptions, startHarness } from '../../core/runner/harness.js';
import {
  type AgentAnswer,
  type Behaviour,
  completed,
  type SeenCall,
  startReferenceAgent,
} from '../interop/reference/agent.js';
import { canonical, type PyValue, sha256 } from '../interop/reference/python.js';
import { messageBody, newInvocationId, post } from '../interop/reference/workbench.js';
import { PRINCIPAL, requestFor, sessionWith } from '../interop/session.js';

const ROOT = join(import.meta.dirname, '../..');
const example = (name: string): string => `{module: ${JSON.stringify(join(ROOT, 'examples/agents', `${name}.js`))}}`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const PERMITTED = {
  'orchestrator.stub': 'orchestrate',
  'example.hello': 'converse',
  'example.miscites': 'test',
  'ref.parent': 'lookup',
  'ref.child': 'lookup',
};

/** A conductor with its endpoint open, the example agents, and further ones that a test serves itself. */
async function workbench(services: Readonly<Record<string, Behaviour>> = {}, options: Partial<HarnessOptions> = {}) {
  const entries = ['orchestrator', 'hello', 'miscites', 'quality'].map(example);
  for (const [agentId, behaviour] of Object.entries(services)) {
    const agent = await startReferenceAgent(agentId, behaviour);
    open.push(agent);
    entries.push(`{url: "${agent.url}", timeout_s: 10}`);
  }
  const bench = await sessionWith({ agents: `agents: [${entries.join(', ')}]`, permitted: PERMITTED });
  open.push(bench);
  const harness = await startHarness(bench.session, { host: '127.0.0.1', port: 0, ...options });
  open.push(harness);
  const runs = join(bench.folder, 'runs');
  return {
    harness,
    runs,
    folder: bench.folder,
    invoke: (agentId: string, input: Readonly<Record<string, Composable>>) =>
      bench.session.conductor.invoke({ request: requestFor(agentId, input), principal: PRINCIPAL }),
    index: (): string[] =>
      readFileSync(join(runs, 'invocations.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { invocation_id: string }).invocation_id),
    stored: (id: string): JsonNode => parseJson(readFileSync(join(runs, id, 'envelope.json')), { file: id }),
    spans: (id: string) =>
      readFileSync(join(runs, id, 'spans.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Span),
  };
}

interface Span {
  readonly name: string;
  readonly context: { readonly trace_id: string; readonly span_id: string };
  readonly links: readonly { readonly context: { readonly trace_id: string; readonly span_id: string } }[];
}

/** A caller of the endpoint sends the id and the time himself. */
const whole = <Parts extends object>(parts: Parts) => ({
  invocation_id: '01a0c455-0000-7000-8000-000000000001',
  issued_at: '2026-09-30T10:00:00Z',
  ...parts,
});
const HELLO = { agent_id: 'example.hello', input: { schema_class: 'Message', message_text: 'Good morning' } };
const assignment = (...tasks: readonly Composable[]) => ({ schema_class: 'Assignment', tasks });
const children = (run: InvokedRun): JsonNode[] => run.envelope.get('delegations')?.items() ?? [];
const text = (node: JsonNode | undefined, key: string): string => node?.get(key)?.string() ?? '';

/** Sends a delegated request back as the reference's SDK does; `change` makes it something else. */
async function comeBack(
  call: SeenCall,
  change: {
    readonly request?: Record<string, PyValue>;
    readonly metadata?: Record<string, string>;
    readonly url?: string;
  } = {},
) {
  const request: Record<string, PyValue> = {
    invocation_id: newInvocationId(),
    agent_id: 'example.hello',
    issued_at: '2026-09-30T10:00:00Z',
    input: HELLO.input,
    ...change.request,
  };
  const metadata = {
    'dd.delegation_token': call.metadata['dd.delegation_token'] ?? '',
    traceparent: call.metadata['traceparent'] ?? '',
    ...change.metadata,
  };
  const { body } = await post(change.url ?? call.metadata['dd.delegate_url'] ?? '', messageBody(request, metadata));
  const { result } = JSON.parse(body) as {
    result: {
      task: {
        status: { state: string; message?: { parts: { data: { error: string } }[] } };
        artifacts?: { name: string; parts: { text?: string; data?: unknown }[] }[];
      };
    };
  };
  const envelope = result.task.artifacts?.find(({ name }) => name === 'envelope-json')?.parts[0]?.text;
  return { body, envelope, state: result.task.status.state, error: result.task.status.message?.parts[0]?.data.error };
}

/** The result of a delegating agent that cites its input and these envelopes, which it hashes as the reference does. */
function relay(
  call: SeenCall,
  envelopes: readonly (string | undefined)[],
  alter = (hash: string) => hash,
): AgentAnswer {
  const input = call.request['input'] as PyValue;
  const own = { source_id: call.metadata['dd.input_ref'] ?? '', content_hash: sha256(canonical(input)) };
  const cited = envelopes.map((envelope) => {
    const node = parseJson(Buffer.from(envelope ?? '{}'), { file: 'child' });
    return {
      source_id: `invocation:${text(node, 'invocation_id')}`,
      content_hash: alter(hashOf(node, 'dd-envelope-json-v1')),
    };
  });
  return {
    result: {
      outcome: { status: 'succeeded', statement: 'Relayed.' },
      payload: { schema_class: 'Finding', text: 'relayed', grounded_on: [own, ...cited] },
      evidence: [
        { ...own, hash_algorithm: 'sha256', canonicalisation: 'dd-input-json-v1', content: input },
        ...cited.map((item) => ({ ...item, hash_algorithm: 'sha256', canonicalisation: 'dd-envelope-json-v1' })),
      ],
    },
    spans: [],
  };
}

const LOOKUP = { schema_class: 'Lookup', term: 'm' };
const abstain: AgentAnswer = {
  result: { outcome: { status: 'abstained', statement: 's', reason_code: 'not_applicable' }, evidence: [] },
  spans: [],
};

/** Runs a delegating agent of the reference that does this when it is called, and gives what it saw. */
async function asParent<Seen>(
  work: (call: SeenCall) => Promise<Seen>,
  services: Readonly<Record<string, Behaviour>> = {},
) {
  const seen: { value?: Seen; call?: SeenCall } = {};
  const bench = await workbench({
    'ref.parent': {
      mode: 'delegation',
      answer: async (call) => {
        seen.call = call;
        seen.value = await work(call);
        return abstain;
      },
    },
    ...services,
  });
  const run = await bench.invoke('ref.parent', LOOKUP);
  if (seen.value === undefined || seen.call === undefined)
    throw new Error(`the parent did not run: ${run.envelope.text()}`);
  return { ...bench, run, seen: seen.value, call: seen.call };
}

describe('delegation', () => {
  it('records two children of the example agent, listed and stored before their parent, each cited by its stored hash', async () => {
    const bench = await workbench();
    const run = await bench.invoke('orchestrator.stub', assignment(HELLO, HELLO));
    expect(text(run.envelope.get('outcome'), 'status')).toBe('succeeded');
    expect(run.grounding).toMatchObject({ passed: true, mode: 'delegation' });
    const recorded = children(run);
    expect(recorded).toHaveLength(2);
    for (const record of recorded) {
      const child = bench.stored(text(record, 'delegated_invocation_id'));
      expect(text(record, 'content_hash')).toBe(hashOf(child, 'dd-envelope-json-v1'));
      expect(text(record, 'delegated_status')).toBe('succeeded');
      expect(text(child, 'parent_invocation_id')).toBe(run.invocationId);
      expect(child.get('acting_for')?.get('principal_id')?.string()).toBe(PRINCIPAL.principalId);
    }
    const ids = recorded.map((record) => text(record, 'delegated_invocation_id'));
    expect(bench.index().slice(0, 2).sort()).toEqual([...ids].sort());
    expect(bench.index()[2]).toBe(run.invocationId);
  });

  it('gives a child a trace of its own, linked to the span that waited for it', async () => {
    const bench = await workbench();
    const run = await bench.invoke('orchestrator.stub', assignment(HELLO));
    const [record] = children(run);
    const parent = bench.spans(run.invocationId);
    const child = bench.spans(text(record, 'delegated_invocation_id'));
    const waiting = parent.find(({ name }) => name === 'delegate');
    const root = child.find(({ name }) => name === 'invoke_agent');
    expect(root?.context.trace_id).not.toBe(waiting?.context.trace_id);
    expect(root?.links.map(({ context }) => context)).toEqual([expect.objectContaining(waiting?.context ?? {})]);
  });

  it.each([
    ['the profile does not enable', 'advisor.quality', { schema_class: 'MetadataRecord' }, /agent-not-permitted$/],
    [
      'breaks the grounding rules',
      'example.miscites',
      { schema_class: 'Trick', how: 'invented' },
      /grounding-violation$/,
    ],
  ])('relays the failed envelope of a child that %s', async (_, agent_id, input, problem) => {
    const bench = await workbench();
    const run = await bench.invoke('orchestrator.stub', assignment({ agent_id, input }));
    expect(text(run.envelope.get('outcome'), 'status')).toBe('succeeded');
    const [record] = children(run);
    expect(text(record, 'delegated_status')).toBe('failed');
    expect(text(bench.stored(text(record, 'delegated_invocation_id')).get('problem'), 'type')).toMatch(problem);
  });

  it('keeps and lists the children of a parent that failed afterwards', async () => {
    const bench = await workbench({
      'ref.parent': {
        mode: 'delegation',
        onCall: async (call, response) => {
          await comeBack(call);
          response.destroy();
        },
      },
    });
    const run = await bench.invoke('ref.parent', LOOKUP);
    expect(text(run.envelope.get('problem'), 'type')).toMatch(/agent-error$/);
    expect(children(run)).toHaveLength(1);
    expect(bench.index()).toEqual([text(children(run)[0], 'delegated_invocation_id'), run.invocationId]);
  });

  it('waits for a child that outlives its parent, and records it', async () => {
    let finish: () => void = () => {};
    const slow = new Promise<void>((done) => {
      finish = done;
    });
    let started: () => void = () => {};
    const begun = new Promise<void>((done) => {
      started = done;
    });
    const bench = await workbench({
      'ref.child': {
        answer: async () => {
          started();
          await slow;
          return abstain;
        },
      },
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          void comeBack(call, { request: { agent_id: 'ref.child', input: LOOKUP } });
          await begun;
          setTimeout(finish, 300);
          return abstain;
        },
      },
    });
    const run = await bench.invoke('ref.parent', LOOKUP);
    expect(children(run).map((record) => text(record, 'delegated_agent_id'))).toEqual(['ref.child']);
    expect(bench.index()[1]).toBe(run.invocationId);
  });

  it.each<[string, Parameters<typeof comeBack>[1], RegExp]>([
    ['the token is unknown', { metadata: { 'dd.delegation_token': 'A'.repeat(43) } }, /^grant-unknown/],
    ['the token is empty', { metadata: { 'dd.delegation_token': '' } }, /^grant-unknown/],
    [
      'the token comes out of another trace',
      { metadata: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
      /^grant-second-hand/,
    ],
    ['there is no trace', { metadata: { traceparent: '' } }, /^grant-second-hand/],
    ['the agent asks for itself', { request: { agent_id: 'ref.parent' } }, /^delegation-to-self/],
    ['the agent is unknown', { request: { agent_id: 'no.one' } }, /^agent-unknown/],
    ['the request sets its parent', { request: { parent_invocation_id: newInvocationId() } }, /^request-reserved/],
    ['the request sets a project', { request: { project_id: 'p' } }, /^request-reserved/],
    ['the request names a principal', { request: { acting_for: {} } }, /^request-malformed/],
  ])('refuses and stores nothing when %s', async (_, change, error) => {
    const { seen, run, index } = await asParent((call) => comeBack(call, change));
    expect(seen).toMatchObject({ state: 'TASK_STATE_FAILED', error: expect.stringMatching(error) });
    expect(run.envelope.has('delegations')).toBe(false);
    expect(index()).toEqual([run.invocationId]);
  });

  it('refuses a child with the id of its parent', async () => {
    const { seen, run } = await asParent((call) =>
      comeBack(call, { request: { invocation_id: String(call.request['invocation_id']) } }),
    );
    expect(seen.error).toMatch(/^invocation-running/);
    expect(run.envelope.has('delegations')).toBe(false);
  });

  it('refuses a token once its run has ended', async () => {
    const { call, index, run } = await asParent(async () => true);
    expect((await comeBack(call)).error).toMatch(/^grant-unknown/);
    expect(index()).toEqual([run.invocationId]);
  });

  it('refuses a token that was handed on in the input of a child', async () => {
    const { seen } = await asParent((call) =>
      comeBack(call, {
        request: { input: { schema_class: 'Message', message_text: call.metadata['dd.delegation_token'] ?? '' } },
      }),
    );
    expect(seen.error).toMatch(/^grant-second-hand/);
  });

  it('gives a delegated run no grant, also when its agent delegates', async () => {
    const { seen, stored } = await asParent((call) =>
      comeBack(call, { request: { agent_id: 'orchestrator.stub', input: assignment(HELLO) as PyValue } }),
    );
    const child = parseJson(Buffer.from(seen.envelope ?? ''), { file: 'child' });
    expect(text(child.get('problem'), 'type')).toMatch(/agent-error$/);
    expect(stored(text(child, 'invocation_id')).has('delegations')).toBe(false);
  });

  it('takes the conversation from the grant and restores integers by the class of the child', async () => {
    const { seen, runs } = await asParent(
      (call) =>
        comeBack(call, {
          request: { agent_id: 'ref.child', conversation_id: 'another', input: { ...LOOKUP, limit: 3, weight: 2 } },
        }),
      { 'ref.child': { answer: async () => abstain } },
    );
    const child = parseJson(Buffer.from(seen.envelope ?? ''), { file: 'child' });
    expect(child.has('conversation_id')).toBe(false);
    const request = readFileSync(join(runs, text(child, 'invocation_id'), 'request.json'), 'utf8');
    expect(request).toMatch(/"limit": 3,/);
    expect(request).toMatch(/"weight": 2\.0/);
    expect(request).not.toContain('another');
  });

  it.each([
    ['D1, D2', (hash: string) => hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), ['D1', 'D2']],
    ['nothing', (hash: string) => hash, []],
  ])('breaks %s when the parent cites its child so', async (_, alter, rules) => {
    const bench = await workbench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => relay(call, [(await comeBack(call)).envelope], alter),
      },
    });
    const run = await bench.invoke('ref.parent', LOOKUP);
    expect(run.grounding.rules).toEqual(rules);
  });

  it('breaks D3 when the parent leaves its input out of the evidence', async () => {
    const bench = await workbench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          const { result, spans } = relay(call, [(await comeBack(call)).envelope]);
          const full = result as { payload: { grounded_on: PyValue[] }; evidence: PyValue[] };
          const payload = { ...full.payload, grounded_on: full.payload.grounded_on.slice(1) };
          return { result: { ...full, payload, evidence: full.evidence.slice(1) } as PyValue, spans };
        },
      },
    });
    expect((await bench.invoke('ref.parent', LOOKUP)).grounding.rules).toEqual(['D3']);
  });

  it('leaves the token in no file and no answer, also when the agent gives it away', async () => {
    const tokens: string[] = [];
    const bodies: string[] = [];
    const bench = await workbench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          const token = call.metadata['dd.delegation_token'] ?? '';
          tokens.push(token);
          bodies.push((await comeBack(call)).body, (await comeBack(call, { request: { agent_id: token } })).body);
          if (call.request['input'] !== null && (call.request['input'] as { term: string }).term === 'fail')
            throw new Error(token);
          return { result: { outcome: { status: 'abstained', statement: token } }, spans: [] };
        },
      },
    });
    const told = await bench.invoke('ref.parent', LOOKUP);
    expect(text(told.envelope.get('problem'), 'type')).toMatch(/agent-error$/);
    await bench.invoke('ref.parent', { ...LOOKUP, term: 'fail' });
    expect(tokens).toHaveLength(2);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) {
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      const files = readdirSync(bench.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
      expect(files.length).toBeGreaterThan(10);
      for (const file of files) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain(token);
      for (const body of bodies) expect(body).not.toContain(token);
    }
  });
});

describe('a token that is written as the numbers of its letters', () => {
  const numbered = (token: string): string =>
    [...token].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');

  it.each<[string, (written: string, text: string) => string]>([
    ['the statement', (written, reply) => reply.replace('STATEMENT', written)],
    ['a span', (written, reply) => reply.replace('SPAN', written.replaceAll('\\', '\\\\'))],
  ])('fails the run when it stands in %s', async (_, put) => {
    const bench = await workbench({
      'ref.parent': {
        mode: 'delegation',
        onCall: (call, response) => {
          const span = JSON.stringify({ name: 'note', context: { trace_id: 'a', span_id: 'SPAN' } });
          const outcome = { status: 'abstained', statement: 'STATEMENT', reason_code: 'not_applicable' };
          const reply = completed((JSON.parse(call.body) as { id: number }).id, { result: { outcome }, spans: [span] });
          response.writeHead(200).end(put(numbered(call.metadata['dd.delegation_token'] ?? ''), reply));
        },
      },
    });
    const { envelope } = await bench.invoke('ref.parent', LOOKUP);
    expect(text(envelope.get('problem'), 'type')).toMatch(/agent-error$/);
    expect(text(envelope.get('problem'), 'detail')).toContain('token');
  });
});

describe('the endpoint', () => {
  it('refuses a request from elsewhere without a grant where nobody is named for whom it would be made', async () => {
    const bench = await workbench();
    const call = { metadata: {}, request: {}, headers: {}, body: '' };
    const body = await post(bench.harness.url, messageBody(whole(HELLO), {}));
    expect(body.body).toContain('call-refused');
    expect((await comeBack(call, { url: bench.harness.url })).error).toMatch(/^grant-unknown/);
    expect(readdirSync(bench.runs).filter((name) => name.length === 36)).toEqual([]);
  });

  it('takes one for the principal of its operator, and still none under a token that is unknown', async () => {
    const bench = await workbench({}, { authenticator: { principal: async () => PRINCIPAL } });
    const sent = await post(bench.harness.url, messageBody(whole(HELLO), {}));
    expect(sent.body).toContain('envelope-json');
    expect(bench.index()).toHaveLength(1);
    const call = { metadata: {}, request: {}, headers: {}, body: '' };
    expect((await comeBack(call, { url: bench.harness.url })).error).toMatch(/^grant-unknown/);
    expect(bench.index()).toHaveLength(1);
  });

  it('refuses a request without an id of its own, and stores nothing', async () => {
    const bench = await workbench({}, { authenticator: { principal: async () => PRINCIPAL } });
    const { body } = await post(bench.harness.url, messageBody(HELLO, {}));
    expect(body).toContain('request-malformed');
    expect(readdirSync(bench.runs).filter((name) => name.length === 36)).toEqual([]);
  });

  it('restores the integers of a request that crossed a Struct', async () => {
    const bench = await workbench(
      { 'ref.child': { answer: async () => abstain } },
      { authenticator: { principal: async () => PRINCIPAL } },
    );
    const input = { ...LOOKUP, limit: 3, weight: 2 };
    await post(bench.harness.url, messageBody(whole({ agent_id: 'ref.child', input }), {}));
    const request = readFileSync(join(bench.runs, bench.index()[0] ?? '', 'request.json'), 'utf8');
    expect(request).toMatch(/"limit": 3,/);
    expect(request).toMatch(/"weight": 2\.0/);
  });

  it('tells agents its own address, or the one that overrides it', async () => {
    for (const harnessUrl of [undefined, 'http://127.0.0.1:9/harness']) {
      let told: string | undefined;
      const bench = await workbench(
        {
          'ref.parent': {
            mode: 'delegation',
            answer: async (call) => {
              told = call.metadata['dd.delegate_url'];
              return abstain;
            },
          },
        },
        harnessUrl === undefined ? {} : { harnessUrl },
      );
      await bench.invoke('ref.parent', LOOKUP);
      expect(told).toBe(harnessUrl ?? bench.harness.url);
    }
  });
});
