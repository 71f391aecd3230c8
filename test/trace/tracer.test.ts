import { describe, expect, it } from 'vitest';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { timestampOf } from '../../core/trace/timestamp.js';
import { parseTraceparent, traceparentOf } from '../../core/trace/traceparent.js';
import { createTracer, recordSpans, type TracerWorld } from '../../core/trace/tracer.js';

const real: TracerWorld = { clock: systemClock(), ids: randomSpanIds() };

/** A clock that gives the listed instants, and ids that count up. */
function scripted(instants: readonly bigint[]): TracerWorld {
  const times = [...instants];
  let next = 0;
  return {
    clock: {
      nowNs() {
        const now = times.shift();
        if (now === undefined) throw new Error('the script has no more instants');
        return now;
      },
    },
    ids: {
      traceId: () => 'a'.repeat(32),
      spanId: () => (++next).toString(16).padStart(16, '0'),
    },
  };
}

describe('timestampOf', () => {
  it.each([
    [0n, '1970-01-01T00:00:00.000000Z'],
    [951_827_696_123_456_789n, '2000-02-29T12:34:56.123456Z'],
    [1_709_251_199_999_999_999n, '2024-02-29T23:59:59.999999Z'],
    [4_107_542_400_000_000_999n, '2100-03-01T00:00:00.000000Z'],
    [1_795_996_800_000_001_000n, '2026-11-30T00:00:00.000001Z'],
  ])('returns six truncated decimals for %s', (ns, text) => {
    expect(timestampOf(ns)).toBe(text);
  });

  it('returns the date that the platform gives for 5,000 instants over 400 years', () => {
    for (let i = 0; i < 5_000; i++) {
      const milliseconds = i * 2_526_455_017;
      expect(timestampOf(BigInt(milliseconds) * 1_000_000n)).toBe(
        new Date(milliseconds).toISOString().replace('Z', '000Z'),
      );
    }
  });
});

describe('traceparent', () => {
  it('returns the same span when made and parsed again', () => {
    const address = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    expect(traceparentOf(address)).toBe('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    expect(parseTraceparent(traceparentOf(address))).toEqual(address);
  });

  it.each([
    '',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
  ])('returns null when the header is %j', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});

describe('createTracer', () => {
  it('returns the lines of contract 4, the root first, when a run is finished', () => {
    const start = 1_790_762_400_000_000_000n;
    const tracer = createTracer(scripted([start, start + 10_999n, start + 20_000n, start + 900_000_999n]));
    const run = tracer.startRun({ 'dd.operation': 'invoke_agent', 'dd.grounding_mode': 'retrieval' });
    run.child('policy_gate', { 'dd.operation': 'policy_gate' }).end();
    expect(run.traceparent).toBe(`00-${'a'.repeat(32)}-0000000000000001-01`);
    expect(run.finish({ 'dd.outcome': 'succeeded' })).toEqual([
      `{"name":"invoke_agent","context":{"trace_id":"0x${'a'.repeat(32)}","span_id":"0x0000000000000001","trace_state":"[]"},` +
        '"kind":"SpanKind.INTERNAL","parent_id":null,"start_time":"2026-09-30T10:00:00.000000Z","end_time":"2026-09-30T10:00:00.900000Z",' +
        '"status":{"status_code":"UNSET"},"attributes":{"dd.operation":"invoke_agent","dd.grounding_mode":"retrieval","dd.outcome":"succeeded"},' +
        '"events":[],"links":[],"resource":{"attributes":{},"schema_url":""}}',
      `{"name":"policy_gate","context":{"trace_id":"0x${'a'.repeat(32)}","span_id":"0x0000000000000002","trace_state":"[]"},` +
        '"kind":"SpanKind.INTERNAL","parent_id":"0x0000000000000001","start_time":"2026-09-30T10:00:00.000010Z","end_time":"2026-09-30T10:00:00.000020Z",' +
        '"status":{"status_code":"UNSET"},"attributes":{"dd.operation":"policy_gate"},"events":[],"links":[],"resource":{"attributes":{},"schema_url":""}}',
    ]);
  });
});

describe('recordSpans', () => {
  it('keeps every span and attribute when OTEL_ variables ask the SDK to drop them', () => {
    const hostile = {
      OTEL_TRACES_SAMPLER: 'always_off',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '0',
      OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1',
      OTEL_SDK_DISABLED: 'true',
    };
    Object.assign(process.env, hostile);
    try {
      const recorder = recordSpans(real);
      recorder.start('chat', { attributes: { 'dd.model_id': 'a-long-model-name' } }).end();
      expect(JSON.parse(recorder.finished()[0] ?? '{}')).toMatchObject({
        attributes: { 'dd.model_id': 'a-long-model-name' },
      });
    } finally {
      for (const name of Object.keys(hostile)) delete process.env[name];
    }
  });

  it('puts its spans into the trace and below the span that a traceparent names', () => {
    const recorder = recordSpans(real, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00');
    recorder.start('retrieval').end();
    expect(JSON.parse(recorder.finished()[0] ?? '{}')).toMatchObject({
      context: { trace_id: '0x0af7651916cd43dd8448eb211c80319c' },
      parent_id: '0xb7ad6b7169203331',
    });
  });

  it('says ERROR with the description when a span failed', () => {
    const recorder = recordSpans(real);
    const span = recorder.start('retrieval');
    span.fail('the registry was down');
    span.end();
    expect(JSON.parse(recorder.finished()[0] ?? '{}').status).toEqual({
      status_code: 'ERROR',
      description: 'the registry was down',
    });
  });

  it('counts a span that was never ended as open and leaves it out', () => {
    const recorder = recordSpans(real);
    recorder.start('retrieval');
    expect(recorder.open).toBe(1);
    expect(recorder.finished()).toEqual([]);
  });

  it('never starts a chat before the retrieval ended, written to six decimals, in 2,000 back-to-back pairs', () => {
    const recorder = recordSpans(real);
    for (let i = 0; i < 2_000; i++) {
      recorder.start('retrieval').end();
      recorder.start('chat').end();
    }
    const spans = recorder.finished().map((line) => JSON.parse(line) as { start_time: string; end_time: string });
    expect(spans).toHaveLength(4_000);
    for (let i = 0; i < spans.length; i++) {
      const span = spans[i];
      const before = spans[i - 1];
      if (span === undefined) throw new Error('a span is missing');
      // Text of one fixed form in UTC sorts as time does.
      expect(span.end_time >= span.start_time).toBe(true);
      if (before !== undefined) expect(span.start_time >= before.end_time).toBe(true);
    }
  });
});

describe('systemClock', () => {
  it('never goes back and stays within two milliseconds of the wall clock', () => {
    const clock = systemClock();
    const readings = Array.from({ length: 100_000 }, () => clock.nowNs());
    expect(readings.every((now, i) => i === 0 || now >= (readings[i - 1] ?? now + 1n))).toBe(true);
    expect(Math.abs(Number(clock.nowNs() / 1_000_000n) - Date.now())).toBeLessThanOrEqual(2);
  });
});
