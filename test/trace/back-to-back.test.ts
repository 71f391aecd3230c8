import { expect, it } from 'vitest';
import { defineAgent } from '../../core/agents/delegate/definition.js';
import { runCall } from '../../core/agents/delegate/run-call.js';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { jsonOf, parseJson } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import { ATTRIBUTES, readSpans } from '../../core/trace/index.js';
import { createTracer } from '../../core/trace/tracer.js';
import { callOf } from '../agents/call.js';
import { declared } from '../agents/modules/specification.js';

const PAIRS = 2_000;
const world = { clock: systemClock(), ids: randomSpanIds() };

const agent = defineAgent({
  ...declared,
  async run(ctx) {
    const read = await ctx.retrieval({ source_id: 'src:1', canonicalisation: 'dd-json-document-v1' }, () => ({ n: 1 }));
    await ctx.chat('m', () => 'words');
    return ctx.succeeded({ statement: 's', payload: { grounded_on: [ctx.cite(read)] } });
  },
});

it(`passes the linter in each of ${PAIRS} runs whose chat follows the retrieval at once`, async () => {
  const tracer = createTracer(world);
  let sharedMicrosecond = 0;
  for (let i = 0; i < PAIRS; i++) {
    const call = callOf({ i });
    const run = tracer.startRun({ [ATTRIBUTES.groundingMode]: 'retrieval', [ATTRIBUTES.inputHash]: call.inputHash });
    const reply = parseJson(await runCall({ ...call, traceparent: run.traceparent }, { definition: agent, world }), {
      file: 'reply',
    });
    const lines = [
      ...run.finish({ [ATTRIBUTES.outcome]: 'succeeded' }),
      ...(reply.get('spans')?.items() ?? []).map((span) => span.string() ?? ''),
    ];
    const spans = readSpans(Buffer.from(lines.join('\n')), { file: 'spans.jsonl' });
    const envelope = jsonOf({
      invocation_id: call.inputRef.slice('input:'.length),
      grounding_mode: 'retrieval',
      outcome: reply.locate('/result/outcome'),
      payload: reply.locate('/result/payload'),
      evidence: reply.locate('/result/evidence'),
    });
    const report = judge(spans, envelope);
    expect(report.violations).toEqual([]);
    expect(report).toMatchObject({ passed: true, retrievals: 1, chats: 1 });
    const [, retrieval, chat] = lines.map((line) => JSON.parse(line) as { start_time: string; end_time: string });
    if (retrieval?.end_time === chat?.start_time) sharedMicrosecond++;
  }
  // Says how often the danger was met at all; a slow machine may never meet it.
  expect(sharedMicrosecond).toBeGreaterThanOrEqual(0);
});
