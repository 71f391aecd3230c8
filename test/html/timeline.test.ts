import { describe, expect, test } from 'vitest';
import { timelineOf } from '../../core/html/timeline.js';
import { readSpans } from '../../core/trace/index.js';

type Step = readonly [name: string, id: string, parent: string | null, from: number, to: number | null, more?: object];

/** Times are microseconds after ten o'clock. */
function spansOf(steps: readonly Step[]) {
  const time = (us: number | null) =>
    us === null
      ? null
      : `2026-09-30T10:00:${String(us / 1e6)
          .padStart(2, '0')
          .replace(/^(\d)\./, '0$1.')}Z`;
  const text = steps.map(([name, span_id, parent_id, from, to, more]) =>
    JSON.stringify({
      name,
      context: { trace_id: 'a'.repeat(32), span_id },
      parent_id,
      start_time: time(from),
      end_time: time(to),
      ...more,
    }),
  );
  return readSpans(Buffer.from(text.join('\n')), { file: 'spans.jsonl' });
}

const options = { mode: 'retrieval', faulty: new Set<string>(), witnessed: false };

describe('timelineOf', () => {
  test('draws every span to one scale and finds the moment when G1 turns on', () => {
    const { rows, g1, length } = timelineOf(
      spansOf([
        ['invoke_agent', 'root', null, 0, 1000],
        ['retrieval', 'r1', 'root', 100, 500],
        ['retrieval', 'r2', 'root', 200, 400],
        ['chat', 'c', 'root', 500, 750],
      ]),
      options,
    );
    expect(rows.map(({ row, kind, bar }) => [row.span.spanId, kind, bar?.from, bar?.width])).toEqual([
      ['root', 'agent', 0, 100],
      ['r1', 'retrieval', 10, 40],
      ['r2', 'retrieval', 20, 20],
      ['c', 'chat', 50, 25],
    ]);
    expect(g1).toEqual({ at: 40, ns: 400_000n });
    expect(length).toBe(1_000_000n);
  });

  test.each([
    ['failed', { status: { status_code: 'ERROR' } }],
    ['never ended', { end_time: null }],
  ])('a retrieval that %s does not turn G1 on', (_, more) => {
    const spans = spansOf([
      ['invoke_agent', 'root', null, 0, 1000],
      ['retrieval', 'r1', 'root', 100, 500, more],
    ]);
    expect(timelineOf(spans, options).g1).toEqual({ at: null, ns: null });
  });

  test('says nothing of G1 in a mode without it', () => {
    const spans = spansOf([['invoke_agent', 'root', null, 0, 1000]]);
    expect(timelineOf(spans, { ...options, mode: 'none' }).g1).toBeNull();
  });

  test('ends the axis after the last step when the run goes on for long', () => {
    const spans = spansOf([
      ['invoke_agent', 'root', null, 0, 9_000_000],
      ['retrieval', 'r', 'root', 0, 1000],
    ]);
    const { axisEnd, rows } = timelineOf(spans, options);
    expect(axisEnd).toBe(1_100_000n);
    expect(rows[0]?.bar).toEqual({ from: 0, width: 100 });
    expect(rows[1]?.bar?.width).toBeCloseTo(100 / 1.1);
  });

  test('keeps what is faulty and what the rules judge, when there are more spans than room', () => {
    const steps = Array.from({ length: 3000 }, (_, at): Step => ['step', `s${at}`, 'root', at, at + 1]);
    const spans = spansOf([['invoke_agent', 'root', null, 0, 4000], ...steps, ['chat', 'c', 'root', 3500, 3600]]);
    const { rows, more } = timelineOf(spans, { ...options, faulty: new Set(['s2999']) });
    const ids = rows.map(({ row }) => row.span.spanId);
    expect([rows.length, more]).toEqual([400, 2602]);
    expect(ids).toEqual(expect.arrayContaining(['root', 'c', 's2999']));
  });

  test.each([
    ['spans without times', [['invoke_agent', 'root', null, 0, 0, { start_time: null, end_time: null }]]],
    ['a span that ends before it starts', [['invoke_agent', 'root', null, 10, 5]]],
    [
      'parents in a circle',
      [
        ['a', 'a', 'b', 0, 1],
        ['b', 'b', 'a', 0, 1],
      ],
    ],
    ['one instant', [['invoke_agent', 'root', null, 5, 5]]],
  ] as readonly (readonly [string, readonly Step[]])[])('takes %s', (_, steps) => {
    const { rows } = timelineOf(spansOf(steps), options);
    expect(rows).toHaveLength(steps.length);
    for (const { bar } of rows) if (bar !== null) expect(bar.from + bar.width).toBeLessThanOrEqual(100);
  });
});
