import type { Annotation, CheckRun, CheckSuite } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import { integration, nodeId } from './accounts.js';
import { simpleCommit } from './commits.js';
import { pullMinimal } from './pulls.js';
import { address, minimalRepository, page } from './repositories.js';

type Json = Record<string, unknown>;

const pullsOf = (repository: Repository, sha: string) =>
  repository.pulls.ofBranch({ repository: repository.id, sha }).map((pull) => pullMinimal(repository, pull));

function app(repository: Repository, id: number): Json | null {
  const known = repository.world.apps.get(id);
  return known === undefined ? null : integration(repository.world, known);
}

/** A check run. */
export function checkRunOf(repository: Repository, run: CheckRun): Json {
  const url = `${address(repository)}/check-runs/${run.id}`;
  return {
    id: run.id,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: `${page(repository)}/runs/${run.id}`,
    details_url: run.detailsUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    name: run.name,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: run.suite },
    app: app(repository, run.app),
    pull_requests: pullsOf(repository, run.headSha),
  };
}

/** An annotation as it is read back. */
export function annotationOf(
  repository: Repository,
  { run, annotation }: { run: CheckRun; annotation: Annotation },
): Json {
  return {
    path: annotation.path,
    blob_href: `${page(repository)}/blob/${run.headSha}/${annotation.path}`,
    start_line: annotation.start_line,
    end_line: annotation.end_line,
    start_column: annotation.start_column ?? null,
    end_column: annotation.end_column ?? null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  };
}

// Of a suite's runs the worst decides; this is GitHub's order.
const WORST_FIRST = ['action_required', 'timed_out', 'failure', 'cancelled', 'stale', 'success', 'neutral', 'skipped'];

/** A check suite, with the state that its newest runs give it. */
export function checkSuiteOf(repository: Repository, suite: CheckSuite): Json {
  const runs = repository.checks.runs.filter((run) => run.suite === suite.id);
  const latest = [...new Map(runs.map((run) => [run.name, run])).values()];
  const done = latest.length > 0 && latest.every((run) => run.status === 'completed');
  const conclusion = WORST_FIRST.find((one) => latest.some((run) => run.conclusion === one)) ?? null;
  const commit = repository.store.commit(suite.headSha);
  if (commit === undefined) throw new Error(`suite ${suite.id} has no commit`);
  const url = `${address(repository)}/check-suites/${suite.id}`;
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: done ? 'completed' : latest.some((run) => run.status === 'in_progress') ? 'in_progress' : 'queued',
    conclusion: done ? conclusion : null,
    url,
    before: commit.parents[0] ?? null,
    after: suite.headSha,
    pull_requests: pullsOf(repository, suite.headSha),
    app: app(repository, suite.app),
    repository: minimalRepository(repository),
    created_at: suite.createdAt,
    updated_at: suite.createdAt,
    head_commit: simpleCommit(commit),
    latest_check_runs_count: latest.length,
    check_runs_url: `${url}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  };
}
