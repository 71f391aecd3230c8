import { expect, it } from 'vitest';
import { matchRuns, policyFindings } from '../../core/change/index.js';
import { NO_EXPECTATION } from '../../core/fixtures/index.js';
import { hashOf, parseJson } from '../../core/json/index.js';
import type { StoredRunVerdict } from '../../core/model/stored-run.js';
import { parseProfile } from '../../core/policy/index.js';
import type { PresentedRun } from '../../core/reverify/present-run.js';

const RUN = '0193b0f0-0000-7000-8000-000000000001';
const NOTHING = { witnessed: 0, declared: 0 };
const request = parseJson(Buffer.from('{"agent_id":"a.b","input":{"schema_class":"Question"}}'), { file: 'f.json' });

/** A run that passed; `required` says what its trace says of witnesses, null that it says nothing. */
function presented(required: boolean | null): PresentedRun {
  const witness = { required: required === true, citations: NOTHING, retrievals: NOTHING, chats: NOTHING, cited: [] };
  const verdict: StoredRunVerdict = {
    run: RUN,
    state: 'passed',
    grounding: {
      passed: true,
      mode: 'retrieval',
      rules: [],
      violations: [],
      retrievals: 1,
      chats: 0,
      ...(required === null ? {} : { witness }),
    },
    sources: { passed: true, verified: 1, unresolved: [], rules: [], violations: [] },
    error: null,
    tampering: [],
    absent: [],
    sourcesDrift: false,
    sealed: null,
  };
  const input = request.get('input');
  if (input === undefined) throw new Error('the request has an input');
  return {
    run: RUN,
    agentId: 'a.b',
    inputHash: hashOf(input, 'dd-input-json-v1'),
    policyDigest: profile('').policyDigest,
    isDelegated: false,
    madeAt: null,
    outcome: { status: 'succeeded', reasonCode: null, problem: null, statement: 'done' },
    rules: [],
    verdict,
  };
}

function profile(more: string) {
  return parseProfile(Buffer.from(`profile_id: p\nversion: 1\nagents: {a.b: c, c.d: c}\n${more}`), { file: 'p.yaml' });
}

it.each([
  ['require: witnessed', true, 0],
  ['require: witnessed', false, 1],
  ['require: witnessed', null, 1],
  ['require: {a.b: witnessed}', null, 1],
  ['require: {c.d: witnessed}', null, 0],
  ['', null, 0],
])('under a profile with %j, evidence that says %j of witnesses has %i faults', (more, required, faults) => {
  const found = policyFindings([presented(required)], { profile: profile(more), whose: 'change', folder: 'runs' });
  expect(found.map(({ rule }) => rule)).toEqual(Array.from({ length: faults }, () => 'other-policy'));
});

it.each([
  [true, 0],
  [false, 1],
  [null, 1],
])('under a fixture that requires witnesses, evidence that says %j of them has %i faults', (required, faults) => {
  const fixture = {
    file: 'f.json',
    agentId: 'a.b',
    invocationId: null,
    request,
    expectation: { ...NO_EXPECTATION, require: 'witnessed' },
  } as const;
  const { matched } = matchRuns([{ kind: 'read', fixture }], [presented(required)]);
  expect(matched.get(RUN)?.differences).toHaveLength(faults);
});
