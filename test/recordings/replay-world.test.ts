import { expect, test } from 'vitest';
import type { RunTrace } from '../../core/conductor/ports.js';
import { type RunWitness, witnessOf } from '../../core/conductor/witness.js';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { jsonOf } from '../../core/json/index.js';
import { type RecordedRun, replayDoor, replayWorld } from '../../core/recordings/index.js';
import { createTracer } from '../../core/trace/tracer.js';

const HASH = 'ab'.repeat(32);
const CLOCK = systemClock();

/** What a conductor does to its trace: the gate, what doors saw, the end. */
async function work(trace: RunTrace, serve: (witness: RunWitness) => void | Promise<void>): Promise<readonly string[]> {
  trace.child('policy_gate', { 'dd.operation': 'policy_gate' }).end();
  const witness = witnessOf(trace);
  await serve(witness);
  return trace.finish({
    'dd.outcome': 'succeeded',
    ...(witness.offered ? { 'dd.witnessed_spans': witness.count } : {}),
  });
}

function recordedAs(ownSpans: readonly string[], more: Partial<RecordedRun> = {}): RecordedRun {
  return {
    request: jsonOf({}),
    invocationId: '',
    inputHash: HASH,
    agent: {
      agentId: 'a',
      version: '1.0.0',
      contractVersion: '0.7.0',
      groundingMode: 'retrieval',
      accepts: [],
      payload: null,
      classes: new Map(),
      service: null,
    },
    startedAt: '2026-11-30T10:00:00.000001Z',
    completedAt: '2026-11-30T10:00:01.000002Z',
    envelopeHash: HASH,
    toldHash: HASH,
    ownSpans,
    reply: { kind: 'not-called' },
    ...more,
  };
}

async function again(run: RecordedRun): Promise<readonly string[]> {
  const { traceClock, ids, link } = replayWorld(run);
  const trace = createTracer({ clock: traceClock, ids }).startRun({}, link === undefined ? {} : { link });
  return work(trace, async (witness) => {
    const door = await replayDoor(run).open({ witness } as never);
    if (door !== null) witness.offer();
  });
}

const LINK = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
const tracer = createTracer({ clock: CLOCK, ids: randomSpanIds() });
const times = () => ({ startNs: CLOCK.nowNs(), endNs: CLOCK.nowNs() + 5_000n });

test.each<[string, (witness: RunWitness) => void]>([
  ['no door was open', () => undefined],
  ['doors were open and served nothing', (witness) => witness.offer()],
  [
    'records were served',
    (witness) => {
      witness.offer();
      for (const sourceId of ['src:a', 'src:b'])
        witness.note({ kind: 'retrieval', ...times(), sourceId, contentHash: HASH, snapshotRef: 'snap:1' });
    },
  ],
  [
    'models were called, answered as others, or did not answer',
    (witness) => {
      witness.offer();
      const call = {
        kind: 'chat',
        modelId: null,
        requestedModelId: null,
        inputTokens: null,
        outputTokens: null,
      } as const;
      witness.note({ ...call, ...times(), failure: null });
      witness.note({ ...call, ...times(), modelId: 'm', requestedModelId: 'm', inputTokens: 3, failure: null });
      witness.note({ ...call, ...times(), modelId: 'm-1', requestedModelId: 'm', outputTokens: 4, failure: null });
      witness.note({ ...call, ...times(), requestedModelId: 'm', failure: 'it answered 500' });
    },
  ],
])("returns the conductor's own spans to the byte when %s", async (_what, serve) => {
  for (const options of [{}, { link: LINK }]) {
    const lines = await work(tracer.startRun({}, options), serve);
    expect(await again(recordedAs(lines))).toEqual(lines);
  }
});

test('returns the recorded time of acceptance once, then that of completion', () => {
  const { clock } = replayWorld(recordedAs(['{"name":"x","context":{"trace_id":"a","span_id":"b"},"parent_id":null}']));
  const [first, second, third] = [clock.nowNs(), clock.nowNs(), clock.nowNs()];
  expect(second - first).toBe(1_000_001_000n);
  expect(third).toBe(second);
});

test('opens a door with a token for an agent that gave one away, so that it can do so again', async () => {
  const lines = await work(tracer.startRun({}), () => undefined);
  const open = await replayDoor(recordedAs(lines, { reply: { kind: 'showed-token' } })).open({
    witness: witnessOf(tracer.startRun({})),
  } as never);
  expect(open?.sources?.token).toEqual(expect.any(String));
});
