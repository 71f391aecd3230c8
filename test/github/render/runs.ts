import type { Artifact, Job, Workflow, WorkflowRun } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import { nodeId, user } from './accounts.js';
import { simpleCommit } from './commits.js';
import { pullMinimal } from './pulls.js';
import { address, minimalRepository, page } from './repositories.js';

type Json = Record<string, unknown>;

/** A workflow file. */
export function workflowOf(repository: Repository, workflow: Workflow): Json {
  const { id, name, path } = workflow;
  const file = path.split('/').at(-1);
  return {
    id,
    node_id: nodeId('Workflow', id),
    name,
    path,
    state: 'active',
    created_at: repository.createdAt,
    updated_at: repository.createdAt,
    url: `${address(repository)}/actions/workflows/${id}`,
    html_url: `${page(repository)}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${page(repository)}/actions/workflows/${file}/badge.svg`,
  };
}

/** A workflow run; for a fork's commit it names no pull request. */
export function runOf(repository: Repository, run: WorkflowRun): Json {
  const { world } = repository;
  const self = `${address(repository)}/actions/runs/${run.id}`;
  const workflow = repository.actions.workflows.find((one) => one.id === run.workflow);
  const from = world.repositories.get(run.headRepository) ?? repository;
  const commit = repository.store.commit(run.headSha);
  const suite = repository.checks.suite({ app: 15368, headSha: run.headSha });
  const pulls = repository.pulls.ofBranch({ repository: run.headRepository, sha: run.headSha });
  return {
    id: run.id,
    name: workflow?.name ?? null,
    node_id: nodeId('WorkflowRun', run.id),
    check_suite_id: suite.id,
    check_suite_node_id: nodeId('CheckSuite', suite.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: workflow?.path ?? '',
    display_title: run.title,
    run_number: run.runNumber,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflow,
    url: self,
    html_url: `${page(repository)}/actions/runs/${run.id}`,
    pull_requests: pulls.map((pull) => pullMinimal(repository, pull)),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    run_started_at: run.createdAt,
    actor: user(world, run.actor),
    triggering_actor: user(world, run.actor),
    jobs_url: `${self}/jobs`,
    logs_url: `${self}/logs`,
    check_suite_url: `${address(repository)}/check-suites/${suite.id}`,
    artifacts_url: `${self}/artifacts`,
    cancel_url: `${self}/cancel`,
    rerun_url: `${self}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${self}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${address(repository)}/actions/workflows/${run.workflow}`,
    referenced_workflows: [],
    head_commit: commit === undefined ? null : simpleCommit(commit),
    repository: minimalRepository(repository),
    head_repository: minimalRepository(from),
  };
}

/** A job of a run. */
export function jobOf(repository: Repository, { run, job }: { run: WorkflowRun; job: Job }): Json {
  const done = job.status === 'completed';
  return {
    id: job.id,
    node_id: nodeId('Job', job.id),
    run_id: run.id,
    run_url: `${address(repository)}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    head_sha: run.headSha,
    head_branch: run.headBranch,
    workflow_name: repository.actions.workflows.find((one) => one.id === run.workflow)?.name ?? null,
    name: job.name,
    url: `${address(repository)}/actions/jobs/${job.id}`,
    html_url: `${page(repository)}/actions/runs/${run.id}/job/${job.id}`,
    check_run_url: `${address(repository)}/check-runs/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: run.createdAt,
    started_at: run.createdAt,
    completed_at: done ? run.updatedAt : null,
    steps: [],
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'test',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  };
}

/** An artifact; its archive is behind a redirect. */
export function artifactOf(repository: Repository, artifact: Artifact): Json {
  const url = `${address(repository)}/actions/artifacts/${artifact.id}`;
  const run = repository.actions.find(artifact.run);
  return {
    id: artifact.id,
    node_id: nodeId('Artifact', artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.bytes.length,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expired,
    digest: artifact.digest,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: artifact.expiresAt,
    workflow_run: run && {
      id: run.id,
      repository_id: repository.id,
      head_repository_id: run.headRepository,
      head_branch: run.headBranch,
      head_sha: run.headSha,
    },
  };
}
