import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, listen, shut } from './http/wire.js';
import { signApp } from './sign-app.js';
import { call, scene } from './support.js';
import { deliver, type Happening, payloadOf } from './webhooks.js';

type Received = { readonly headers: Record<string, unknown>; readonly body: string };

const received: Received[] = [];
let hook: Awaited<ReturnType<typeof listen>>;
let status = 200;

beforeAll(async () => {
  hook = await listen(async (request, response) => {
    received.push({ headers: request.headers, body: (await bodyOf(request)).toString('utf8') });
    response.writeHead(status).end('taken');
  });
});
afterAll(() => shut(hook.server));

async function happenings() {
  const made = await scene({ checks: 'write' });
  const { server, repository, installation } = made;
  const before = repository.head();
  const after = repository.commit({ branch: 'change', files: { a: 'x' } });
  const pull = repository.pulls.open({ head: 'change' });
  const run = repository.actions.start({ headSha: pull.headSha });
  repository.actions.complete(run, 'success');
  const comment = repository.discussion.comment({
    issue: 1,
    body: '/grounding recheck',
    user: server.state.account('mona'),
  });
  const { app } = installation;
  const check = repository.checks.create({
    app: app.id,
    headSha: pull.headSha,
    name: 'grounding/verified',
    status: 'completed',
    conclusion: 'failure',
  });
  const suite = repository.checks.suite({ app: app.id, headSha: pull.headSha });
  const group = repository.mergeGroup([pull]);
  const all: Happening[] = [
    { event: 'ping', repository },
    { event: 'push', repository, ref: 'refs/heads/change', before, after },
    ...(['opened', 'reopened', 'ready_for_review', 'converted_to_draft', 'closed'] as const).map(
      (action): Happening => ({ event: 'pull_request', action, repository, pull }),
    ),
    { event: 'pull_request', action: 'synchronize', repository, pull, before },
    {
      event: 'pull_request',
      action: 'edited',
      repository,
      pull,
      changes: { base: { ref: { from: 'old' }, sha: { from: before } } },
    },
    { event: 'workflow_run', action: 'requested', repository, run },
    { event: 'workflow_run', action: 'completed', repository, run },
    { event: 'check_run', action: 'created', repository, check },
    { event: 'check_run', action: 'rerequested', repository, check },
    { event: 'check_run', action: 'requested_action', repository, check, identifier: 'again' },
    { event: 'check_suite', action: 'requested', repository, suite },
    { event: 'check_suite', action: 'rerequested', repository, suite },
    { event: 'issue_comment', action: 'created', repository, comment },
    { event: 'issue_comment', action: 'edited', repository, comment },
    { event: 'issue_comment', action: 'deleted', repository, comment },
    { event: 'merge_group', action: 'checks_requested', repository, group },
    { event: 'merge_group', action: 'destroyed', repository, group },
    ...(['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'] as const).map(
      (action): Happening => ({ event: 'installation', action, installation }),
    ),
    { event: 'installation_repositories', action: 'added', installation, repositories: [repository] },
    { event: 'installation_repositories', action: 'removed', installation, repositories: [repository] },
    { event: 'repository', action: 'renamed', repository, from: 'old' },
  ];
  return { ...made, all, pull };
}

/** Where a payload still shows the example's names. */
function leaks(value: unknown, path = ''): string[] {
  if (typeof value === 'string')
    return /Codertocat|Octocoders|octo-(org|repo)|Hello-World|api\.github\.com/i.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => leaks(member, `${path}/${name}`));
}

test('makes every payload as GitHub describes it, and no example shines through', async () => {
  const { server, installation, all } = await happenings();
  for (const happening of all) {
    const payload = payloadOf(server, happening, { installation, sender: 'mona' });
    const name = `${happening.event} ${'action' in happening ? happening.action : ''}`;
    expect(server.takeViolations(), name).toEqual([]);
    if (happening.event !== 'ping') expect(leaks(payload), name).toEqual([]);
  }
});

test('signs what it sends, or sends what the test wants in place of a signature', async () => {
  const { server, repository, installation, pull } = await happenings();
  const payload = payloadOf(server, { event: 'pull_request', action: 'opened', repository, pull }, { installation });
  const sending = { url: hook.origin, event: 'pull_request', payload, secret: 'one', app: installation.app.id };
  received.length = 0;
  const sent = await deliver(server, sending);
  await deliver(server, { ...sending, signature: 'sha256=0' });
  await deliver(server, { ...sending, signature: null });
  const [good, forged, bare] = received;
  const right = createHmac('sha256', 'one')
    .update(good?.body ?? '')
    .digest('hex');
  expect(good?.headers).toMatchObject({ 'x-hub-signature-256': `sha256=${right}`, 'x-github-delivery': sent.guid });
  expect(forged?.headers['x-hub-signature-256']).toBe('sha256=0');
  expect(bare?.headers).not.toHaveProperty('x-hub-signature-256');
});

test('lists failed deliveries to the app, newest first, and repeats one under its own id', async () => {
  const { server, repository, installation } = await happenings();
  const payload = payloadOf(server, { event: 'ping', repository });
  const sending = { url: hook.origin, event: 'ping', payload, secret: 'one', app: installation.app.id };
  status = 503;
  const failed = await deliver(server, sending);
  status = 200;
  await deliver(server, sending);
  const token = signApp(installation.app);
  const first = await call(server, { route: 'GET /app/hook/deliveries?per_page=1', token });
  expect(first.body).toMatchObject([{ status_code: 200 }]);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]?.replace(server.url, '');
  const second = await call(server, { route: `GET ${next}`, token });
  expect(second.body).toMatchObject([{ id: failed.id, guid: failed.guid, status_code: 503, redelivery: false }]);
  const again = await call(server, { route: `POST /app/hook/deliveries/${failed.id}/attempts`, token });
  expect(again.status).toBe(202);
  await expect
    .poll(() => server.state.deliveries.at(-1))
    .toMatchObject({ guid: failed.guid, redelivery: true, statusCode: 200 });
});

test('notes an app that is down', async () => {
  const { server, repository, installation } = await happenings();
  const payload = payloadOf(server, { event: 'ping', repository });
  const sending = { url: 'http://127.0.0.1:1', event: 'ping', payload, secret: 'one', app: installation.app.id };
  expect(await deliver(server, sending)).toMatchObject({ statusCode: 502 });
});
