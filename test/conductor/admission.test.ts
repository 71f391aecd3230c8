import { describe, expect, it } from 'vitest';
import type { Composable } from '../../core/json/index.js';
import { ended } from './ended.js';
import { type Answer, at, QUESTION, schemaEntry } from './fake-agent.js';

type Members = Readonly<Record<string, Composable>>;

describe('invoke, the policy gate', () => {
  const never = (): Answer => {
    throw new Error('the agent ran');
  };

  it.each<[string, Members, Members]>([
    [
      'the profile does not enable the agent',
      { agent_id: 'fake.unlisted' },
      { status: 'failed', slug: 'agent-not-permitted', http: '403' },
    ],
    [
      'the profile does not enable an agent called toString',
      { agent_id: 'toString' },
      { status: 'failed', slug: 'agent-not-permitted', http: '403' },
    ],
    [
      'the agent declares another class',
      { action_class: 'publish' },
      { status: 'failed', slug: 'action-class-mismatch', http: '403' },
    ],
    [
      'the agent declares the class in other letters',
      { action_class: 'Advise' },
      { status: 'failed', slug: 'action-class-mismatch', http: '403' },
    ],
  ])('returns a failed run without running the agent when %s', async (_, members, expected) => {
    const end = await ended(members, never);
    expect(end).toMatchObject({ ...expected, empty: true, spans: ['invoke_agent', 'policy_gate'] });
    expect(end.root.attributes['dd.outcome']).toBe('failed');
    expect(end.grounding).toMatch(/^grounding: passed \[none\] \(0 retrieval, 0 chat spans\)\n$/);
    expect(end.sources).toBe('sources: 0 verified, 0 unresolved\n');
  });

  it.each<[Members, RegExp]>([
    [{ agent_id: 'fake.unlisted', action_class: 'advise' }, /"fake\.unlisted: advise".*[a-z]+\.yaml/],
    [{ action_class: 'publish' }, /[a-z]+\.yaml:\d+:\d+.*publish"/],
  ])('names the line of the profile, without its folder, and what to write there: %j', async (members, said) => {
    const end = await ended(members, never);
    const detail = at(end.run.envelope, '/problem/detail');
    expect(detail).toMatch(said);
    expect(detail).not.toContain('/profiles/');
  });

  it('returns a referral to a data steward when the class needs approval', async () => {
    const end = await ended({ agent_id: 'fake.careful', action_class: 'publish' }, never);
    expect(end).toMatchObject({ status: 'referred', slug: undefined, empty: true });
    expect(at(end.run.envelope, '/outcome/reason_code')).toBe('policy_requires_approval');
    expect(at(end.run.envelope, '/outcome/referred_to')).toBe('data_steward');
    expect(end.root.attributes['dd.outcome']).toBe('referred');
  });
});

describe('invoke, the input check', () => {
  it.each<[string, Members]>([
    ['of a class that the agent does not read', { schema_class: 'Other' }],
    ['of a class called like a method', { schema_class: 'toString' }],
    ['without a required member', { schema_class: 'Question' }],
    ['with a required member that is null', { schema_class: 'Question', topic: null }],
    ['that breaks a pattern', { schema_class: 'Question', topic: 'NO' }],
  ])('returns input-not-accepted without running the agent when the input is one %s', async (_, input) => {
    const end = await ended({}, () => expect.fail('the agent ran'), { input });
    expect(end).toMatchObject({ status: 'failed', slug: 'input-not-accepted', http: '422', empty: true });
  });

  it('returns agent-error in good time when the class schema backtracks for ever', async () => {
    const evil = { ...QUESTION, properties: { ...(QUESTION['properties'] as Members), topic: { pattern: '^(a+)+$' } } };
    const schemas = { Question: schemaEntry(evil) };
    const end = await ended({ schemas, payload: null }, () => expect.fail('the agent ran'), {
      input: { schema_class: 'Question', topic: `${'a'.repeat(40)}!` },
    });
    expect(end).toMatchObject({ status: 'failed', slug: 'agent-error', http: '500' });
  });
});
