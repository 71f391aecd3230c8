import { describe, expect, it } from 'vitest';
import { crossMemberFaults } from '../../core/contract/cross-member.js';
import { type Composable, jsonOf } from '../../core/json/index.js';

const ID = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
const INPUT = { source_id: `input:${ID}`, canonicalisation: 'dd-input-json-v1' };
const RECORD = { source_id: 'src:a', canonicalisation: 'dd-json-document-v1' };
const payloadOf = (...ids: readonly string[]) => ({ grounded_on: ids.map((source_id) => ({ source_id })) });
type Members = Readonly<Record<string, Composable>>;

const SUCCEEDED: Members = {
  invocation_id: ID,
  grounding_mode: 'retrieval',
  outcome: { status: 'succeeded' },
  payload: payloadOf('src:a'),
  payload_schema: 'p',
  evidence: [RECORD],
};
const INPUT_ONLY: Members = {
  ...SUCCEEDED,
  grounding_mode: 'input_only',
  payload: payloadOf(INPUT.source_id),
  evidence: [INPUT],
};
const ABSTAINED: Members = {
  invocation_id: ID,
  grounding_mode: 'retrieval',
  outcome: { status: 'abstained', reason_code: 'not_applicable' },
  evidence: [],
};

const without = (members: Members, ...keys: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([key]) => !keys.includes(key)));
const brokenBy = (envelope: Composable) =>
  crossMemberFaults(jsonOf(envelope)).map(({ rule, pointer }) => `${rule} ${pointer}`);

describe('crossMemberFaults', () => {
  it.each<[string, Members]>([
    ['it succeeded in retrieval', SUCCEEDED],
    ['it succeeded in input_only', INPUT_ONLY],
    ['it succeeded in none', { ...INPUT_ONLY, grounding_mode: 'none' }],
    [
      'it succeeded in delegation and cites a run beside the input',
      {
        ...SUCCEEDED,
        grounding_mode: 'delegation',
        evidence: [{ ...RECORD, canonicalisation: 'dd-envelope-json-v1' }, INPUT],
      },
    ],
    ['it abstained with a reason', ABSTAINED],
    [
      'it was referred to somebody',
      { ...ABSTAINED, outcome: { status: 'referred', reason_code: 'not_applicable', referred_to: 'x' } },
    ],
    ['it failed with a problem', { outcome: { status: 'failed' }, problem: {} }],
    ['it is suspended with a problem', { outcome: { status: 'suspended' }, problem: {} }],
    ['it failed in input_only', { grounding_mode: 'input_only', outcome: { status: 'failed' }, problem: {} }],
    ['it names an abstained input_only run without evidence', { ...ABSTAINED, grounding_mode: 'input_only' }],
  ])('returns nothing when %s', (_, envelope) => {
    expect(brokenBy(envelope)).toEqual([]);
  });

  it.each<[string, Composable, readonly string[]]>([
    ['a failed run has no problem', { outcome: { status: 'failed' } }, ['problem-iff-failed-or-suspended ']],
    ['a suspended run has no problem', { outcome: { status: 'suspended' } }, ['problem-iff-failed-or-suspended ']],
    ['a run that succeeded has a problem', { ...SUCCEEDED, problem: {} }, ['problem-iff-failed-or-suspended /problem']],
    ['an abstained run has a problem', { ...ABSTAINED, problem: {} }, ['problem-iff-failed-or-suspended /problem']],
    [
      'an abstained run has no reason',
      { ...ABSTAINED, outcome: { status: 'abstained' } },
      ['reason-code-when-abstained-or-referred /outcome'],
    ],
    [
      'a referred run has neither reason nor addressee',
      { ...ABSTAINED, outcome: { status: 'referred' } },
      ['reason-code-when-abstained-or-referred /outcome', 'referred-to-when-referred /outcome'],
    ],
    [
      'a run that succeeded has no payload',
      without(SUCCEEDED, 'payload', 'payload_schema'),
      ['payload-iff-succeeded '],
    ],
    [
      'an abstained run has a payload',
      { ...ABSTAINED, payload: payloadOf('src:a'), payload_schema: 'p' },
      ['payload-iff-succeeded /payload'],
    ],
    ['a payload has no schema', without(SUCCEEDED, 'payload_schema'), ['payload-schema-iff-payload ']],
    [
      'a payload schema has no payload',
      { ...ABSTAINED, payload_schema: 'p' },
      ['payload-schema-iff-payload /payload_schema'],
    ],
    [
      'a canonicalisation is unknown',
      { ...SUCCEEDED, evidence: [RECORD, { ...RECORD, canonicalisation: 'toString' }] },
      ['canonicalisation-registered /evidence/1/canonicalisation'],
    ],
    [
      'an input_only run cites the input under another canonicalisation',
      { ...INPUT_ONLY, evidence: [{ ...INPUT, canonicalisation: 'dd-json-document-v1' }] },
      ['input-cited /evidence', 'only-input-cited /evidence/0'],
    ],
    ['a none run has no evidence', { ...without(INPUT_ONLY, 'evidence'), grounding_mode: 'none' }, ['input-cited ']],
    [
      'a delegation run does not cite the input',
      { ...SUCCEEDED, grounding_mode: 'delegation' },
      ['input-cited /evidence'],
    ],
    [
      'an input_only run cites the input of another run',
      { ...INPUT_ONLY, evidence: [INPUT, { ...INPUT, source_id: 'input:other' }] },
      ['only-input-cited /evidence/1'],
    ],
    [
      'a none run cites a record in its payload',
      { ...INPUT_ONLY, grounding_mode: 'none', payload: payloadOf(INPUT.source_id, 'src:a') },
      ['only-input-cited /payload/grounded_on/1'],
    ],
  ])('returns the rule when %s', (_, envelope, broken) => {
    expect(brokenBy(envelope)).toEqual(broken);
  });

  it('returns nothing and does not throw when the members have the wrong shapes', () => {
    for (const value of [null, 1, 'x', [], [[1]], {}])
      expect(brokenBy({ outcome: value, evidence: value, payload: undefined, grounding_mode: value })).toEqual([]);
    expect(brokenBy(null)).toEqual([]);
  });

  it('returns every broken rule at once with its place', () => {
    const faults = crossMemberFaults(jsonOf({ ...SUCCEEDED, outcome: { status: 'abstained' }, problem: {} }));
    expect(faults.map(({ rule }) => rule)).toEqual([
      'problem-iff-failed-or-suspended',
      'reason-code-when-abstained-or-referred',
      'payload-iff-succeeded',
    ]);
    expect(faults.every(({ place }) => place?.line !== undefined)).toBe(true);
  });
});
