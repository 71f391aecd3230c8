import { callPages, idOf, type JsonNode } from '../../core/index.js';
import type { Place } from '../github/api.js';
import { millisecondsOf } from '../time.js';

/** Runs of one commit that are looked through. */
const MOST_RUNS = 1_000;

/** A run of the configured workflow on a commit. */
export interface WorkflowRun {
  readonly id: string;
  readonly status: string;
  readonly conclusion: string | null;
  /** Milliseconds since 1970: of its first attempt, and of its last change. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Which workflow, and whose commit. */
export interface RunQuery {
  /** A name, or a file when it ends in `.yml` or `.yaml`. */
  readonly workflow: string;
  readonly headSha: string;
  /** Null when the fork is gone; then no run is this commit's. */
  readonly headRepository: number | null;
}

/**
 * The newest run of the workflow on this commit of this repository; null when there is none. A commit may be known to several
 * repositories, so that the one that it comes from has to agree as well.
 */
export async function newestRun({ api, repository }: Place, query: RunQuery): Promise<WorkflowRun | null> {
  const listed = await callPages(
    api,
    {
      route: 'GET /repos/{owner}/{repo}/actions/runs',
      parameters: { ...repository, head_sha: query.headSha },
    },
    { member: 'workflow_runs', most: MOST_RUNS },
  );
  if (listed.kind === 'refused')
    throw new Error(`${listed.reason}; reading artifacts needs the permission actions: read`);
  const runs = listed.items.filter((run) => isWanted(run, query)).flatMap((run) => runOf(run) ?? []);
  return runs.sort((a, b) => b.createdAt - a.createdAt || Number(BigInt(b.id) - BigInt(a.id)))[0] ?? null;
}

function isWanted(run: JsonNode, { workflow, headSha, headRepository }: RunQuery): boolean {
  if (run.get('head_sha')?.string() !== headSha) return false;
  if (headRepository === null || run.present('head_repository')?.get('id')?.integer() !== headRepository) return false;
  // GitHub writes the path of a reusable workflow with the ref behind an @.
  const path = run.get('path')?.string()?.split('@')[0] ?? '';
  if (/\.ya?ml$/.test(workflow)) return path === workflow || path.endsWith(`/${workflow}`);
  return run.present('name')?.string() === workflow;
}

function runOf(run: JsonNode): WorkflowRun | null {
  const id = idOf(run.get('id'));
  const createdAt = millisecondsOf(run.get('created_at')?.string());
  const updatedAt = millisecondsOf(run.get('updated_at')?.string());
  if (id === null || createdAt === null || updatedAt === null) return null;
  const status = run.get('status')?.string() ?? '';
  return { id, status, conclusion: run.present('conclusion')?.string() ?? null, createdAt, updatedAt };
}
