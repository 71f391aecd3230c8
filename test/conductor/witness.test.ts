import { describe, expect, it } from 'vitest';
import type { SourceAccess } from '../../core/agents/agent.js';
import type { Door, DoorRun } from '../../core/conductor/doors.js';
import { MAX_WITNESSED_SPANS, type Noted, type Seen } from '../../core/conductor/witness.js';
import { readEnvelope } from '../../core/lint/index.js';
import { judge } from '../../core/lint/lint.js';
import { parseProfile } from '../../core/policy/index.js';
import { readSpans } from '../../core/trace/index.js';
import { fakeAgent, success } from './fake-agent.js';
import { stage } from './stage.js';

const HASH = 'a'.repeat(64);
const ACCESS: SourceAccess = { url: 'http://127.0.0.1:1', token: 'a-token-that-nobody-else-knows' };

interface StoredSpan {
  readonly name: string;
  readonly parent_id: string | null;
  readonly context: { readonly span_id: string; readonly trace_id: string };
  readonly start_time: string;
  readonly end_time: string;
  readonly status: { readonly status_code: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A door that notes what it is told to when it opens, and keeps what became of that. */
function door(seen: readonly Seen[] = [], sources: SourceAccess | null = ACCESS) {
  const noted: Noted[] = [];
  const runs: DoorRun[] = [];
  let closed = 0;
  const port: Door = {
    open: async (run) => {
      runs.push(run);
      for (const one of seen) noted.push(run.witness.note(one));
      return {
        ...(sources === null ? {} : { sources }),
        close: async () => {
          closed += 1;
        },
      };
    },
  };
  return { port, noted, runs, closed: () => closed };
}

const RETRIEVAL: Seen = {
  kind: 'retrieval',
  sourceId: 'src:a',
  contentHash: HASH,
  snapshotRef: 'snap:1',
  startNs: 1_800_000_000_000_000_000n,
  endNs: 1_800_000_000_000_001_000n,
};
const CHAT: Seen = {
  kind: 'chat',
  modelId: 'm-2026',
  requestedModelId: 'm',
  inputTokens: 3,
  outputTokens: null,
  failure: null,
  startNs: 1_800_000_000_000_002_000n,
  endNs: 1_800_000_000_000_003_000n,
};

function spansOf(text: string): StoredSpan[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredSpan);
}

describe('what doors report to the conductor', () => {
  it('stands as marked spans of the run, before those of the agent', async () => {
    const open = door([RETRIEVAL, CHAT]);
    const agent = fakeAgent({ grounding_mode: 'input_only' }, ({ input, chat }) => {
      chat();
      return { result: success([input]) };
    });
    const { invoke, read } = await stage([agent], { doors: [open.port] });
    const run = await invoke();
    const spans = spansOf(read(run, 'spans.jsonl'));
    expect(spans.map(({ name }) => name)).toEqual(['invoke_agent', 'policy_gate', 'retrieval', 'chat', 'chat']);
    const [root, , retrieval, chat] = spans;
    expect(root?.attributes['dd.witnessed_spans']).toBe(2);
    expect(root?.attributes).not.toHaveProperty('dd.require');
    expect(retrieval).toMatchObject({
      parent_id: root?.context.span_id,
      start_time: '2027-01-15T08:00:00.000000Z',
      end_time: '2027-01-15T08:00:00.000001Z',
      attributes: {
        'dd.operation': 'retrieval',
        'dd.witnessed': true,
        'dd.source_id': 'src:a',
        'dd.content_hash': HASH,
        'dd.snapshot_ref': 'snap:1',
      },
    });
    expect(chat?.attributes).toEqual({
      'dd.operation': 'chat',
      'dd.witnessed': true,
      'dd.model_id': 'm-2026',
      'dd.requested_model_id': 'm',
      'dd.input_tokens': 3,
    });
  });

  it('says ERROR when a model call failed', async () => {
    const open = door([{ ...CHAT, failure: 'status 500' }]);
    const { invoke, read } = await stage(
      [fakeAgent({ grounding_mode: 'input_only' }, ({ input }) => ({ result: success([input]) }))],
      {
        doors: [open.port],
      },
    );
    const chat = spansOf(read(await invoke(), 'spans.jsonl')).find(({ name }) => name === 'chat');
    expect(chat?.status).toEqual({ status_code: 'ERROR', description: 'status 500' });
  });

  it('changes nothing of a run for which no door is open', async () => {
    const closed: Door = { open: async () => null };
    const agent = fakeAgent({}, ({ input }) => ({ result: success([input]) }));
    const { invoke, read } = await stage([agent], { doors: [closed] });
    const [root] = spansOf(read(await invoke(), 'spans.jsonl'));
    expect(Object.keys(root?.attributes ?? {})).toEqual([
      'dd.operation',
      'dd.agent_id',
      'dd.grounding_mode',
      'dd.input_hash',
      'dd.outcome',
    ]);
  });

  it('is refused once the agent has answered, and the doors are shut', async () => {
    const open = door();
    const agent = fakeAgent({}, ({ input }) => ({ result: success([input]) }));
    const { invoke, read } = await stage([agent], { doors: [open.port] });
    const run = await invoke();
    expect(open.closed()).toBe(1);
    expect(open.runs[0]?.witness.note(RETRIEVAL)).toBe('closed');
    expect(spansOf(read(run, 'spans.jsonl'))).toHaveLength(2);
  });

  it('is refused beyond the most that a run may have, but for a model call, which is over', async () => {
    const open = door([...Array.from({ length: MAX_WITNESSED_SPANS }, () => CHAT), RETRIEVAL, CHAT]);
    const agent = fakeAgent({ grounding_mode: 'input_only' }, ({ input }) => ({ result: success([input]) }));
    const { invoke } = await stage([agent], { doors: [open.port] });
    await invoke();
    expect(open.noted.slice(-3)).toEqual(['noted', 'full', 'noted']);
  });

  it('shuts the doors that were opened when another one cannot be, and stores nothing', async () => {
    const open = door();
    const broken: Door = { open: () => Promise.reject(new Error('no door')) };
    const agent = fakeAgent({}, ({ input }) => ({ result: success([input]) }));
    const { invoke, names } = await stage([agent], { doors: [open.port, broken] });
    await expect(invoke()).rejects.toThrow('no door');
    expect(open.closed()).toBe(1);
    expect(names()).toEqual([]);
  });
});

describe('the token of a door', () => {
  it('reaches the agent, and fails a run that gives it back', async () => {
    const open = door();
    const agent = fakeAgent({}, ({ call, input }) => {
      expect(call.sources).toEqual(ACCESS);
      return { result: { ...success([input]), outcome: { status: 'succeeded', statement: ACCESS.token } } };
    });
    const { invoke, read } = await stage([agent], { doors: [open.port] });
    const run = await invoke();
    expect(run.envelope.get('problem')?.get('type')?.string()).toContain('agent-error');
    for (const file of ['envelope.json', 'spans.jsonl']) expect(read(run, file)).not.toContain(ACCESS.token);
  });

  it('is not in the message of an agent that throws it', async () => {
    const open = door();
    const agent = fakeAgent({}, () => Promise.reject(new Error(`no: ${ACCESS.token}`)));
    const { invoke, read } = await stage([agent], { doors: [open.port] });
    expect(read(await invoke(), 'envelope.json')).not.toContain(ACCESS.token);
  });
});

describe('the mark of the conductor', () => {
  it.each([[true], [false], ['yes']])('breaks G0 on a span of an agent, whatever its value: %j', async (value) => {
    const agent = fakeAgent({}, ({ input, recorder }) => {
      recorder.start('work', { attributes: { 'dd.witnessed': value } }).end();
      return { result: success([input]) };
    });
    const { invoke, read } = await stage([agent], { doors: [door([CHAT]).port] });
    const run = await invoke();
    expect(run.grounding.violations.filter(({ rule }) => rule === 'G0')).toHaveLength(1);
    const offline = judge(
      readSpans(Buffer.from(read(run, 'spans.jsonl')), { file: 'spans.jsonl' }),
      readEnvelope(Buffer.from(read(run, 'envelope.json')), { file: 'envelope.json' }),
    );
    expect(offline.rules).toContain('G0');
  });

  it('breaks G0 when the file holds fewer marked spans than the root states', async () => {
    const open = door([RETRIEVAL]);
    const agent = fakeAgent({ grounding_mode: 'input_only' }, ({ input }) => ({ result: success([input]) }));
    const { invoke, read } = await stage([agent], { doors: [open.port] });
    const run = await invoke();
    const kept = read(run, 'spans.jsonl')
      .split('\n')
      .filter((line) => !line.includes('"dd.witnessed":true'))
      .join('\n');
    const spans = readSpans(Buffer.from(kept), { file: 'spans.jsonl' });
    expect(judge(spans, run.envelope).rules).toContain('G0');
  });
});

describe('what is required of a run', () => {
  const agent = fakeAgent({}, ({ input }) => ({ result: success([input]) }));
  const profile = (require: string) =>
    parseProfile(
      Buffer.from(
        `profile_id: test\nversion: 3\nagents:\n  fake.agent: advise\n  fake.other: advise\nrequire: ${require}\n`,
      ),
      {
        file: 'profile.yaml',
      },
    );

  it.each([
    ['witnessed', 'witnessed'],
    ['{fake.agent: witnessed}', 'witnessed'],
    ['{fake.other: witnessed}', undefined],
  ])('stands on the root when the profile says %s', async (said, expected) => {
    const { invoke, read } = await stage([agent], { profile: profile(said) });
    const [root] = spansOf(read(await invoke(), 'spans.jsonl'));
    expect(root?.attributes['dd.require']).toBe(expected);
    expect(root?.attributes['dd.witnessed_spans']).toBe(expected === undefined ? undefined : 0);
  });

  it.each([['proven'], ['{fake.agent: proven}'], ['[witnessed]']])('is refused when the profile says %s', (said) => {
    expect(() => profile(said)).toThrow(expect.objectContaining({ blame: 'configuration' }));
  });
});
