import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { showsToken, withoutTokens } from '../../core/conductor/tokens.js';
import { startHarness } from '../../core/runner/harness.js';
import { type Behaviour, completed, type SeenCall, startReferenceAgent } from '../interop/reference/agent.js';
import type { PyValue } from '../interop/reference/python.js';
import { messageBody, newInvocationId, post } from '../interop/reference/workbench.js';
import { PRINCIPAL, requestFor, sessionWith } from '../interop/session.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A parent that delegates and a child, both served by a test, under a conductor with an open endpoint that takes requests of its operator too. */
async function bench(services: Readonly<Record<'ref.parent' | 'ref.child', Behaviour>>) {
  const entries: string[] = [];
  for (const [agentId, behaviour] of Object.entries(services)) {
    const agent = await startReferenceAgent(agentId, behaviour);
    open.push(agent);
    entries.push(`{url: "${agent.url}", timeout_s: 10}`);
  }
  const permitted = { 'ref.parent': 'lookup', 'ref.child': 'lookup' };
  const made = await sessionWith({ agents: `agents: [${entries.join(', ')}]`, permitted });
  open.push(made);
  const authenticator = { principal: async () => PRINCIPAL };
  open.push(await startHarness(made.session, { host: '127.0.0.1', port: 0, authenticator }));
  return {
    invoke: (agentId: string) =>
      made.session.conductor.invoke({ request: requestFor(agentId, LOOKUP), principal: PRINCIPAL }),
    /** Every text that stands in a file, its escapes undone as often as there are any. */
    written: (): string =>
      readdirSync(made.folder, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'))
        .join('\n')
        .replace(/\\+u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  };
}

const LOOKUP = { schema_class: 'Lookup', term: 'm' };
const abstained = (statement = 's'): PyValue => ({
  outcome: { status: 'abstained', statement, reason_code: 'not_applicable' },
});
const tokenOf = (call: SeenCall): string => call.metadata['dd.delegation_token'] ?? '';
/** As JSON may write it, so that no byte of the token stands there. */
const escaped = (text: string): string =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Answers with this, HERE being replaced in the bytes of the reply. */
const answering =
  (answer: { readonly result: PyValue; readonly spans?: readonly string[] }, here: (call: SeenCall) => string) =>
  (call: SeenCall, response: Parameters<NonNullable<Behaviour['onCall']>>[1]): void => {
    const { id } = JSON.parse(call.body) as { id: number };
    const body = completed(id, { spans: [], ...answer }).replaceAll('HERE', here(call));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };

/** Sends a request to the endpoint, HERE being replaced in its bytes. */
async function ask(call: SeenCall, given: { readonly metadata: Record<string, string>; readonly here: string }) {
  const request = {
    invocation_id: newInvocationId(),
    agent_id: 'ref.child',
    issued_at: '2026-09-30T10:00:00Z',
    input: { ...LOOKUP, term: 'HERE' },
  };
  const body = messageBody(request, given.metadata).replaceAll('HERE', given.here);
  return (await post(call.metadata['dd.delegate_url'] ?? '', body)).body;
}

const CHILD: Behaviour = { answer: async () => ({ result: abstained(), spans: [] }) };
const span = (name: string): string =>
  JSON.stringify({
    name: 'note',
    context: { trace_id: `0x${'a'.repeat(32)}`, span_id: `0x${'b'.repeat(16)}`, trace_state: '[]' },
    start_time: '2026-09-30T10:00:00.000000Z',
    end_time: '2026-09-30T10:00:00.000000Z',
    attributes: { note: name },
  });

describe('the token of a grant', () => {
  it.each<[string, { readonly result: PyValue; readonly spans?: readonly string[] }]>([
    ['its statement', { result: abstained('HERE') }],
    ['an attribute of a span', { result: abstained(), spans: [span('HERE')] }],
    [
      'its payload',
      {
        result: {
          outcome: { status: 'succeeded', statement: 's' },
          payload: { schema_class: 'Finding', text: 'HERE', grounded_on: [] },
        },
      },
    ],
    ['a key of its evidence', { result: { ...(abstained() as object), evidence: [{ HERE: 1 }] } }],
  ])('is in no file when an agent writes it into %s, escaped or not', async (_, answer) => {
    for (const write of [(text: string) => text, escaped]) {
      const tokens: string[] = [];
      const here = (call: SeenCall): string => {
        tokens.push(tokenOf(call));
        return write(tokenOf(call));
      };
      const { invoke, written } = await bench({
        'ref.parent': { mode: 'delegation', onCall: answering(answer, here) },
        'ref.child': CHILD,
      });
      const run = await invoke('ref.parent');
      expect(run.envelope.locate('/problem/type')?.string()).toMatch(/agent-error$/);
      expect(tokens).toHaveLength(1);
      expect(written()).not.toContain(tokens[0]);
    }
  });

  it.each([
    ['under its grant', (call: SeenCall) => call.metadata],
    ['as one of its own', () => ({})],
  ])('is in no file when an agent writes it into a request that it makes %s', async (_, metadataOf) => {
    for (const write of [(text: string) => text, escaped]) {
      let token = '';
      let answer = '';
      const { invoke, written } = await bench({
        'ref.parent': {
          mode: 'delegation',
          answer: async (call) => {
            token = tokenOf(call);
            answer = await ask(call, { metadata: metadataOf(call), here: write(token) });
            return { result: abstained(), spans: [] };
          },
        },
        'ref.child': CHILD,
      });
      await invoke('ref.parent');
      expect(answer).toContain('grant-second-hand');
      expect(written()).not.toContain(token);
    }
  });

  it('is in no file when a child returns that of its parent, which it came by in another way', async () => {
    let token = '';
    const { invoke, written } = await bench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          token = tokenOf(call);
          await ask(call, { metadata: call.metadata, here: 'm' });
          return { result: abstained(), spans: [] };
        },
      },
      'ref.child': { onCall: answering({ result: abstained('HERE') }, () => token) },
    });
    await invoke('ref.parent');
    expect(token).toHaveLength(43);
    expect(written()).not.toContain(token);
  });

  it('is in no file when the run of another returns it', async () => {
    let token = '';
    let other: Promise<unknown> = Promise.resolve();
    const made = await bench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          token = tokenOf(call);
          other = made.invoke('ref.child');
          await other;
          return { result: abstained(), spans: [] };
        },
      },
      'ref.child': { onCall: answering({ result: abstained('HERE') }, () => token) },
    });
    await made.invoke('ref.parent');
    expect(token).toHaveLength(43);
    expect(made.written()).not.toContain(token);
  });

  it('is taken for one only where it is a text, and makes no run of the operator otherwise', async () => {
    const answers: string[] = [];
    const { invoke } = await bench({
      'ref.parent': {
        mode: 'delegation',
        answer: async (call) => {
          for (const odd of ['7', 'null', '["x"]']) {
            const metadata = { 'dd.delegation_token': 'ODD' };
            const request = { ...requestParts(), agent_id: 'ref.child', input: LOOKUP };
            const body = messageBody(request, metadata).replaceAll('"ODD"', odd);
            answers.push((await post(call.metadata['dd.delegate_url'] ?? '', body)).body);
          }
          return { result: abstained(), spans: [] };
        },
      },
      'ref.child': CHILD,
    });
    await invoke('ref.parent');
    expect(answers).toHaveLength(3);
    for (const answer of answers) expect(answer).toContain('grant-unknown');
  });
});

const requestParts = () => ({ invocation_id: newInvocationId(), issued_at: '2026-09-30T10:00:00Z' });

describe('withoutTokens', () => {
  const token = 'Ab3_-'.repeat(8).concat('xyz');
  it.each([
    ['whole', `no ${token} here`],
    ['cut', `no ${token.slice(0, 42)}`],
    ['escaped', `no ${escaped(token)}`],
    ['escaped twice', `no ${escaped(token).replaceAll('\\', '\\\\')}`],
  ])('takes a token out that stands there %s', (_, text) => {
    expect(withoutTokens(text, [token])).toMatch(/^no \(token\)/);
    expect(withoutTokens(text, [token])).not.toContain(token.slice(0, 42));
  });

  it('leaves other texts as they are', () => {
    expect(withoutTokens('a \\u0041 b', [token])).toBe('a \\u0041 b');
    expect(showsToken('a \\u0041 b', token)).toBe(false);
  });
});
