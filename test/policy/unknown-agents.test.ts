import { expect, test } from 'vitest';
import { doubtfulApprovals, parseProfile, unknownAgents } from '../../core/policy/index.js';

const PROFILE = parseProfile(
  Buffer.from('profile_id: p\nversion: 1\nagents:\n  my.finder: read\n  my.fnder: read\n  other.thing: read\n'),
  { file: 'p.yaml' },
);

test('returns the entries that no known agent is meant by, with their line, and the one that may be meant', () => {
  const found = unknownAgents(PROFILE, new Set(['my.finder', 'x']));
  expect(found).toEqual([
    { agentId: 'my.fnder', place: { file: 'p.yaml', line: 5, column: 3 }, meant: 'my.finder' },
    { agentId: 'other.thing', place: { file: 'p.yaml', line: 6, column: 3 }, meant: null },
  ]);
});

test('returns the class to be approved that looks like the one an agent has, and none that nobody can mean', () => {
  const text = 'profile_id: p\nversion: 1\nagents: {a.b: recommend}\nactions_requiring_approval: [recomend, publish]\n';
  const found = doubtfulApprovals(parseProfile(Buffer.from(text), { file: 'p.yaml' }));
  expect(found).toEqual([
    { actionClass: 'recomend', place: { file: 'p.yaml', line: 4, column: 30 }, meant: 'recommend' },
  ]);
  const both = text.replace('publish', 'recommend');
  expect(doubtfulApprovals(parseProfile(Buffer.from(both), { file: 'p.yaml' }))).toEqual([]);
});

test('refuses a requirement for an agent that the profile does not enable', () => {
  const text = 'profile_id: p\nversion: 1\nagents: {my.finder: read}\nrequire: {my.fnder: witnessed}\n';
  expect(() => parseProfile(Buffer.from(text), { file: 'p.yaml' })).toThrow(
    expect.objectContaining({ code: 'config-value' }),
  );
});
