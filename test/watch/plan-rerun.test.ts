import { expect, test } from 'vitest';
import { planRerun, type Watched } from '../../core/watch/index.js';

const agent = (agentId: string, files: readonly string[] | null, delegates = false) => ({
  agentId,
  files: files === null ? null : new Set(files),
  delegates,
});

const WATCHED: Watched = {
  configuration: new Set(['/r/agents.yaml', '/r/profiles/default.yaml', '/r/sources.yaml', '/r/records.jsonl']),
  fixtureRoots: ['/r/fixtures', '/r/one.json'],
  agents: [
    agent('a', ['/r/a.mjs', '/r/lib/shared.mjs', '/r/fixtures/table.json']),
    agent('b', ['/r/b.mjs', '/r/lib/shared.mjs']),
    agent('far', []),
  ],
};

const plan = (changed: readonly string[], watched: Watched | null = WATCHED) => {
  const rerun = planRerun(changed, watched);
  return rerun.kind === 'all' ? 'all' : [[...rerun.fixtures], [...rerun.agents]];
};

test.each<[string, readonly string[], ReturnType<typeof plan>]>([
  ['the profile', ['/r/profiles/default.yaml'], 'all'],
  ['a pinned copy, among others', ['/r/a.mjs', '/r/records.jsonl'], 'all'],
  ['a fixture', ['/r/fixtures/deep/x.json'], [['/r/fixtures/deep/x.json'], []]],
  ['a fixture that is named itself', ['/r/one.json'], [['/r/one.json'], []]],
  ['an expectation', ['/r/fixtures/x.expect.yaml', '/r/one.expect.yaml'], [['/r/fixtures/x.json', '/r/one.json'], []]],
  ['a module', ['/r/a.mjs'], [[], ['a']]],
  ['a file that two modules import', ['/r/lib/shared.mjs'], [[], ['a', 'b']]],
  ['a file that is a fixture and imported', ['/r/fixtures/table.json'], [['/r/fixtures/table.json'], ['a']]],
  ['what nothing stands on', ['/r/README.md', '/r/other.mjs', '/r/fixturesx/y.json'], [[], []]],
])('runs what %s touches', (_what, changed, expected) => {
  expect(plan(changed)).toEqual(expected);
});

test('runs an agent whose files are not known for any source file, but for no fixture of another', () => {
  const watched = { ...WATCHED, agents: [agent('a', ['/r/a.mjs']), agent('unknown', null)] };
  expect(plan(['/r/other.py'], watched)).toEqual([[], ['unknown']]);
  expect(plan(['/r/fixtures/x.json'], watched)).toEqual([['/r/fixtures/x.json'], []]);
  expect(plan(['/r/picture.png'], watched)).toEqual([[], []]);
});

test('runs delegating agents with those that they may ask', () => {
  const watched = { ...WATCHED, agents: [...WATCHED.agents, agent('chief', ['/r/chief.mjs'], true)] };
  expect(plan(['/r/b.mjs'], watched)).toEqual([[], ['b', 'chief']]);
});

test('runs everything for any change after a run that was refused', () => {
  expect(plan(['/r/README.md'], null)).toBe('all');
});
