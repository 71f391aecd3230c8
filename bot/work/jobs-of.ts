import { isForBot } from '../commands/parse-command.js';
import type { Job, RepositoryRef } from '../jobs.js';
import { idMember, member, textMember } from '../member.js';
import { sweepJobsOf } from '../sweep-jobs-of.js';
import { WHY } from './resolve.js';

/** Where a webhook happened. */
interface Where {
  readonly installation: number;
  readonly repository: RepositoryRef;
}

/** What a pull request did that may change its verdict. */
const JUDGED = new Set(['opened', 'reopened', 'synchronize', 'ready_for_review', 'converted_to_draft']);
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The jobs of a webhook; pure, so that it is answered at once. A payload only says where to look: GitHub is asked when the job runs. */
export function jobsOf(name: string, payload: unknown): readonly Job[] {
  const where = whereOf(payload);
  return [...sweepJobsOf(name, payload), ...(where === null ? [] : judgeJobsOf(name, { payload, where }))];
}

function whereOf(payload: unknown): Where | null {
  const installation = idMember(payload, 'installation', 'id');
  const id = idMember(payload, 'repository', 'id');
  const owner = textMember(payload, 'repository', 'owner', 'login');
  const name = textMember(payload, 'repository', 'name');
  if (installation === undefined || id === undefined || owner === undefined || name === undefined) return null;
  return { installation, repository: { id, owner, name } };
}

interface Delivered {
  readonly payload: unknown;
  readonly where: Where;
}

function judgeJobsOf(name: string, delivered: Delivered): readonly Job[] {
  const action = textMember(delivered.payload, 'action') ?? '';
  switch (`${name}.${action}`) {
    case 'workflow_run.completed':
      return workflowJobs(delivered);
    case 'check_run.rerequested':
      return rerequested(delivered, 'check_run');
    case 'check_suite.rerequested':
      return rerequested(delivered, 'check_suite');
    case 'merge_group.checks_requested':
      return groupJobs(delivered);
    case 'issue_comment.created':
      return commandJobs(delivered);
    default:
      return name === 'pull_request' ? pullJobs(delivered, action) : [];
  }
}

function pullJobs({ payload, where }: Delivered, action: string): readonly Job[] {
  const pull = idMember(payload, 'number');
  // A title that was edited changes nothing; another base changes what binds.
  const moved = action === 'edited' && member(payload, 'changes', 'base') !== undefined;
  if (pull === undefined || !(JUDGED.has(action) || moved)) return [];
  const before = commitIn(payload, 'before');
  const left: Job[] =
    action === 'synchronize' && before !== null ? [{ kind: 'resolve', ...where, head: before, why: WHY.moved }] : [];
  return [{ kind: 'judge', ...where, pull, why: action }, ...left];
}

function workflowJobs({ payload, where }: Delivered): readonly Job[] {
  const head = commitIn(payload, 'workflow_run', 'head_sha');
  const run = idMember(payload, 'workflow_run', 'id');
  if (head === null) return [];
  return [{ kind: 'resolve', ...where, head, why: 'workflow_run', ...(run === undefined ? {} : { run }) }];
}

function rerequested({ payload, where }: Delivered, what: 'check_run' | 'check_suite'): readonly Job[] {
  const head = commitIn(payload, what, 'head_sha');
  return head === null ? [] : [{ kind: 'resolve', ...where, head, why: WHY.rerequested }];
}

function groupJobs({ payload, where }: Delivered): readonly Job[] {
  const head = commitIn(payload, 'merge_group', 'head_sha');
  const base = commitIn(payload, 'merge_group', 'base_sha');
  const baseRef = textMember(payload, 'merge_group', 'base_ref');
  if (head === null || base === null || baseRef === undefined) return [];
  return [{ kind: 'merge-group', ...where, head, base, baseRef }];
}

function commandJobs({ payload, where }: Delivered): readonly Job[] {
  const pull = idMember(payload, 'issue', 'number');
  const comment = idMember(payload, 'comment', 'id');
  const isPull = member(payload, 'issue', 'pull_request') !== undefined;
  if (!isPull || pull === undefined || comment === undefined) return [];
  if (textMember(payload, 'comment', 'user', 'type') === 'Bot') return [];
  return isForBot(textMember(payload, 'comment', 'body') ?? '') ? [{ kind: 'command', ...where, pull, comment }] : [];
}

function commitIn(payload: unknown, ...path: readonly string[]): string | null {
  const sha = textMember(payload, ...path);
  return sha !== undefined && COMMIT.test(sha) ? sha : null;
}
