import { expect, test } from 'vitest';
import { signApp } from './sign-app.js';
import { call, scene } from './support.js';

const READ_ONLY = { checks: 'read', contents: 'read', issues: 'read' } as const;
const COMMENT = { body: 'hello' };

test.each([
  ['POST /repos/octo/agents/check-runs', { name: 'grounding', head_sha: '0'.repeat(40) }],
  ['POST /repos/octo/agents/issues/1/comments', COMMENT],
  ['POST /repos/octo/agents/code-scanning/sarifs', { commit_sha: '0'.repeat(40), ref: 'refs/heads/main', sarif: '' }],
])('answers 403 to a read-only token for %s', async (route, body) => {
  const { server } = await scene(READ_ONLY);
  const token = server.token({ kind: 'actions', repository: 'octo/agents', permissions: READ_ONLY });
  const answer = await call(server, { route, token, body });
  expect(answer).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } });
});

test('answers 404 for a private repository that the token may not see, and for one that is not there', async () => {
  const { server } = await scene({}, { private: true });
  server.repository('octo/other', { private: true }).commit({});
  const token = server.token({ kind: 'actions', repository: 'octo/other', permissions: {} });
  expect(await call(server, { route: 'GET /repos/octo/agents', token })).toMatchObject({ status: 404 });
  expect(await call(server, { route: 'GET /repos/octo/agents' })).toMatchObject({ status: 404 });
  expect(await call(server, { route: 'GET /repos/octo/nothing', token })).toMatchObject({ status: 404 });
});

test('lets everybody read a public repository, and people comment on it', async () => {
  const { server, repository } = await scene({});
  repository.discussion.open({ title: 'One', user: server.state.account('mona') });
  const token = server.token({ kind: 'user', login: 'stranger' });
  expect(await call(server, { route: 'GET /repos/octo/agents' })).toMatchObject({ status: 200 });
  const route = 'POST /repos/octo/agents/issues/1/comments';
  expect(await call(server, { route, token, body: COMMENT })).toMatchObject({ status: 201 });
  expect(await call(server, { route, body: COMMENT })).toMatchObject({ status: 401 });
  const check = { name: 'x', head_sha: repository.head() };
  expect(await call(server, { route: 'POST /repos/octo/agents/check-runs', token, body: check })).toMatchObject({
    status: 403,
  });
});

test('says who may write, by role, and answers 404 for nobody', async () => {
  const { server, repository, token } = await scene({});
  repository.collaborator('mona', 'maintain');
  server.state.account('stranger');
  const ask = (login: string) =>
    call(server, { route: `GET /repos/octo/agents/collaborators/${login}/permission`, token });
  expect((await ask('Mona')).body).toMatchObject({ permission: 'write', role_name: 'maintain' });
  expect((await ask('stranger')).body).toMatchObject({ permission: 'read' });
  expect(await ask('nobody')).toMatchObject({ status: 404 });
});

test('gives an installation a token that does no more than it was asked for', async () => {
  const { server, repository, installation } = await scene({ checks: 'write', issues: 'write' });
  const jwt = signApp(installation.app);
  const route = `POST /app/installations/${installation.id}/access_tokens`;
  const body = { repositories: ['agents'], permissions: { issues: 'write' } };
  const made = await call(server, { route, token: jwt, body });
  expect(made).toMatchObject({
    status: 201,
    body: { permissions: { issues: 'write' }, repository_selection: 'selected' },
  });
  const check = { name: 'x', head_sha: repository.head() };
  const tried = await call(server, {
    route: 'POST /repos/octo/agents/check-runs',
    token: made.body.token,
    body: check,
  });
  expect(tried).toMatchObject({ status: 403 });
  const more = await call(server, { route, token: jwt, body: { permissions: { contents: 'write' } } });
  expect(more).toMatchObject({ status: 422 });
});

const NOW = Math.floor(Date.now() / 1000);

test.each([
  ['issued in the future', { iat: NOW + 300 }],
  ['expired', { exp: NOW - 1 }],
  ['good for too long', { exp: NOW + 900 }],
  ['of an unknown app', { iss: 7 }],
])('answers 401 to a JWT that is %s', async (_, claims) => {
  const { server, installation } = await scene({});
  const token = signApp(installation.app, { claims });
  expect(await call(server, { route: 'GET /app', token })).toMatchObject({ status: 401 });
});

test('answers 401 to a JWT that another key signed', async () => {
  const { server, installation } = await scene({});
  const other = server.app({ slug: 'other', permissions: {} });
  const token = signApp({ id: installation.app.id, privateKey: other.privateKey });
  expect(await call(server, { route: 'GET /app', token })).toMatchObject({ status: 401 });
});

test('refuses tokens of installations that are suspended or gone, and tokens older than an hour', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const { server, installation, token } = await scene({}, { clock: () => now });
  const ask = () => call(server, { route: 'GET /repos/octo/agents', token });
  installation.suspend();
  expect(await ask()).toMatchObject({ status: 403, body: { message: 'This installation has been suspended' } });
  installation.unsuspend();
  expect(await ask()).toMatchObject({ status: 200 });
  now += 3_600_000;
  expect(await ask()).toMatchObject({ status: 401 });
  installation.uninstall();
  const jwt = signApp(installation.app, { now });
  const route = `POST /app/installations/${installation.id}/access_tokens`;
  expect(await call(server, { route, token: jwt })).toMatchObject({ status: 404 });
});

test('shows no user to an app', async () => {
  const { server, token } = await scene({});
  expect(await call(server, { route: 'GET /user', token })).toMatchObject({ status: 403 });
});

test("answers 301 under a repository's old name, with an address that works", async () => {
  const { server, repository, token } = await scene({});
  repository.rename('octo/renamed');
  const moved = await call(server, { route: 'GET /repos/octo/agents/contents/README.md', token });
  expect(moved.status).toBe(301);
  const location = moved.headers.get('location')?.replace(server.url, '') ?? '';
  expect(await call(server, { route: `GET ${location}`, token })).toMatchObject({
    status: 200,
    body: { name: 'README.md' },
  });
  const post = { route: 'POST /repos/octo/agents/issues', token, body: { title: 'x' } };
  expect(await call(server, post)).toMatchObject({ status: 307 });
});
