import { expect, test } from 'vitest';
import { call, scene } from './support.js';

test('lists at most 3,000 files, 100 a page, with links to the others', async () => {
  const { server, repository } = await scene({});
  const files = Object.fromEntries(Array.from({ length: 3100 }, (_, index) => [`runs/${index}.json`, `${index}`]));
  repository.commit({ branch: 'change', files });
  repository.pulls.open({ head: 'change' });
  const get = (query: string) => call(server, { route: `GET /repos/octo/agents/pulls/1/files${query}` });
  const first = await get('');
  expect(first.body).toHaveLength(30);
  expect(first.headers.get('link')).toContain('page=100>; rel="last"');
  expect((await get('?per_page=100&page=30')).body).toHaveLength(100);
  const past = await get('?per_page=100&page=31');
  expect(past.body).toEqual([]);
  expect(past.headers.get('link')).not.toContain('rel="next"');
  expect((await call(server, { route: 'GET /repos/octo/agents/pulls/1' })).body.changed_files).toBe(3100);
});

test('lists renamed and removed files as such', async () => {
  const { server, repository } = await scene({});
  repository.commit({ files: { old: 'same\n', gone: 'x\n' } });
  repository.commit({ branch: 'change', files: { old: null, gone: null, new: 'same\n', 'README.md': 'hi\nhello\n' } });
  repository.pulls.open({ head: 'change' });
  const { body } = await call(server, { route: 'GET /repos/octo/agents/pulls/1/files' });
  expect(body).toMatchObject([
    { filename: 'README.md', status: 'modified', additions: 1, deletions: 0, patch: '@@ -0,0 +1,1 @@\n+hi' },
    { filename: 'gone', status: 'removed' },
    { filename: 'new', status: 'renamed', previous_filename: 'old', additions: 0 },
  ]);
});

test('names no pull request for a fork, in runs, checks and commits', async () => {
  const { server, repository } = await scene({});
  const fork = repository.fork('mona/agents');
  fork.commit({ branch: 'change', files: { a: 'x' } });
  const pull = repository.pulls.open({ head: 'change', from: fork });
  const run = repository.actions.start({ headSha: pull.headSha, from: fork });
  const get = async (route: string) => (await call(server, { route: `GET ${route}` })).body;
  expect(await get(`/repos/octo/agents/actions/runs/${run.id}`)).toMatchObject({
    pull_requests: [],
    head_branch: 'change',
    head_repository: { full_name: 'mona/agents' },
  });
  expect(await get(`/repos/octo/agents/commits/${pull.headSha}/pulls`)).toEqual([]);
  expect(await get('/repos/octo/agents/pulls?head=mona:change')).toMatchObject([
    { number: 1, head: { label: 'mona:change', repo: { fork: true } } },
  ]);
  expect(await get('/repos/octo/agents/pulls?head=octo:change')).toEqual([]);
});

test('moves the head of an open pull request with its branch, and not of a closed one', async () => {
  const { repository } = await scene({});
  const first = repository.commit({ branch: 'change', files: { a: 'x' } });
  const pull = repository.pulls.open({ head: 'change' });
  const second = repository.commit({ branch: 'change', files: { a: 'y' } });
  expect(pull.headSha).toBe(second);
  repository.commit({ branch: 'change', onto: first, files: { a: 'z' } });
  expect(pull.headSha).not.toBe(second);
  repository.pulls.close(pull);
  const closed = pull.headSha;
  repository.commit({ branch: 'change', files: { a: 'w' } });
  expect(pull.headSha).toBe(closed);
});

test('merges a pull request and queues others together', async () => {
  const { server, repository } = await scene({});
  repository.commit({ branch: 'one', files: { one: '1' } });
  repository.commit({ branch: 'two', files: { two: '2' } });
  const [one, two] = [repository.pulls.open({ head: 'one' }), repository.pulls.open({ head: 'two' })];
  const group = repository.mergeGroup([one, two]);
  expect(group.ref).toBe(`refs/heads/gh-readonly-queue/main/pr-2-${group.baseSha}`);
  const { body } = await call(server, { route: `GET /repos/octo/agents/contents?ref=${group.sha}` });
  expect(body.map((entry: { name: string }) => entry.name)).toEqual(['README.md', 'one', 'two']);
  repository.pulls.merge(one);
  expect((await call(server, { route: 'GET /repos/octo/agents/pulls/1' })).body).toMatchObject({
    merged: true,
    state: 'closed',
  });
  expect(two.baseSha).toBe(repository.head());
});

test('shows a pull request whose fork is gone without a head repository', async () => {
  const { server, repository } = await scene({});
  const fork = repository.fork('mona/agents');
  fork.commit({ branch: 'change', files: { a: 'x' } });
  const pull = repository.pulls.open({ head: 'change', from: fork });
  server.state.remove(fork);
  const { body } = await call(server, { route: 'GET /repos/octo/agents/pulls/1' });
  expect(body.head).toMatchObject({ sha: pull.headSha, repo: null });
  expect(await call(server, { route: 'GET /repos/mona/agents' })).toMatchObject({ status: 404 });
});
