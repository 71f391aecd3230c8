import { expect, test } from 'vitest';
import { type Job, keyOf, laneOf } from '../../bot/jobs.js';

const where = { installation: 1, repository: { id: 7, owner: 'octo', name: 'agents' } };

const judge = { kind: 'judge', ...where, pull: 3, why: 'opened' } as const;
const resolve = { kind: 'resolve', ...where, head: 'a', why: 'rerequested' } as const;
const group = { kind: 'merge-group', ...where, head: 'a', base: 'b', baseRef: 'main' } as const;
const command = { kind: 'command', ...where, pull: 3, comment: 5 } as const;
const deadline = { kind: 'deadline', ...where, pull: 3, head: 'a' } as const;
const night = { kind: 'reverify', ...where, night: '2026-11-30' } as const;
const renamed = { ...where, repository: { ...where.repository, name: 'renamed' } };

test.each<[string, Job, Job]>([
  ['a pull request judged for two reasons', judge, { ...judge, why: 'synchronize' }],
  ['a pull request of a repository that was renamed', judge, { ...judge, ...renamed }],
  ['a group of the merge queue', group, { ...group, base: 'c' }],
  ['two roll-calls', { kind: 'roll-call' }, { kind: 'roll-call' }],
])('takes %s for one job', (_name, one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

test.each<[string, Job, Job]>([
  ['two pull requests', judge, { ...judge, pull: 4 }],
  ['two repositories', judge, { ...judge, repository: { ...where.repository, id: 8 } }],
  ['two comments', command, { ...command, comment: 6 }],
  ['two heads that are waited for', deadline, { ...deadline, head: 'b' }],
  ['two heads that are looked up', resolve, { ...resolve, head: 'b' }],
  ['two reasons to look a head up', resolve, { ...resolve, why: 'moved' }],
  ['two runs of a workflow', { ...resolve, run: 1 }, { ...resolve, run: 2 }],
  ['two nights', night, { ...night, night: '2026-12-01' }],
  ['two installations', { kind: 'installation', installation: 1 }, { kind: 'installation', installation: 2 }],
  ['a repository swept and judged again', { kind: 'repository', ...where }, night],
])('takes %s for two jobs', (_name, one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test('puts everything that writes about a pull request in one lane', () => {
  expect(new Set([judge, command, deadline].map(laneOf)).size).toBe(1);
  expect(laneOf(judge)).not.toBe(laneOf({ ...judge, pull: 4 }));
});
