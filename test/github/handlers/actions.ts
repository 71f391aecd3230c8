import { type Call, found, numberOf, ok, paged, type Route, reads, readsClosed, refuseFilters } from '../http/call.js';
import { ApiError, notFound } from '../http/errors.js';
import { artifactOf, jobOf, runOf, workflowOf } from '../render/runs.js';
import type { Artifact, Job, WorkflowRun } from '../state/records.js';

const MOST_FILTERED_RUNS = 1000;

const runAt = (call: Call) => found(call.repository.actions.find(numberOf(call, 'run_id')));

function workflowAt(call: Call) {
  const name = call.params['workflow_id'] ?? '';
  // A workflow goes by its number or by its file's name.
  return found(
    call.repository.actions.workflows.find((one) => String(one.id) === name || one.path.split('/').at(-1) === name),
  );
}

function listWorkflows(call: Call) {
  const { workflows } = call.repository.actions;
  return paged(call, workflows, (some) => ({
    total_count: workflows.length,
    workflows: some.map((one) => workflowOf(call.repository, one)),
  }));
}

function listRuns(call: Call, runs: readonly WorkflowRun[]) {
  refuseFilters(call, ['created', 'exclude_pull_requests', 'check_suite_id']);
  const { query } = call;
  const status = query.get('status');
  const is = (name: string, value: string | null) => (query.get(name) ?? value) === value;
  const wanted = runs
    .filter((run) => is('branch', run.headBranch) && is('event', run.event) && is('head_sha', run.headSha))
    .filter((run) => is('actor', run.actor.login))
    // One parameter asks for the status and for the conclusion.
    .filter((run) => status === null || run.status === status || run.conclusion === status)
    .reverse();
  const isFiltered = ['branch', 'event', 'head_sha', 'actor', 'status'].some((name) => query.has(name));
  const reachable = isFiltered ? wanted.slice(0, MOST_FILTERED_RUNS) : wanted;
  return paged(call, reachable, (some) => ({
    total_count: wanted.length,
    workflow_runs: some.map((run) => runOf(call.repository, run)),
  }));
}

function getAttempt(call: Call) {
  const run = runAt(call);
  const attempt = numberOf(call, 'attempt_number');
  if (attempt < 1 || attempt > run.attempt) throw notFound();
  const current = attempt === run.attempt;
  const old = { ...run, attempt, status: 'completed', conclusion: 'failure' };
  return ok(runOf(call.repository, current ? run : old));
}

function listJobs(call: Call, wanted: (job: Job, run: WorkflowRun) => boolean) {
  const run = runAt(call);
  const jobs = run.jobs.filter((job) => wanted(job, run));
  return paged(call, jobs, (some) => ({
    total_count: jobs.length,
    jobs: some.map((job) => jobOf(call.repository, { run, job })),
  }));
}

function listArtifacts(call: Call, all: readonly Artifact[]) {
  const name = call.query.get('name');
  const isAscending = call.query.get('direction') === 'asc';
  const wanted = all.filter((artifact) => artifact.name === (name ?? artifact.name));
  const ordered = isAscending ? wanted : [...wanted].reverse();
  return paged(call, ordered, (some) => ({
    total_count: ordered.length,
    artifacts: some.map((artifact) => artifactOf(call.repository, artifact)),
  }));
}

const artifactAt = (call: Call) => {
  const id = numberOf(call, 'artifact_id');
  return found(call.repository.actions.artifacts.find((artifact) => artifact.id === id));
};

function download(call: Call) {
  if (call.params['archive_format'] !== 'zip') throw notFound();
  const artifact = artifactAt(call);
  if (artifact.expired) throw new ApiError(410, 'Artifact has expired');
  // The archive lies elsewhere, behind an address that is its own key.
  return { status: 302, headers: { location: call.world.blobs.link(artifact) } };
}

const listOfRun = (call: Call) => {
  const run = runAt(call);
  return listArtifacts(
    call,
    call.repository.actions.artifacts.filter((one) => one.run === run.id),
  );
};

const listOfWorkflow = (call: Call) => {
  const { id } = workflowAt(call);
  return listRuns(
    call,
    call.repository.actions.runs.filter((run) => run.workflow === id),
  );
};

const listJobsOfRun = (call: Call) =>
  listJobs(call, (job, run) => call.query.get('filter') === 'all' || job.attempt === run.attempt);

const listJobsOfAttempt = (call: Call) => listJobs(call, (job) => job.attempt === numberOf(call, 'attempt_number'));

/** Workflows, runs, jobs, artifacts. */
export const actions: Readonly<Record<string, Route>> = {
  'actions/list-repo-workflows': reads(['actions'], listWorkflows),
  'actions/get-workflow': reads(['actions'], (call) => ok(workflowOf(call.repository, workflowAt(call)))),
  'actions/list-workflow-runs': reads(['actions'], listOfWorkflow),
  'actions/list-workflow-runs-for-repo': reads(['actions'], (call) => listRuns(call, call.repository.actions.runs)),
  'actions/get-workflow-run': reads(['actions'], (call) => ok(runOf(call.repository, runAt(call)))),
  'actions/get-workflow-run-attempt': reads(['actions'], getAttempt),
  'actions/list-jobs-for-workflow-run': reads(['actions'], listJobsOfRun),
  'actions/list-jobs-for-workflow-run-attempt': reads(['actions'], listJobsOfAttempt),
  'actions/list-workflow-run-artifacts': reads(['actions'], listOfRun),
  'actions/list-artifacts-for-repo': reads(['actions'], (call) =>
    listArtifacts(call, call.repository.actions.artifacts),
  ),
  'actions/get-artifact': reads(['actions'], (call) => ok(artifactOf(call.repository, artifactAt(call)))),
  'actions/download-artifact': readsClosed(['actions'], download),
};
