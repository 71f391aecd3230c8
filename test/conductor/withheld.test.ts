import { describe, expect, it } from 'vitest';
import type { Composable } from '../../core/json/index.js';
import { ended } from './ended.js';
import { type Answer, at, success, type Work } from './fake-agent.js';
import { PINNED } from './stage.js';

type Members = Readonly<Record<string, Composable>>;
const ABSTAINED = { status: 'abstained', statement: 'no', reason_code: 'not_applicable' };

describe('invoke, results that are withheld', () => {
  it.each<[string, Members, (work: Work) => Answer, readonly string[]]>([
    [
      'it cites what it never fetched',
      { grounding_mode: 'retrieval' },
      ({ retrieve, input }) => {
        const item = retrieve(PINNED);
        return { result: success([item, { ...input, source_id: 'src:b' }]) };
      },
      ['G2', 'G3'],
    ],
    [
      'it asks a model before it has fetched anything',
      { grounding_mode: 'retrieval' },
      ({ retrieve, chat }) => {
        chat();
        return { result: success([retrieve(PINNED)]) };
      },
      ['G1'],
    ],
    [
      'it retrieves although it may only read the input',
      { grounding_mode: 'input_only' },
      ({ retrieve, input }) => {
        retrieve(PINNED);
        return { result: success([input]) };
      },
      ['R1'],
    ],
    [
      'it asks a model although it may not',
      {},
      ({ chat, input }) => {
        chat();
        return { result: success([input]) };
      },
      ['N1'],
    ],
    [
      'it succeeds without a payload',
      {},
      ({ input }) => ({ result: { outcome: { status: 'succeeded', statement: '' }, evidence: [input] } }),
      ['G0'],
    ],
    [
      'its evidence is malformed',
      {},
      ({ input }) => ({ result: success([input], { evidence: [input, { source_id: 'x' }] }) }),
      ['G0'],
    ],
    [
      'its evidence is no list',
      {},
      ({ input }) => ({ result: success([input], { evidence: { a: input } }) }),
      ['G0', 'R3'],
    ],
    [
      'its content is not what was hashed',
      { grounding_mode: 'retrieval' },
      ({ retrieve }) => ({ result: success([{ ...retrieve(PINNED), content: { id: 'src:a', name: 'forged' } }]) }),
      ['E1'],
    ],
    [
      'it claims the trace of another run',
      {},
      ({ input, recorder }) => {
        recorder.start('execute_tool').end();
        const spans = recorder
          .finished()
          .map((text) => text.replace(/"trace_id":"0x[0-9a-f]{32}"/, `"trace_id":"0x${'e'.repeat(32)}"`));
        return { result: success([input]), spans };
      },
      ['G0'],
    ],
    [
      'it sends a root span of its own',
      {},
      ({ input, recorder }) => {
        recorder.start('invoke_agent').end();
        return { result: success([input]) };
      },
      ['G0'],
    ],
    [
      'it sets an attribute of the conductor',
      {},
      ({ input, recorder }) => {
        recorder.start('execute_tool', { attributes: { 'dd.outcome': 'succeeded' } }).end();
        return { result: success([input]) };
      },
      ['G0'],
    ],
    [
      'it cites a record that no copy holds',
      { grounding_mode: 'retrieval' },
      ({ retrieve }) => ({
        result: success([retrieve({ id: 'src:invented' }, { id: 'src:invented', snapshotRef: 'snap:1' })]),
      }),
      ['S1'],
    ],
    [
      'it altered a record and hashed it anew',
      { grounding_mode: 'retrieval' },
      ({ retrieve }) => ({ result: success([retrieve({ ...PINNED, name: 'Altered' }, { snapshotRef: 'snap:1' })]) }),
      ['S2'],
    ],
  ])('returns grounding-violation with nothing of the result when %s', async (_, members, work, rules) => {
    const end = await ended(members, work);
    expect(end.rules).toEqual(rules);
    expect(end).toMatchObject({ status: 'failed', slug: 'grounding-violation', http: '500', empty: true });
    for (const rule of end.rules) expect(end.statement).toContain(`${rule}: `);
    const source = rules.some((rule) => rule.startsWith('S'));
    expect(end.grounding.startsWith('grounding: FAILED')).toBe(!source);
    expect(/^sources: .*; FAILED$/m.test(end.sources)).toBe(source);
    expect(end.root.attributes['dd.outcome']).toBe('succeeded');
    expect(end.run.grounding.passed && end.run.sources.passed).toBe(false);
  });

  it('returns both verdicts apart and both in the statement when both checks find something', async () => {
    const end = await ended({ grounding_mode: 'retrieval' }, ({ retrieve, chat }) => {
      chat();
      return { result: success([retrieve({ ...PINNED, name: 'Altered' }, { snapshotRef: 'snap:1' })]) };
    });
    expect(end.run.grounding.rules).toEqual(['G1']);
    expect(end.run.sources.rules).toEqual(['S2']);
    expect(end.statement).toMatch(/linter.*G1.*source check.*S2/s);
    expect(at(end.run.envelope, '/problem/detail')).toBe(end.statement);
  });

  it('returns the outcome of an abstention and neither payload nor evidence when it broke a rule', async () => {
    const end = await ended({ grounding_mode: 'retrieval' }, ({ input, retrieve }) => {
      retrieve(PINNED);
      return { result: success([input], { outcome: ABSTAINED }) };
    });
    expect(end.rules).toContain('G2');
    expect(end).toMatchObject({ status: 'abstained', statement: 'no', slug: undefined, empty: true });
    expect(end.grounding).toContain('grounding: FAILED [retrieval]');
  });

  it('returns the outcome and problem of a failure when its trace broke a rule', async () => {
    const end = await ended({}, ({ chat }) => {
      chat();
      return { result: { outcome: { status: 'failed', statement: 'out of order' } } };
    });
    expect(end).toMatchObject({
      status: 'failed',
      slug: 'agent-error',
      statement: 'out of order',
      rules: ['N1'],
      empty: true,
    });
  });

  it('returns agent-error and keeps the verdict when an outcome that would stay breaks the contract', async () => {
    const end = await ended({}, ({ chat }) => {
      chat();
      return { result: { outcome: { status: 'abstained', statement: 'no' } } };
    });
    expect(end).toMatchObject({ status: 'failed', slug: 'agent-error', rules: ['N1'] });
    expect(end.grounding).toContain('grounding: FAILED [none]');
  });

  it('returns an unresolved item as such, which withholds nothing', async () => {
    const end = await ended({ grounding_mode: 'retrieval' }, ({ retrieve }) => ({
      result: success([retrieve(PINNED)]),
    }));
    expect(end.status).toBe('succeeded');
    expect(end.run.sources).toMatchObject({
      passed: true,
      verified: 0,
      unresolved: [{ sourceId: 'src:a', snapshotRef: null }],
    });
  });

  it('returns a statement on one line when a violation quotes a line break', async () => {
    const end = await ended({ grounding_mode: 'retrieval' }, ({ retrieve, input }) => {
      retrieve(PINNED);
      return { result: success([{ ...input, source_id: 'a\n::error::b\u202e' }]) };
    });
    expect(end.slug).toBe('grounding-violation');
    expect(end.statement).not.toMatch(/[\n\u202e]/u);
  });
});
