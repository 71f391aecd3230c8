import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decide, parseProfile } from '../../core/policy/index.js';
import { codeOf } from '../support/code-of.js';

const PROFILE = `# our policy
profile_id: example-university
version: 3
description: Who may run here
agents:
  advisor.standards: recommend
  example.hello: greet
  __proto__: strange
actions_requiring_approval: [publish, greet]
`;

const read = (text: string) => parseProfile(new TextEncoder().encode(text), { file: 'profiles/default.yaml' });

describe('parseProfile', () => {
  test('returns the profile, its reference and the digest of its bytes', () => {
    expect(read(PROFILE)).toEqual({
      file: 'profiles/default.yaml',
      require: { every: null, of: new Map() },
      profileId: 'example-university',
      version: 3,
      description: 'Who may run here',
      agents: new Map([
        ['advisor.standards', 'recommend'],
        ['example.hello', 'greet'],
        ['__proto__', 'strange'],
      ]),
      places: new Map([
        ['advisor.standards', { file: 'profiles/default.yaml', line: 6, column: 3 }],
        ['example.hello', { file: 'profiles/default.yaml', line: 7, column: 3 }],
        ['__proto__', { file: 'profiles/default.yaml', line: 8, column: 3 }],
      ]),
      actionsRequiringApproval: new Set(['publish', 'greet']),
      approvalPlaces: new Map([
        ['publish', { file: 'profiles/default.yaml', line: 9, column: 30 }],
        ['greet', { file: 'profiles/default.yaml', line: 9, column: 39 }],
      ]),
      policyBundleRef: 'profile:example-university@v3',
      policyDigest: createHash('sha256').update(PROFILE).digest('hex'),
    });
  });

  test('returns a profile without agents, description and approvals when they are empty or left out', () => {
    const profile = read('profile_id: a\nversion: 0\nagents: {}\n');
    expect(profile).toMatchObject({
      description: null,
      agents: new Map(),
      actionsRequiringApproval: new Set(),
      policyBundleRef: 'profile:a@v0',
    });
  });

  test.each([
    ['an unenforced key', PROFILE.concat('max_tokens: 12\n'), 'config-unknown-key', 10, 1],
    ['a misspelt key', PROFILE.replace('actions_requiring', 'action_requiring'), 'config-unknown-key', 9, 1],
    ['a missing version', PROFILE.replace('version: 3\n', ''), 'config-missing-key', 2, 1],
    ['missing agents', 'profile_id: a\nversion: 1\n', 'config-missing-key', 1, 1],
    ['a number as profile_id', PROFILE.replace('example-university', '2026'), 'config-type', 2, 13],
    ['a string as version', PROFILE.replace('version: 3', 'version: "3"'), 'config-type', 3, 10],
    ['a fractional version', PROFILE.replace('version: 3', 'version: 3.0'), 'config-type', 3, 10],
    ['a negative version', PROFILE.replace('version: 3', 'version: -3'), 'profile-reference', 2, 13],
    ['a profile_id in capitals', PROFILE.replace('example-university', 'Example'), 'profile-reference', 2, 13],
    [
      'a profile_id that ends in a line break',
      PROFILE.replace('example-university', '"example\\n"'),
      'profile-reference',
      2,
      13,
    ],
    ['agents as a list', 'profile_id: a\nversion: 1\nagents: [x]\n', 'config-type', 3, 9],
    ['an action class that is a boolean', 'profile_id: a\nversion: 1\nagents:\n  x: true\n', 'config-type', 4, 6],
    ['an empty action class', 'profile_id: a\nversion: 1\nagents:\n  x: ""\n', 'config-value', 4, 6],
    ['approvals as a string', PROFILE.replace('[publish, greet]', 'publish'), 'config-type', 9, 29],
    [
      'an agent named twice',
      PROFILE.replace('  example.hello: greet', '  advisor.standards: greet'),
      'yaml-duplicate-key',
      7,
      3,
    ],
    ['a list', '- a\n', 'config-type', 1, 1],
  ])('refuses %s', (_, text, code, line, column) => {
    expect(codeOf(() => read(text))).toMatchObject({
      code,
      blame: 'configuration',
      file: 'profiles/default.yaml',
      line,
      column,
    });
  });
});

describe('decide', () => {
  const profile = read(PROFILE);
  test.each([
    [
      'allowed, when the class is the assigned one',
      { agentId: 'advisor.standards', actionClass: 'recommend' },
      { kind: 'allowed' },
    ],
    ['allowed for an agent named __proto__', { agentId: '__proto__', actionClass: 'strange' }, { kind: 'allowed' }],
    [
      'not permitted, when the profile lacks the agent',
      { agentId: 'advisor.quality', actionClass: 'recommend' },
      { kind: 'not-permitted' },
    ],
    [
      'not permitted for what every object inherits',
      { agentId: 'constructor', actionClass: 'recommend' },
      { kind: 'not-permitted' },
    ],
    [
      'a class mismatch, when the agent declares another class',
      { agentId: 'advisor.standards', actionClass: 'Recommend' },
      { kind: 'class-mismatch', assigned: 'recommend', declared: 'Recommend' },
    ],
    [
      'a class mismatch before the approval of either class',
      { agentId: 'advisor.standards', actionClass: 'publish' },
      { kind: 'class-mismatch', assigned: 'recommend', declared: 'publish' },
    ],
    [
      'needs approval, when the class is listed',
      { agentId: 'example.hello', actionClass: 'greet' },
      { kind: 'needs-approval', actionClass: 'greet' },
    ],
  ])('returns %s', (_, agent, expected) => {
    expect(decide(profile, agent)).toEqual(expected);
  });
});
