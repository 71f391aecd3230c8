import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../core/agents/agent.js';
import { openModuleAgent } from '../../core/agents/module-agent.js';
import { startAgentProcess } from '../../core/io/agent-process.js';
import { hashOf } from '../../core/json/index.js';
import { callOf } from './call.js';
import { isRunning } from './is-running.js';

const open: Agent[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(module: string, timeoutMs = 20_000): Promise<Agent> {
  const agent = await openModuleAgent({
    module: join(import.meta.dirname, 'modules', module),
    label: module,
    environment: new Map(Object.entries({ PATH: process.env['PATH'] ?? '', CHOSEN: 'yes' })),
    timeoutMs,
    start: startAgentProcess,
  });
  open.push(agent);
  return agent;
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'it was fulfilled',
    (error) => error,
  );

describe('openModuleAgent', () => {
  it('returns what the module declares when it exports an agent', async () => {
    const { specification } = await start('hostile.js');
    expect(specification).toMatchObject({
      agentId: 'test.subject',
      version: '1.2.3',
      groundingMode: 'retrieval',
      payload: 'Answer',
    });
    expect([...specification.schemas.keys()]).toEqual(['Question', 'Answer']);
  });

  it.each([
    ['not-an-agent.js', 'agent-module'],
    ['no-export.js', 'agent-module'],
    ['throws-at-import.js', 'agent-module'],
    ['exits-at-import.js', 'agent-module'],
    ['missing.js', 'agent-module'],
    ['no-mode.js', 'agent-specification'],
  ])('rejects as a configuration error when the module is %s', async (module, code) => {
    expect(await rejection(start(module))).toMatchObject({ code, blame: 'configuration' });
  });

  it('rejects within its timeout when the module loops while it is loaded', async () => {
    expect(await rejection(start('loops-at-import.js', 1_000))).toMatchObject({
      code: 'agent-module',
      blame: 'configuration',
    });
  });
});

/** How the agent misbehaves, and the code of the error that the caller gets. */
const HOSTILE: readonly (readonly [how: string, code: string])[] = [
  ['loop', 'agent-timeout'],
  ['silence', 'agent-timeout'],
  ['exit', 'agent-exited'],
  ['exit-code', 'agent-exited'],
  ['abort', 'agent-exited'],
  ['kill', 'agent-exited'],
  ['throw', 'agent-threw'],
  ['throw-nothing', 'agent-threw'],
  ['late-throw', 'agent-exited'],
  ['number', 'agent-misuse'],
  ['nothing', 'agent-misuse'],
  ['list', 'agent-misuse'],
  ['function', 'agent-misuse'],
  ['date', 'agent-misuse'],
  ['nan', 'agent-misuse'],
  ['surrogate', 'agent-misuse'],
  ['cycle', 'agent-misuse'],
  ['too-large', 'agent-reply-too-large'],
  ['endless-line', 'agent-reply-too-large'],
  ['half', 'agent-exited'],
  ['not-json', 'agent-reply'],
  ['duplicate-key', 'agent-reply'],
  ['nan-literal', 'agent-reply'],
  ['not-utf8', 'agent-reply'],
  ['other-call', 'agent-reply'],
  ['no-spans', 'agent-reply'],
  ['odd-spans', 'agent-reply'],
  ['two-answers', 'agent-reply'],
  ['close-channel', 'agent-exited'],
];

describe('ModuleAgent.invoke', () => {
  it.each(HOSTILE)(
    'rejects within its timeout and serves the next call when the agent misbehaves by %s',
    async (how, code) => {
      const agent = await start('hostile.js', how === 'loop' || how === 'silence' ? 1_500 : 20_000);
      expect(await rejection(agent.invoke(callOf({ how })))).toMatchObject({ name: 'GateError', code, blame: 'agent' });
      const next = await agent.invoke(callOf({}));
      expect(next.result.get('outcome')?.get('status')?.string()).toBe('abstained');
    },
  );

  it('returns a result without an outcome with its spans, for the conductor to refuse', async () => {
    const agent = await start('hostile.js', 20_000);
    const { result, spans } = await agent.invoke(callOf({ how: 'no-outcome' }));
    expect([result.has('outcome'), spans]).toEqual([false, []]);
  });

  it('answers the other calls when one of several at once hangs', async () => {
    const agent = await start('hostile.js', 3_000);
    const hung = rejection(agent.invoke(callOf({ how: 'loop' })));
    const others = await Promise.all([1, 2, 3].map(() => agent.invoke(callOf({}))));
    expect(others.map(({ result }) => result.get('outcome')?.get('status')?.string())).toEqual([
      'abstained',
      'abstained',
      'abstained',
    ]);
    expect(await hung).toMatchObject({ code: 'agent-timeout' });
  });

  it('rejects when a fresh process declares something else than the registered one', async () => {
    const agent = await start('edits-itself.js');
    expect(await rejection(agent.invoke(callOf({})))).toMatchObject({ code: 'agent-exited' });
    expect(await rejection(agent.invoke(callOf({})))).toMatchObject({ code: 'agent-changed', blame: 'agent' });
  });

  it('kills what the agent started when the agent does not answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gg-fork-'));
    folders.push(folder);
    const agent = await start('fork-bomb.js', 2_000);
    const file = join(folder, 'pids');
    expect(await rejection(agent.invoke(callOf({ file })))).toMatchObject({ code: 'agent-timeout' });
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.some(isRunning)).toBe(false);
  });

  it('gives the process PATH, HOME, LANG and the chosen variables only', async () => {
    const agent = await start('shows-environment.js');
    const { result } = await agent.invoke(callOf({}));
    const seen = JSON.parse(result.get('outcome')?.get('statement')?.string() ?? '{}') as Record<string, unknown>;
    expect(Object.keys(seen).sort()).toEqual(['CHOSEN', 'PATH', 'argv']);
  });

  it('keeps the lexemes of records, sums tokens and links spans to the root when the agent is well behaved', async () => {
    const agent = await start('grounded.js');
    const { result, spans } = await agent.invoke(callOf({}));
    const [numbers, plain] = result.get('evidence')?.items() ?? [];
    expect(numbers?.get('content')?.get('price')?.lexeme()).toBe('1.0');
    expect(numbers?.get('content')?.get('big')?.lexeme()).toBe('12345678901234567890');
    for (const item of [numbers, plain]) {
      const content = item?.get('content');
      expect(content && hashOf(content, 'dd-json-document-v1')).toBe(item?.get('content_hash')?.string());
    }
    expect(result.get('payload')?.get('schema_class')?.string()).toBe('Answer');
    expect(['model_id', 'input_tokens', 'output_tokens'].map((key) => result.get(key)?.text())).toEqual([
      '"model-1"',
      '15',
      '4',
    ]);
    expect(spans.map((span) => JSON.parse(span) as { name: string; parent_id: string })).toMatchObject(
      ['retrieval', 'retrieval', 'chat', 'chat'].map((name) => ({ name, parent_id: '0xb7ad6b7169203331' })),
    );
  });
});
