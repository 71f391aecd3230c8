import { expect, test } from 'vitest';
import { parseFixture } from '../../core/fixtures/index.js';
import { matchRuns, type PresentedRun, parseProfile, policyFindings, replayFindings } from '../../core/index.js';
import { hashOf, parseJson } from '../../core/json/index.js';
import type { StoredRunVerdict } from '../../core/model/stored-run.js';

const RUN = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
const MADE = 0x01a0c455bf5e;

const profile = (more: string) => parseProfile(Buffer.from(`profile_id: p\nversion: 1\n${more}`), { file: 'p.yaml' });
const PROFILE = profile('agents:\n  a: find\n');

const VERDICT: StoredRunVerdict = {
  run: RUN,
  state: 'passed',
  grounding: { passed: true, mode: 'retrieval', rules: [], violations: [], retrievals: 1, chats: 0 },
  sources: { passed: true, verified: 1, unresolved: [], rules: [], violations: [] },
  error: null,
  tampering: [],
  absent: [],
  sourcesDrift: false,
  sealed: null,
};

const run = (more: Partial<PresentedRun> = {}): PresentedRun => ({
  run: RUN,
  agentId: 'a',
  inputHash: hashOf(parseJson(Buffer.from('{"schema_class":"Q"}'), { file: 'i' }), 'dd-input-json-v1'),
  policyDigest: PROFILE.policyDigest,
  isDelegated: false,
  madeAt: MADE,
  outcome: { status: 'succeeded', reasonCode: null, problem: null, statement: '' },
  rules: [],
  verdict: VERDICT,
  ...more,
});

const under = (one: PresentedRun, binding = PROFILE, whose: 'base' | 'change' = 'base') =>
  policyFindings([one], { profile: binding, whose, folder: 'runs' }).map(({ rule }) => rule);

const referred = { status: 'referred', reasonCode: 'policy_requires_approval', problem: null, statement: '' } as const;
const refused = { status: 'failed', reasonCode: null, problem: 'agent-not-permitted', statement: '' } as const;
const approval = profile('agents:\n  a: find\nactions_requiring_approval: [find]\n');
const other = profile('agents:\n  b: find\n');

test.each<[string, PresentedRun, typeof PROFILE, number]>([
  ['a run under the profile', run(), PROFILE, 0],
  ['a run under another', run({ policyDigest: 'f'.repeat(64) }), PROFILE, 1],
  ['a run that names none', run({ policyDigest: null }), PROFILE, 1],
  ['an agent that the profile lacks', run({ policyDigest: other.policyDigest }), other, 1],
  ['such an agent that was refused', run({ policyDigest: other.policyDigest, outcome: refused }), other, 0],
  ['an action that needs approval', run({ policyDigest: approval.policyDigest }), approval, 1],
  ['such an action that was referred', run({ policyDigest: approval.policyDigest, outcome: referred }), approval, 0],
])('returns for %s so many findings', (_, one, binding, count) => {
  expect(under(one, binding)).toEqual(Array.from({ length: count }, () => 'other-policy'));
});

test("asks the change's own profile for its gate alone", () => {
  expect(under(run({ policyDigest: null }), PROFILE, 'change')).toEqual([]);
  expect(under(run(), other, 'change')).toEqual(['other-policy']);
});

const MINUTE = 60_000;
test.each<[string, number, number, ReadonlySet<string>, number]>([
  ['while the workflow ran', MADE - MINUTE, MADE + MINUTE, new Set(), 0],
  ['by a clock that is a little off', MADE + 9 * MINUTE, MADE + 20 * MINUTE, new Set(), 0],
  ['before it', MADE + 11 * MINUTE, MADE + 20 * MINUTE, new Set(), 1],
  ['after it', MADE - 20 * MINUTE, MADE - 11 * MINUTE, new Set(), 1],
  ['before it, under an id that a fixture names', MADE + 11 * MINUTE, MADE + 20 * MINUTE, new Set([RUN]), 0],
])('returns for a run that was made %s so many findings', (_, from, to, named, count) => {
  expect(replayFindings([run()], { known: new Set(), between: { from, to }, named, folder: 'runs' })).toHaveLength(
    count,
  );
});

test('returns a finding for a run that is known, whenever it was made', () => {
  const fresh = { known: new Set([RUN]), between: null, named: new Set([RUN]), folder: 'runs' };
  expect(replayFindings([run()], fresh)).toMatchObject([{ rule: 'replayed', level: 'error', run: RUN }]);
});

const fixture = (file: string, expectation: string | null, input = '{"schema_class":"Q","gone":null}') => ({
  kind: 'read' as const,
  fixture: parseFixture({
    file,
    bytes: Buffer.from(`{"agent_id":"a","input":${input}}`),
    expectation: expectation === null ? null : { file: `${file}.yaml`, bytes: Buffer.from(expectation) },
  }),
});

test('matches a run to the fixture of its agent and input, nulls of the top level left out', () => {
  const { matched, findings, notices } = matchRuns([fixture('f.json', null)], [run()]);
  expect([...matched]).toEqual([[RUN, { fixture: 'f.json', repeat: { index: 1, of: 1 }, differences: [] }]]);
  expect([findings, notices]).toEqual([[], []]);
});

test('gives each of two fixtures of one request the run that it expects', () => {
  const failed = { status: 'failed', reasonCode: null, problem: 'agent-error', statement: '' } as const;
  const second = run({ run: 'b', outcome: failed });
  const fixtures = [
    fixture('bad.json', 'status: failed\nproblem: agent-error\n'),
    fixture('good.json', 'status: succeeded\n'),
  ];
  const { matched, findings } = matchRuns(fixtures, [run(), second]);
  expect(findings).toEqual([]);
  expect([matched.get('b')?.fixture, matched.get(RUN)?.fixture]).toEqual(['bad.json', 'good.json']);
});

test('says what is missing, what is too much, what belongs to nobody and what is not as expected', () => {
  const stranger = run({ run: 'c', inputHash: 'f'.repeat(64) });
  const child = run({ run: 'd', isDelegated: true });
  const one = fixture('f.json', 'status: abstained\nreason_code: not_applicable\n');
  const { matched, findings, notices } = matchRuns(
    [one, fixture('g.json', null, '{"schema_class":"R"}')],
    [run(), run({ run: 'b' }), stranger, child],
  );
  expect(findings.map(({ rule, fixture: file }) => [rule, file])).toEqual([
    ['not-judged', 'g.json'],
    ['unexpected', 'f.json'],
  ]);
  expect(matched.get(RUN)?.differences).toHaveLength(2);
  expect(notices).toHaveLength(1);
});
