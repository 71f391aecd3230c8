import { request } from 'node:http';
import { expect, test } from 'vitest';
import { secondaryLimit } from './http/errors.js';
import { startGitHub } from './server.js';
import { call, scene } from './support.js';

const ISSUE = { route: 'POST /repos/octo/agents/issues', body: { title: 'x' } };

test('answers 500 to a call outside the subset, and does not close in silence', async () => {
  const server = await startGitHub();
  expect(await call(server, { route: 'GET /emojis' })).toMatchObject({ status: 500 });
  expect(server.unexpected).toHaveLength(1);
  await expect(server.close()).rejects.toThrow('GET /emojis');
});

test('answers 500 to a filter that it does not work with', async () => {
  const { server } = await scene({});
  const route = 'GET /repos/octo/agents/issues?assignee=mona';
  expect(await call(server, { route })).toMatchObject({ status: 500 });
  expect(server.takeUnexpected()).toHaveLength(1);
});

test('complains of parameters that GitHub does not describe', async () => {
  const { server } = await scene({});
  await call(server, { route: 'GET /repos/octo/agents/pulls?state=opened&per-page=100' });
  expect(server.takeViolations()).toHaveLength(2);
});

test('answers 403 without a User-Agent, and 400 to a body that is not JSON', async () => {
  const { server, token } = await scene({ issues: 'write' });
  const raw = (path: string, body: string) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...(body === '' ? {} : { 'user-agent': 'x' }) };
      const sent = request(`${server.url}${path}`, { method: body === '' ? 'GET' : 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end(body);
    });
  expect(await raw('/repos/octo/agents', '')).toBe(403);
  expect(await raw('/repos/octo/agents/issues', '{"title"')).toBe(400);
  expect(server.takeViolations()).toHaveLength(1);
});

test('breaks what a test tells it to break, so often and no oftener', async () => {
  const { server, repository, token } = await scene({ issues: 'write' });
  server.fail('issues/create', { status: 502, times: 2, after: 1 });
  const statuses = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await call(server, { ...ISSUE, token })).status);
  expect(statuses).toEqual([201, 502, 502, 201]);
  expect(repository.discussion.issues).toHaveLength(2);
});

test('loses an answer after the work was done', async () => {
  const { server, repository, token } = await scene({ issues: 'write' });
  const heal = server.fail(/^POST .*issues$/, { status: 502, afterwards: true });
  expect(await call(server, { ...ISSUE, token })).toMatchObject({ status: 502 });
  expect(repository.discussion.issues).toHaveLength(1);
  heal();
  expect(await call(server, { ...ISSUE, token })).toMatchObject({ status: 201 });
});

test('hangs until it closes, and cuts connections', async () => {
  const { server } = await scene({});
  server.fail('repos/get', { hang: true, times: 1 });
  const hanging = fetch(`${server.url}/repos/octo/agents`, { signal: AbortSignal.timeout(200) });
  await expect(hanging).rejects.toThrow();
  server.fail('repos/get', { drop: true, times: 1 });
  await expect(call(server, { route: 'GET /repos/octo/agents' })).rejects.toThrow();
  expect(await call(server, { route: 'GET /repos/octo/agents' })).toMatchObject({ status: 200 });
});

test('refuses requests that come too fast, says how long to wait, and takes them after that', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const { server, token } = await scene({ issues: 'write' }, { clock: () => now, limits: { contentPerMinute: 1 } });
  expect(await call(server, { ...ISSUE, token })).toMatchObject({ status: 201 });
  const refused = await call(server, { ...ISSUE, token });
  expect(refused).toMatchObject({ status: 403, body: { message: secondaryLimit(60).message } });
  expect(refused.headers.get('retry-after')).toBe('60');
  now += 60_000;
  expect(await call(server, { ...ISSUE, token })).toMatchObject({ status: 201 });
});

test("refuses requests over the hour's limit, and shows the limit in every answer", async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const { server } = await scene({}, { clock: () => now, limits: { perHour: 2 } });
  const token = server.token({ kind: 'user', login: 'mona' });
  const ask = () => call(server, { route: 'GET /repos/octo/agents', token });
  expect((await ask()).headers.get('x-ratelimit-remaining')).toBe('1');
  await ask();
  const refused = await ask();
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(now / 1000 + 3600);
  now += 3_600_000;
  expect(await ask()).toMatchObject({ status: 200 });
});

test('answers 304 to a reader that has it already', async () => {
  const { server } = await scene({});
  const first = await call(server, { route: 'GET /repos/octo/agents/pulls' });
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect(await call(server, { route: 'GET /repos/octo/agents/pulls', headers })).toMatchObject({ status: 304 });
});

test('serves under /api/v3 as an enterprise server, without the artifact service', async () => {
  const { server, token } = await scene({}, { enterprise: true });
  expect(server.url.endsWith('/api/v3')).toBe(true);
  const list = await call(server, { route: 'GET /repos/octo/agents/commits?per_page=1', token });
  expect(list.status).toBe(200);
  expect(list.body[0].url).toContain('/api/v3/repos/octo/agents/commits/');
  expect(await call(server, { route: 'POST /graphql', token, body: { query: '{ viewer { login } }' } })).toMatchObject({
    status: 200,
  });
  const service = `${server.origin}/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact`;
  expect((await fetch(service, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('holds a request until the test lets go, before its work or after it', async () => {
  const { server, repository, token } = await scene({ issues: 'write' });
  for (const afterwards of [false, true]) {
    let letGo = () => {};
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const before = repository.discussion.issues.length;
    const heal = server.fail('issues/create', { until, afterwards });
    const held = call(server, { ...ISSUE, token });
    await expect.poll(() => repository.discussion.issues.length).toBe(before + (afterwards ? 1 : 0));
    const early = await Promise.race([held, new Promise((resolve) => setTimeout(resolve, 50, 'still held'))]);
    expect(early).toBe('still held');
    expect(repository.discussion.issues).toHaveLength(before + (afterwards ? 1 : 0));
    letGo();
    expect(await held).toMatchObject({ status: 201 });
    expect(repository.discussion.issues).toHaveLength(before + 1);
    heal();
  }
});

test('refuses too many requests at once', async () => {
  const { server, token } = await scene({}, { latency: 100, limits: { concurrent: 2 } });
  const ask = () => call(server, { route: 'GET /repos/octo/agents', token });
  const statuses = (await Promise.all([ask(), ask(), ask()])).map((one) => one.status).sort();
  expect(statuses).toEqual([200, 200, 403]);
  expect(await ask()).toMatchObject({ status: 200 });
});

test('answers 500 to a rendering that it does not make', async () => {
  const { server } = await scene({});
  const headers = { accept: 'application/vnd.github.diff' };
  expect(await call(server, { route: 'GET /repos/octo/agents/pulls', headers })).toMatchObject({ status: 500 });
  expect(server.takeUnexpected()).toHaveLength(1);
});
