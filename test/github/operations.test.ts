import { gzipSync } from 'node:zlib';
import { Octokit } from '@octokit/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from './http/description.js';
import { type GitHubServer, startGitHub } from './server.js';
import { signApp } from './sign-app.js';
import type { App, Installation } from './state/app.js';
import { send } from './state/deliveries.js';
import type { CheckRun, Comment, Pull, WorkflowRun } from './state/records.js';
import type { Repository } from './state/repository.js';

const ALL = {
  actions: 'read',
  checks: 'write',
  contents: 'read',
  issues: 'write',
  pull_requests: 'write',
  security_events: 'write',
} as const;

interface Seed {
  readonly server: GitHubServer;
  readonly app: App;
  readonly installation: Installation;
  readonly repository: Repository;
  readonly pull: Pull;
  readonly comment: Comment;
  readonly run: WorkflowRun;
  readonly check: CheckRun;
}

let seed: Seed;
let token: string;

async function plant(): Promise<Seed> {
  const server = await startGitHub();
  const app = server.app({ slug: 'grounding', permissions: ALL, events: ['pull_request'] });
  const repository = server.repository('octo/agents', { private: true });
  const installation = app.install({ account: 'octo', repositories: ['octo/agents'] });
  repository.collaborator('mona', 'write');
  repository.commit({
    files: { 'README.md': 'hello\n', 'runs/a/envelope.json': '{}\n', link: { symlink: 'README.md' } },
  });
  repository.commit({ branch: 'change', files: { 'README.md': 'hello\nyou\n', 'runs/b/envelope.json': '[]\n' } });
  const pull = repository.pulls.open({ head: 'change', author: 'mona' });
  const mona = server.state.account('mona');
  const comment = repository.discussion.comment({ issue: pull.number, body: 'hi', user: mona });
  repository.discussion.react({ comment, user: mona, content: 'eyes' });
  repository.discussion.label('drift');
  const run = repository.actions.start({ headSha: pull.headSha });
  repository.actions.store({ run, name: 'grounding', bytes: Buffer.from('PK') });
  const check = repository.checks.create({ app: app.id, headSha: pull.headSha, name: 'grounding/verified' });
  const payload = { action: 'opened', installation: { id: installation.id }, repository: { id: repository.id } };
  await send(server.state, {
    url: 'http://127.0.0.1:1/closed',
    event: 'pull_request',
    payload,
    secret: 's',
    app: app.id,
  });
  server.requests.length = 0;
  server.takeUnexpected();
  return { server, app, installation, repository, pull, comment, run, check };
}

beforeAll(async () => {
  seed = await plant();
  token = server().token({ kind: 'installation', installation: seed.installation });
});

afterAll(() => server().close());

const server = () => seed.server;

type Case = readonly [operation: string, status: number, parameters?: () => Record<string, unknown>];

const annotation = {
  path: 'runs/b/envelope.json',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  message: 'no',
};
const output = { title: 'One violation', summary: 'G1', text: 'more', annotations: [annotation] };

