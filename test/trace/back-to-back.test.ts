import { expect, it } from 'vitest';
import { defineAgent } from '../../core/agents/delegate/definition.js';
import { runCall } from '../../core/agents/delegate/run-call.js';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { jsonOf, parseJson } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import type { GroundingReport } from '../../core/model/report.js';
import { ATTRIBUTES, readSpans } from '../../core/trace/index.js';
import { createTracer, type TracerWorld } from '../../core/trace/tracer.js';
import { callOf } from '../agents/call.js';
import { declared } from '../agents/modules/specification.js';

const PAIRS = 2_000;
const real: TracerWorld = { clock: systemClock(), ids: randomSpanIds() };

const agent = defineAgent({
  ...declared,
  async run(ctx) {
    const read = await ctx.retrieval({ source_id: 'src:1', canonicalisation: 'dd-json-document-v1' }, () => ({ n: 1 }));
    await ctx.chat('m', () => 'words');
    return ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(read)] } });
  },
});

/** One run of the agent, written as a span file, read back and judged. */
async function judgedRun(
  world: TracerWorld,
  i: number,
): Promise<{ readonly report: GroundingReport; readonly lines: readonly string[] }> {
  const call = callOf({ i });
  const trace = createTracer(world).startRun({
    [ATTRIBUTES.groundingMode]: 'retrieval',
    [ATTRIBUTES.inputHash]: call.inputHash,
  });
  const reply = parseJson(await runCall({ ...call, traceparent: trace.traceparent }, { definition: agent, world }), {
    file: 'reply',
  });
  const own = trace.finish({ [ATTRIBUTES.outcome]: 'succeeded' });
  const lines = [...own, ...(reply.get('spans')?.items() ?? []).map((span) => span.string() ?? '')];
  const envelope = jsonOf({
    invocation_id: call.inputRef.slice('input:'.length),
    grounding_mode: 'retrieval',
    outcome: reply.locate('/result/outcome'),
    payload: reply.locate('/result/payload'),
    evidence: reply.locate('/result/evidence'),
  });
  return { report: judge(readSpans(Buffer.from(lines.join('\n')), { file: 'spans.jsonl' }), envelope), lines };
}

it(`breaks no rule in any of ${PAIRS} runs whose chat follows the retrieval at once`, async () => {
  for (let i = 0; i < PAIRS; i++) {
    const { report } = await judgedRun(real, i);
    expect(report).toMatchObject({ passed: true, violations: [], retrievals: 1, chats: 1 });
  }
}, 180_000);

it('breaks no rule when the chat starts in the very microsecond in which the retrieval ended', async () => {
  // Each reading is 7 ns after the one before, so that truncation makes them all the same text.
  let now = 1_790_762_400_000_000_000n;
  const { report, lines } = await judgedRun({ ...real, clock: { nowNs: () => (now += 7n) } }, 0);
  const times = lines.map((line) => JSON.parse(line) as { start_time: string; end_time: string });
  expect(new Set(times.flatMap(({ start_time, end_time }) => [start_time, end_time])).size).toBe(1);
  expect(report).toMatchObject({ passed: true, violations: [] });
});

it('breaks G1 when the clock has gone back between the retrieval and the chat', async () => {
  // What the test above would miss if G1 were never judged here at all.
  const start = 1_790_762_400_000_000_000n;
  const readings = [0n, 10_000n, 20_000n, 5_000n, 6_000n, 30_000n].map((offset) => start + offset);
  const { report } = await judgedRun({ ...real, clock: { nowNs: () => readings.shift() ?? start + 40_000n } }, 0);
  expect(report.rules).toEqual(['G1']);
});
