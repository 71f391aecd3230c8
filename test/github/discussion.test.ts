import { expect, test } from 'vitest';
import { call, scene } from './support.js';

const WRITE = { issues: 'write', pull_requests: 'write' } as const;

async function ready() {
  const made = await scene(WRITE);
  const { server, repository, token } = made;
  repository.discussion.open({ title: 'One', user: server.state.account('mona') });
  const send = (route: string, body?: unknown) =>
    call(server, { route: route.replace(' ', ' /repos/octo/agents/issues'), token, body });
  return { ...made, send };
}

test('takes a comment of 65,536 characters, whatever their bytes, and answers 422 to one more', async () => {
  const { send } = await ready();
  expect(await send('POST /1/comments', { body: '😀'.repeat(65_536) })).toMatchObject({ status: 201 });
  const refused = await send('POST /1/comments', { body: '😀'.repeat(65_537) });
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'IssueComment', code: 'unprocessable' }] },
  });
  const made = await send('POST /1/comments', { body: 'x' });
  const updated = await send(`PATCH /comments/${made.body.id}`, { body: 'x'.repeat(65_537) });
  expect(updated).toMatchObject({ status: 422 });
  expect(await send('POST /1/comments', { body: ' ' })).toMatchObject({ status: 422 });
});

test('shows an app as the author of its comments, by REST and by GraphQL', async () => {
  const { server, token, send } = await ready();
  const { body } = await send('POST /1/comments', { body: 'verdict' });
  expect(body).toMatchObject({
    user: { login: 'grounding[bot]', type: 'Bot' },
    performed_via_github_app: { slug: 'grounding' },
  });
  const query = `query($n: Int!) { viewer { login databaseId } repository(owner: "octo", name: "agents") {
    issue(number: $n) { comments(last: 10) { nodes { databaseId body viewerDidAuthor author { login __typename } } pageInfo { hasPreviousPage } } } } }`;
  const answer = await call(server, { route: 'POST /graphql', token, body: { query, variables: { n: 1 } } });
  expect(answer.body.data).toEqual({
    viewer: { login: 'grounding[bot]', databaseId: body.user.id },
    repository: {
      issue: {
        comments: {
          nodes: [
            {
              databaseId: body.id,
              body: 'verdict',
              viewerDidAuthor: true,
              author: { login: 'grounding', __typename: 'Bot' },
            },
          ],
          pageInfo: { hasPreviousPage: false },
        },
      },
    },
  });
});

test("shows a workflow's token as github-actions[bot]", async () => {
  const { server } = await ready();
  const token = server.token({ kind: 'actions', repository: 'octo/agents', permissions: {} });
  const answer = await call(server, {
    route: 'POST /graphql',
    token,
    body: { query: '{ viewer { login databaseId } }' },
  });
  expect(answer.body.data.viewer).toEqual({ login: 'github-actions[bot]', databaseId: 41898282 });
});

test("complains of a query that GitHub's schema does not know", async () => {
  const { server, token } = await ready();
  const answer = await call(server, { route: 'POST /graphql', token, body: { query: '{ viewer { logn } }' } });
  expect(answer.body.errors).toHaveLength(1);
  expect(server.takeViolations()).toHaveLength(1);
});

test('turns the pages of comments by cursor, and wants a bound', async () => {
  const { server, token, send } = await ready();
  for (const body of ['a', 'b', 'c']) await send('POST /1/comments', { body });
  const ask = async (paging: string) => {
    const query = `{ repository(owner: "octo", name: "agents") { issue(number: 1) { comments${paging} {
      nodes { body } pageInfo { endCursor hasNextPage } } } } }`;
    return (await call(server, { route: 'POST /graphql', token, body: { query } })).body;
  };
  const { nodes, pageInfo } = (await ask('(first: 2)')).data.repository.issue.comments;
  expect(nodes).toEqual([{ body: 'a' }, { body: 'b' }]);
  const rest = await ask(`(first: 2, after: "${pageInfo.endCursor}")`);
  expect(rest.data.repository.issue.comments).toMatchObject({
    nodes: [{ body: 'c' }],
    pageInfo: { hasNextPage: false },
  });
  expect((await ask('')).errors).toHaveLength(1);
});

test('counts one reaction of a kind for each person', async () => {
  const { send } = await ready();
  const { body } = await send('POST /1/comments', { body: 'x' });
  const react = () => send(`POST /comments/${body.id}/reactions`, { content: 'rocket' });
  expect(await react()).toMatchObject({ status: 201 });
  expect(await react()).toMatchObject({ status: 200 });
  expect((await send(`GET /comments/${body.id}`)).body).toMatchObject({ reactions: { total_count: 1, rocket: 1 } });
});

test('lists pull requests among issues, and makes unknown labels', async () => {
  const { repository, send } = await ready();
  repository.commit({ branch: 'change', files: { a: 'x' } });
  repository.pulls.open({ head: 'change' });
  await send('POST ', { title: 'Drift', labels: ['drift'] });
  const all = await send('GET ');
  expect(
    all.body.map((one: { number: number; pull_request?: object }) => [one.number, one.pull_request !== undefined]),
  ).toEqual([
    [3, false],
    [2, true],
    [1, false],
  ]);
  expect((await send('GET ?labels=drift')).body).toMatchObject([{ title: 'Drift', user: { login: 'grounding[bot]' } }]);
  await send('PATCH /3', { state: 'closed' });
  expect((await send('GET ?labels=drift')).body).toEqual([]);
});

test('lets an app that may write pull requests comment on those only', async () => {
  const { server, repository } = await ready();
  repository.commit({ branch: 'change', files: { a: 'x' } });
  repository.pulls.open({ head: 'change' });
  const permissions = { pull_requests: 'write' } as const;
  const token = server.token({ kind: 'actions', repository: 'octo/agents', permissions });
  const comment = (number: number) =>
    call(server, { route: `POST /repos/octo/agents/issues/${number}/comments`, token, body: { body: 'x' } });
  expect(await comment(1)).toMatchObject({ status: 403 });
  expect(await comment(2)).toMatchObject({ status: 201 });
});
