import {
  callPages,
  type GitHubApi,
  idOf,
  type JsonNode,
  messageOf,
  type Refused,
  type RepositoryName,
} from '../core/index.js';
import { type Deflater, readZip } from './zip.js';

/** Runs of the workflow that are looked at: the newest may have been cancelled, or have stored nothing. */
const MOST_RUNS = 50;
/** The largest archive that is fetched for the one small file in it. */
const MOST_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** The largest report.json that is read. */
const MOST_REPORT_BYTES = 64 * 1024 * 1024;
export const REPORT_FILE = 'report.json';

/** Which workflow, branch and artifact a baseline is taken from. */
export interface BaselineQuery {
  readonly repository: RepositoryName;
  readonly workflowFile: string | null;
  readonly branch: string | null;
  /** The name of the artifact that this job stores; null stores none, so that there is no earlier one either. */
  readonly artifact: string | null;
  readonly runId: number;
  readonly attempt: number;
}

/** An earlier report, or why there is none, which is never a failure. */
export type Baseline =
  | { readonly kind: 'found'; readonly report: Uint8Array }
  | { readonly kind: 'none'; readonly reason: string };

/** Finds the report that the newest completed run of this workflow on the branch has stored. */
export async function findBaseline(
  api: GitHubApi,
  { query, zlib }: { readonly query: BaselineQuery; readonly zlib: Deflater },
): Promise<Baseline> {
  const { repository, workflowFile, branch, artifact } = query;
  if (branch === null) return none('this event has no branch to compare with');
  if (artifact === null) return none('no artifact is stored, so that there is no earlier one');
  if (workflowFile === null) return none('the runner does not name the workflow');
  const runs = await callPages(
    api,
    {
      route: 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
      parameters: { ...repository, workflow_id: workflowFile, branch, status: 'completed' },
    },
    { member: 'workflow_runs', most: MOST_RUNS },
  );
  if (runs.kind === 'refused') return refused(runs);
  for (const run of runs.items.filter((one) => isTrusted(one, query))) {
    const stored = await storedReport(api, { query, zlib, run, artifact });
    if (stored !== null) return stored;
  }
  return none(`no completed run of ${workflowFile} on ${branch} has stored ${artifact}`);
}

function none(reason: string): Baseline {
  return { kind: 'none', reason };
}

function refused({ status, reason }: Refused): Baseline {
  return none(`${reason}${status === 403 || status === 404 ? '; it needs the permission actions: read' : ''}`);
}

/**
 * A pull request's branch may have the base's name in a fork, and its runs then count as runs of that branch: only what ran for the
 * repository's own commits is a baseline.
 */
function isTrusted(run: JsonNode, { repository, runId }: BaselineQuery): boolean {
  const event = run.get('event')?.string() ?? '';
  const conclusion = run.get('conclusion')?.string() ?? '';
  const home = run.present('head_repository')?.get('full_name')?.string()?.toLowerCase();
  return (
    ['push', 'schedule', 'workflow_dispatch', 'merge_group'].includes(event) &&
    (conclusion === 'success' || conclusion === 'failure') &&
    home === `${repository.owner}/${repository.repo}`.toLowerCase() &&
    idOf(run.get('id')) !== String(runId)
  );
}

interface Stored {
  readonly query: BaselineQuery;
  readonly zlib: Deflater;
  readonly run: JsonNode;
  readonly artifact: string;
}

async function storedReport(api: GitHubApi, { query, zlib, run, artifact }: Stored): Promise<Baseline | null> {
  const { repository } = query;
  const listed = await callPages(
    api,
    {
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
      parameters: { ...repository, run_id: idOf(run.get('id')) },
    },
    { member: 'artifacts', most: 500 },
  );
  if (listed.kind === 'refused') return refused(listed);
  const names = earlierNames(artifact, { attempt: query.attempt, earlier: run.get('run_attempt')?.integer() ?? 1 });
  const there = listed.items.filter((one) => one.get('expired')?.boolean() === false);
  const name = names.find((wanted) => there.some((one) => one.get('name')?.string() === wanted));
  const newest = there
    .filter((one) => one.get('name')?.string() === name)
    .sort((a, b) => Number(idOf(b.get('id'))) - Number(idOf(a.get('id'))))[0];
  if (newest === undefined) return null;
  if ((newest.get('size_in_bytes')?.integer() ?? Number.POSITIVE_INFINITY) > MOST_ARCHIVE_BYTES)
    return none('the earlier artifact is too large');
  const zip = await downloadArtifact(api, { repository, id: idOf(newest.get('id')) });
  if (zip.kind === 'refused') return refused(zip);
  return reportIn(zip.bytes, zlib);
}

/** Fetches an artifact's archive. */
export function downloadArtifact(
  api: GitHubApi,
  { repository, id }: { readonly repository: RepositoryName; readonly id: string | null },
): ReturnType<GitHubApi['download']> {
  return api.download({
    route: 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
    parameters: { ...repository, artifact_id: id, archive_format: 'zip' },
  });
}

/** Whatever is wrong with an earlier archive, there is no baseline then. */
function reportIn(zip: Uint8Array, zlib: Deflater): Baseline {
  try {
    const wanted = (name: string): boolean => name === REPORT_FILE;
    const limits = { entries: 60_000, entryBytes: MOST_REPORT_BYTES, totalBytes: MOST_REPORT_BYTES, wanted };
    const report = readZip(zip, { limits, zlib }).get(REPORT_FILE);
    return report === undefined ? none('the earlier artifact holds no report') : { kind: 'found', report };
  } catch (error) {
    return none(`the earlier artifact cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The names that an earlier run may have given to what this job stores: the same but for the attempt at its end, from that run's attempt
 * downwards, since only failed jobs run again. A number that is no attempt is part of the name, as the place in a matrix is.
 */
function earlierNames(
  name: string,
  { attempt, earlier }: { readonly attempt: number; readonly earlier: number },
): readonly string[] {
  const end = `-${attempt}`;
  if (!name.endsWith(end)) return [name];
  const stem = name.slice(0, -end.length);
  return Array.from({ length: Math.min(earlier, MOST_ATTEMPTS) }, (_, back) => `${stem}-${earlier - back}`);
}

/** GitHub runs a workflow again a few times at the utmost. */
const MOST_ATTEMPTS = 50;
