// Contract 5, the sentences about G1 to G4.
import { describe, expect, it } from 'vitest';
import { A, B, chat, envelope, item, judged, ms, ref, retrieval, root, span } from './make-run.js';

const ONE = ref('src:1', A);
const TWO = ref('src:2', B);
const ERROR = { status: { status_code: 'ERROR', description: 'x' } };
const at = (start: number, end: number | null) => ({ start_time: ms(start), end_time: end === null ? null : ms(end) });

describe('G1', () => {
  it.each([
    [
      'passes a chat in the very instant in which the first retrieval ends',
      [retrieval('1', ONE, at(100, 200)), chat('2', at(200, 300))],
      [],
    ],
    [
      'breaks one nanosecond earlier',
      [
        retrieval('1', ONE, { start_time: ms(100), end_time: '2026-09-30T10:00:00.200000001Z' }),
        chat('2', at(200, 300)),
      ],
      ['G1'],
    ],
    [
      'compares instants across offsets',
      [retrieval('1', ONE, { start_time: ms(100), end_time: '2026-09-30T12:00:00.2+02:00' }), chat('2', at(200, 300))],
      [],
    ],
    [
      'lets one of two retrievals be late',
      [retrieval('1', ONE, at(100, 800)), retrieval('2', TWO, at(100, 200)), chat('3')],
      [],
    ],
    ['breaks when every retrieval is late', [retrieval('1', ONE, at(100, 301)), chat('3')], ['G1']],
    ['breaks for one early chat among others', [chat('3', at(50, 60)), retrieval('1', ONE), chat('4')], ['G1']],
    [
      'breaks when the only retrieval that ended in time failed',
      [retrieval('1', ONE, ERROR), retrieval('2', ONE, at(500, 600)), chat('3')],
      ['G1'],
    ],
    ['breaks when the only retrieval never ended', [retrieval('1', ONE, at(100, null)), chat('3')], ['G0', 'G1']],
    [
      'ignores a chat that is not reached',
      [retrieval('1', ONE), chat('3', { ...at(1, 2), parent_id: '0x99' })],
      ['G0'],
    ],
    [
      'ignores a retrieval that is not reached',
      [retrieval('1', ONE, { ...at(1, 2), parent_id: '0x99' }), retrieval('2', ONE, at(500, 600)), chat('3')],
      ['G0', 'G1'],
    ],
    [
      'takes no other span for a retrieval',
      [span('execute_tool', '5', at(1, 2)), retrieval('2', ONE, at(500, 600)), chat('3')],
      ['G1'],
    ],
    [
      'counts a retrieval inside a tool',
      [span('execute_tool', '5', at(1, 2)), retrieval('2', ONE, { parent_id: '0x5' }), chat('3')],
      [],
    ],
  ])('%s', (_, spans, rules) => {
    expect(judged([root('retrieval'), ...spans], envelope('retrieval', [ONE])).rules).toEqual(rules);
  });

  it('breaks once for each early chat', () => {
    const report = judged(
      [root('retrieval'), retrieval('1', ONE), chat('2', at(1, 2)), chat('3', at(3, 4)), chat('4')],
      envelope('retrieval', [ONE]),
    );
    expect(report.violations.map(({ rule, spanId }) => [rule, spanId])).toEqual([
      ['G1', '2'],
      ['G1', '3'],
    ]);
  });
});

describe('G2, G3 and G4', () => {
  it.each([
    ['G2 compares the id', [retrieval('1', ONE)], [ref('src:9', A)], [item(ONE)], ['G2']],
    [
      'G2 compares the hash',
      [retrieval('1', ONE), retrieval('2', TWO)],
      [ref('src:1', B)],
      [item(ref('src:1', B))],
      ['G2'],
    ],
    [
      'G2 does not match an id and a hash of two retrievals',
      [retrieval('1', ref('src:1', B)), retrieval('2', ref('src:2', A))],
      [ONE],
      [item(ONE)],
      ['G2'],
    ],
    [
      'G2 does not take the join of hash and id for the pair',
      [retrieval('1', ref('b', `${A} a`))],
      [ref('a b', A)],
      [],
      ['G2', 'G4'],
    ],
    ['G2 does not normalise ids', [retrieval('1', ref('caf\u00e9'))], [ref('cafe\u0301')], [item(ref('x', A))], ['G2']],
    ['G2 and G3 pass over a retrieval that failed', [retrieval('1', ONE, ERROR)], [ONE], [item(ONE)], ['G2', 'G3']],
    [
      'a failed retrieval does no harm beside one that did not fail',
      [retrieval('1', ONE, ERROR), retrieval('2', ONE)],
      [ONE],
      [item(ONE)],
      [],
    ],
    [
      'G2 and G3 pass over a retrieval that is not reached',
      [retrieval('1', ONE, { parent_id: null })],
      [ONE],
      [item(ONE)],
      ['G0', 'G2', 'G3'],
    ],
    ['G3 compares hashes only', [retrieval('1', ONE)], [ONE], [item(ref('src:9', A))], []],
    ['G3 breaks for a hash that no retrieval states', [retrieval('1', ONE)], [ONE], [item(ONE), item(TWO)], ['G3']],
    ['G4 compares hashes only', [retrieval('1', ONE)], [ONE], [item(ref('src:9', A))], []],
    [
      'G4 breaks for a hash that no evidence has',
      [retrieval('1', ONE), retrieval('2', TWO)],
      [ONE, TWO],
      [item(ONE)],
      ['G4'],
    ],
    ['a malformed evidence item counts as absent', [retrieval('1', ONE)], [ONE], [{ content_hash: A }], ['G0', 'G4']],
  ])('%s', (_, spans, cites, evidence, rules) => {
    expect(judged([root('retrieval'), ...spans], envelope('retrieval', cites, { evidence })).rules).toEqual(rules);
  });

  it('passes a retrieval whose record is not cited', () => {
    expect(
      judged([root('retrieval'), retrieval('1', ONE), retrieval('2', TWO)], envelope('retrieval', [ONE])).passed,
    ).toBe(true);
  });
});