// Every operation once; what each leaves behind is there for the next.
const CASES: readonly Case[] = [
  ['apps/get-authenticated', 200],
  ['apps/list-installations', 200],
  ['apps/get-installation', 200, () => ({ installation_id: seed.installation.id })],
  ['apps/get-repo-installation', 200],
  [
    'apps/create-installation-access-token',
    201,
    () => ({ installation_id: seed.installation.id, permissions: { checks: 'write' } }),
  ],
  ['apps/list-webhook-deliveries', 200],
  ['apps/get-webhook-delivery', 200, () => ({ delivery_id: server().state.deliveries[0]?.id })],
  ['apps/redeliver-webhook-delivery', 202, () => ({ delivery_id: server().state.deliveries[0]?.id })],
  ['apps/list-repos-accessible-to-installation', 200],
  ['users/get-authenticated', 200],
  ['rate-limit/get', 200],
  ['repos/get', 200],
  ['repos/get-branch', 200, () => ({ branch: 'change' })],
  ['repos/get-content', 200, () => ({ path: 'README.md', ref: 'change' })],
  ['repos/get-commit', 200, () => ({ ref: 'change' })],
  ['repos/list-commits', 200, () => ({ sha: 'change' })],
  ['repos/compare-commits-with-basehead', 200, () => ({ basehead: 'main...change' })],
  ['repos/get-collaborator-permission-level', 200, () => ({ username: 'mona' })],
  ['repos/list-pull-requests-associated-with-commit', 200, () => ({ commit_sha: seed.pull.headSha })],
  ['git/get-ref', 200, () => ({ ref: 'heads/main' })],
  ['git/list-matching-refs', 200, () => ({ ref: 'heads/' })],
  ['git/get-commit', 200, () => ({ commit_sha: seed.pull.headSha })],
  ['git/get-tree', 200, () => ({ tree_sha: seed.pull.headSha, recursive: '1' })],
  ['git/get-blob', 200, () => ({ file_sha: seed.repository.store.put('blob', Buffer.from('hello\n')) })],
  ['pulls/list', 200, () => ({ head: 'octo:change' })],
  ['pulls/get', 200],
  ['pulls/list-files', 200],
  ['pulls/list-commits', 200],
  ['checks/create', 201, () => ({ name: 'grounding', head_sha: seed.pull.headSha, status: 'in_progress' })],
  ['checks/update', 200, () => ({ conclusion: 'failure', output })],
  ['checks/get', 200],
  ['checks/list-annotations', 200],
  ['checks/list-for-ref', 200, () => ({ ref: 'heads/change' })],
  ['checks/list-for-suite', 200],
  ['checks/list-suites-for-ref', 200, () => ({ ref: seed.pull.headSha })],
  ['checks/get-suite', 200],
  ['issues/list-comments', 200],
  ['issues/create-comment', 201, () => ({ body: 'verdict' })],
  ['issues/update-comment', 200, () => ({ body: 'new verdict' })],
  ['issues/get-comment', 200],
  ['reactions/create-for-issue-comment', 201, () => ({ content: 'rocket' })],
  ['reactions/list-for-issue-comment', 200],
  ['reactions/delete-for-issue-comment', 204, () => ({ reaction_id: seed.comment.reactions.at(-1)?.id })],
  ['issues/delete-comment', 204],
  ['issues/create', 201, () => ({ title: 'Drift', body: 'one run', labels: ['drift'] })],
  ['issues/list-for-repo', 200, () => ({ labels: 'drift', state: 'open' })],
  ['issues/update', 200, () => ({ state: 'closed', state_reason: 'completed' })],
  ['issues/get', 200],
  ['issues/create-label', 201, () => ({ name: 'grounding', color: 'ff0000' })],
  ['issues/get-label', 200, () => ({ name: 'grounding' })],
  ['issues/add-labels', 200, () => ({ labels: ['grounding'] })],
  ['actions/list-repo-workflows', 200],
  ['actions/get-workflow', 200, () => ({ workflow_id: 'grounding.yml' })],
  ['actions/list-workflow-runs', 200, () => ({ workflow_id: 'grounding.yml', status: 'in_progress' })],
  ['actions/list-workflow-runs-for-repo', 200, () => ({ head_sha: seed.pull.headSha })],
  ['actions/get-workflow-run', 200],
  ['actions/get-workflow-run-attempt', 200, () => ({ attempt_number: 1 })],
  ['actions/list-jobs-for-workflow-run', 200],
  ['actions/list-jobs-for-workflow-run-attempt', 200, () => ({ attempt_number: 1 })],
  ['actions/list-workflow-run-artifacts', 200, () => ({ name: 'grounding' })],
  ['actions/list-artifacts-for-repo', 200],
  ['actions/get-artifact', 200],
  ['actions/download-artifact', 302, () => ({ archive_format: 'zip' })],
  [
    'code-scanning/upload-sarif',
    202,
    () => ({ commit_sha: seed.pull.headSha, ref: 'refs/heads/change', sarif: packed() }),
  ],
  ['code-scanning/get-sarif', 200, () => ({ sarif_id: seed.repository.sarifs[0]?.id })],
];

const packed = () => gzipSync(JSON.stringify({ version: '2.1.0', runs: [] })).toString('base64');

test('has a case for every operation of the subset', () => {
  expect(CASES.map(([operation]) => operation).sort()).toEqual(operations.map((operation) => operation.id).sort());
});

for (const [id, status, parameters] of CASES)
  test(`${id} answers ${status}, as described`, async () => {
    const operation = operations.find((one) => one.id === id);
    const auth =
      id.startsWith('apps/') && !id.endsWith('to-installation') ? `Bearer ${signApp(seed.app)}` : `token ${token}`;
    const credential =
      id === 'users/get-authenticated' ? `token ${server().token({ kind: 'user', login: 'mona' })}` : auth;
    const known = {
      owner: 'octo',
      repo: 'agents',
      pull_number: seed.pull.number,
      issue_number: seed.pull.number,
      comment_id: seed.comment.id,
      check_run_id: seed.check.id,
      check_suite_id: seed.check.suite,
      run_id: seed.run.id,
      artifact_id: seed.repository.actions.artifacts[0]?.id,
    };
    const inPath = Object.entries(known).filter(([name]) => operation?.names.includes(name));
    const octokit = new Octokit({ baseUrl: server().url, request: { redirect: 'manual' } });
    const answer = await octokit
      .request(`${operation?.method} ${operation?.path}`, {
        ...Object.fromEntries(inPath),
        ...parameters?.(),
        headers: { authorization: credential },
      })
      .catch((error: unknown) => (error as { response?: { status: number; data: unknown } }).response);
    expect(server().takeViolations()).toEqual([]);
    expect(server().takeUnexpected()).toEqual([]);
    expect(answer).toMatchObject({ status });
  });
