import { describe, expect, it } from 'vitest';
import { type Composable, parseJson } from '../../core/json/index.js';
import { GateError } from '../../core/model/errors.js';
import { fakeAgent, success } from './fake-agent.js';
import { PRINCIPAL, stage } from './stage.js';

type Members = Readonly<Record<string, Composable>>;
const codeOf = async (step: Promise<unknown>): Promise<string> => {
  try {
    await step;
  } catch (error) {
    return error instanceof GateError ? `${error.blame} ${error.code}` : `plain ${String(error)}`;
  }
  return 'fulfilled';
};
const hello = (more: Members = {}) => fakeAgent(more, ({ input }) => ({ result: success([input]) }));

describe('invoke, mistakes of the caller', () => {
  it.each<[string, Members, string]>([
    ['a member is missing', { issued_at: undefined as never }, 'caller request-malformed'],
    ['the id is no UUIDv7', { invocation_id: '../../etc' }, 'caller request-malformed'],
    ['the input names no class', { input: {} }, 'caller request-malformed'],
    ['it names whom it acts for', { acting_for: { name: 'me' } }, 'caller request-malformed'],
    ['it names a policy', { policy_bundle_ref: 'profile:mine@v1' }, 'caller request-malformed'],
    ['it names a parent', { parent_invocation_id: '01a0c455-bf5e-7bd9-8565-7a47938408ff' }, 'caller request-reserved'],
    ['it names a project', { project_id: 'p1' }, 'caller request-reserved'],
    ['the agent is unknown', { agent_id: 'no.such' }, 'caller agent-unknown'],
    ['the agent is called like a method', { agent_id: 'constructor' }, 'caller agent-unknown'],
    ['the agent is called __proto__', { agent_id: '__proto__' }, 'caller agent-unknown'],
  ])('rejects and stores nothing when %s', async (_, request, code) => {
    const set = await stage([hello()]);
    const before = set.names();
    expect(await codeOf(set.invoke(request))).toBe(code);
    expect(set.names()).toEqual(before);
  });

  it('rejects when the request is no object', async () => {
    const set = await stage([hello()]);
    for (const text of ['[]', 'null', '1'])
      expect(await codeOf(set.invokeNode(parseJson(Buffer.from(text), { file: 'r' })))).toBe(
        'caller request-malformed',
      );
  });

  it('rejects with every fault and the place of the first when several members are wrong', async () => {
    const set = await stage([hello()]);
    const request = parseJson(Buffer.from('{\n "agent_id": 1,\n "issued_at": "now",\n "extra": 1}'), {
      file: 'r.json',
    });
    await expect(set.invokeNode(request)).rejects.toMatchObject({
      code: 'request-malformed',
      place: { file: 'r.json', line: 1, column: 1 },
      message: expect.stringMatching(/invocation_id.*agent_id.*issued_at/s),
    });
  });

  it('rejects with the known agents and the reasons of the others when the agent is unknown', async () => {
    const unavailable = [{ label: 'example.down', reason: 'connection refused' }];
    const set = await stage([hello(), hello({ agent_id: 'fake.other' })], { unavailable });
    await expect(set.invoke({ agent_id: 'example.down' })).rejects.toThrow(
      /fake\.agent, fake\.other.*example\.down.*connection refused/s,
    );
  });

  it('rejects when the id is stored already, and keeps the stored run', async () => {
    const set = await stage([hello()]);
    const run = await set.invoke();
    const before = set.read(run, 'envelope.json');
    expect(await codeOf(set.invoke({ invocation_id: run.invocationId }))).toBe('caller invocation-stored');
    expect(set.read(run, 'envelope.json')).toBe(before);
  });

  it('rejects when a run of the id is in progress, and lets that one end', async () => {
    let release = () => {};
    const open = new Promise<void>((resolve) => {
      release = resolve;
    });
    const set = await stage([
      fakeAgent({}, async ({ input }) => {
        await open;
        return { result: success([input]) };
      }),
    ]);
    const id = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
    const first = set.invoke({ invocation_id: id });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await codeOf(set.invoke({ invocation_id: id }))).toBe('caller invocation-running');
    release();
    expect((await first).invocationId).toBe(id);
  });

  it('rejects when the principal breaks the contract, and stores nothing', async () => {
    const set = await stage([hello()]);
    const before = set.names();
    expect(await codeOf(set.invoke({}, { ...PRINCIPAL, principalId: 'me' }))).toBe('configuration principal-malformed');
    expect(set.names()).toEqual(before);
  });

  it('rejects when the store refuses to write, and gives the id back', async () => {
    const released: string[] = [];
    const store = {
      reserve: () => Promise.resolve(),
      write: () => Promise.reject(new Error('disk on fire')),
      release: async (id: string) => void released.push(id),
    };
    const set = await stage([hello()], { store });
    const id = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
    await expect(set.invoke({ invocation_id: id })).rejects.toThrow('disk on fire');
    expect(released).toEqual([id]);
  });
});
