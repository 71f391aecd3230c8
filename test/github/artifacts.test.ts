import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { WorkflowRun } from './state/records.js';
import { call, type Scene, scene } from './support.js';

const SERVICE = 'twirp/github.actions.results.api.v1.ArtifactService';

/** Speaks to the artifact service as the runner's library does. */
function client({ server, repository }: Scene, run: WorkflowRun) {
  const { ACTIONS_RUNTIME_TOKEN: token = '', ACTIONS_RESULTS_URL: url = '' } = server.runner(repository, run);
  const { scp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { scp: string };
  const [, workflow_run_backend_id, workflow_job_run_backend_id] = scp.split(':');
  return async (method: string, body: object) => {
    const response = await fetch(`${url}${SERVICE}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_run_backend_id, workflow_job_run_backend_id, ...body }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

async function ready() {
  const made = await scene({ actions: 'read' });
  const run = made.repository.actions.start({ headSha: made.repository.head() });
  return { ...made, run, speak: client(made, run) };
}

const put = (url: unknown, query: string, body: string | Buffer) => fetch(`${url}&${query}`, { method: 'PUT', body });

test('stores what was uploaded in blocks, once for a name, and serves it behind a redirect', async () => {
  const { server, repository, token, run, speak } = await ready();
  const created = await speak('CreateArtifact', { name: 'grounding', version: 7, mime_type: 'application/zip' });
  const url = created.body['signed_upload_url'];
  await put(url, 'comp=block&blockid=YQ%3D%3D', Buffer.from('PK'));
  await put(url, 'comp=block&blockid=Yg%3D%3D', Buffer.from('end'));
  const list = '<?xml version="1.0"?><BlockList><Latest>YQ==</Latest><Latest>Yg==</Latest></BlockList>';
  expect((await put(url, 'comp=blocklist', list)).status).toBe(201);
  const hash = `sha256:${createHash('sha256').update('PKend').digest('hex')}`;
  const done = await speak('FinalizeArtifact', { name: 'grounding', size: '5', hash });
  const id = repository.actions.artifacts[0]?.id;
  expect(done).toEqual({ status: 200, body: { ok: true, artifact_id: String(id) } });
  expect(await speak('CreateArtifact', { name: 'grounding', version: 7 })).toMatchObject({ status: 409 });
  const route = `GET /repos/octo/agents/actions/artifacts/${id}/zip`;
  const redirect = await call(server, { route, token });
  expect(redirect.status).toBe(302);
  const location = redirect.headers.get('location') ?? '';
  expect(new URL(location).origin).not.toBe(server.origin);
  expect(await (await fetch(location)).text()).toBe('PKend');
  repository.actions.rerun(run);
  expect(await speak('CreateArtifact', { name: 'grounding', version: 7 })).toMatchObject({ status: 200 });
});

test("refuses a size or hash that is not the upload's, and names that hold barred characters", async () => {
  const { repository, speak } = await ready();
  const { body } = await speak('CreateArtifact', { name: 'a', version: 7 });
  await put(body['signed_upload_url'], 'x=y', 'PK');
  expect(await speak('FinalizeArtifact', { name: 'a', size: '3' })).toMatchObject({ status: 400 });
  expect(await speak('FinalizeArtifact', { name: 'a', size: '2', hash: 'sha256:0' })).toMatchObject({ status: 400 });
  expect(repository.actions.artifacts).toEqual([]);
  for (const name of ['a/b', 'a\\b', 'a:b', 'a*', 'a\nb', ''])
    expect(await speak('CreateArtifact', { name, version: 7 })).toMatchObject({ status: 400 });
});

test('complains when a token is sent to the store of files', async () => {
  const { server, repository, run } = await ready();
  const artifact = repository.actions.store({ run, name: 'a', bytes: Buffer.from('PK') });
  const location = server.state.blobs.link(artifact);
  expect((await fetch(location, { headers: { authorization: 'Bearer x' } })).status).toBe(400);
  expect(server.takeViolations()).toHaveLength(1);
});

test('answers 410 for an artifact that has expired, and 403 without the permission', async () => {
  const { server, repository, run, token } = await ready();
  const artifact = repository.actions.store({ run, name: 'a', bytes: Buffer.from('PK') });
  const route = `GET /repos/octo/agents/actions/artifacts/${artifact.id}/zip`;
  const other = server.token({ kind: 'actions', repository: 'octo/agents', permissions: {} });
  expect(await call(server, { route, token: other })).toMatchObject({ status: 403 });
  artifact.expired = true;
  expect(await call(server, { route, token })).toMatchObject({ status: 410 });
});

test('complains of members that the service does not know', async () => {
  const { server, speak } = await ready();
  await speak('CreateArtifact', { name: 'a', version: 7, retention: 3 });
  expect(server.takeViolations()).toHaveLength(1);
});
