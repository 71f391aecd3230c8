import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobsOf } from '../../bot/work/index.js';
import { type GitHubServer, startGitHub } from '../github/server.js';
import type { Installation } from '../github/state/app.js';
import type { Pull } from '../github/state/records.js';
import type { Repository } from '../github/state/repository.js';
import { type Happening, payloadOf } from '../github/webhooks.js';

let server: GitHubServer;
let repository: Repository;
let installation: Installation;
let pull: Pull;

beforeAll(async () => {
  server = await startGitHub();
  repository = server.repository('octo/agents');
  repository.commit({ files: { 'README.md': 'hello\n' } });
  installation = server.app({ slug: 'grounding', permissions: {} }).install({ account: 'octo' });
  repository.commit({ branch: 'change', files: { a: '1\n' } });
  pull = repository.pulls.open({ head: 'change' });
});
afterAll(() => server.close());

const jobs = (event: Happening['event'], more: Readonly<Record<string, unknown>>) =>
  jobsOf(event, payloadOf(server, { event, repository, ...more } as Happening, { installation }));

const where = () => ({
  installation: installation.id,
  repository: { id: repository.id, owner: 'octo', name: 'agents' },
});

test.each(['opened', 'reopened', 'ready_for_review', 'converted_to_draft'])(
  'judges a pull request that was %s',
  (action) => {
    expect(jobs('pull_request', { action, pull })).toEqual([
      { kind: 'judge', ...where(), pull: pull.number, why: action },
    ]);
  },
);

test('judges a pushed pull request, and looks after the head that it left', () => {
  const before = repository.head('main');
  expect(jobs('pull_request', { action: 'synchronize', pull, before })).toEqual([
    { kind: 'judge', ...where(), pull: pull.number, why: 'synchronize' },
    { kind: 'resolve', ...where(), head: before, why: 'moved' },
  ]);
});

test('judges an edited pull request when its base is another, and not for its title', () => {
  expect(jobs('pull_request', { action: 'edited', pull })).toEqual([]);
  const changes = { base: { ref: { from: 'old' }, sha: { from: pull.headSha } } };
  expect(jobs('pull_request', { action: 'edited', pull, changes })).toHaveLength(1);
  expect(jobs('pull_request', { action: 'closed', pull })).toEqual([]);
});

test("resolves the head of a workflow's run that ended", () => {
  const run = repository.actions.start({ headSha: pull.headSha });
  const job = { kind: 'resolve', ...where(), head: pull.headSha, run: run.id, why: 'workflow_run' };
  expect(jobs('workflow_run', { action: 'completed', run })).toEqual([job]);
  expect(jobs('workflow_run', { action: 'requested', run })).toEqual([]);
});

test('judges a merge group that asks for checks', () => {
  const group = repository.mergeGroup([pull]);
  const job = { kind: 'merge-group', ...where(), head: group.sha, base: group.baseSha, baseRef: group.baseRef };
  expect(jobs('merge_group', { action: 'checks_requested', group })).toEqual([job]);
  expect(jobs('merge_group', { action: 'destroyed', group })).toEqual([]);
});

test.each<[string, string, number]>([
  ['mona', '/grounding help', 1],
  ['mona', '/grounding', 1],
  ['mona', 'see /grounding help', 0],
  ['mona', '/groundings', 0],
  ['helper[bot]', '/grounding help', 0],
])('of a comment by %s that says %j makes %i', (login, body, count) => {
  const comment = repository.discussion.comment({ issue: pull.number, user: server.state.account(login), body });
  expect(jobs('issue_comment', { action: 'created', comment })).toHaveLength(count);
  expect(jobs('issue_comment', { action: 'edited', comment })).toEqual([]);
});

test('hears no command in an issue', () => {
  const issue = repository.discussion.open({ title: 'x', user: server.state.account('mona') });
  const comment = repository.discussion.comment({ issue: issue.number, user: issue.user, body: '/grounding help' });
  expect(jobs('issue_comment', { action: 'created', comment })).toEqual([]);
});

test.each([
  null,
  7,
  'text',
  [],
  {},
  { installation: { id: 'x' } },
  { action: 'opened', number: 1 },
  JSON.parse('{"__proto__":{"installation":{"id":1}}}'),
])('makes nothing of a payload that is none: %j', (payload) => {
  for (const name of ['pull_request', 'workflow_run', 'check_run', 'merge_group', 'issue_comment', 'toString'])
    expect(jobsOf(name, payload)).toEqual([]);
});
