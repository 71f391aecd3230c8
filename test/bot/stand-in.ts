import type { BotParts, InstallationApi, Job, JobContext, JudgeJob } from '../../bot/jobs.js';
import { idMember, member, textMember } from '../../bot/member.js';
import { sweepJobsOf } from '../../bot/sweep-jobs-of.js';

const MARKER = '<!-- stand-in -->';

/**
 * A judge that is small and real: one comment a pull request that names its newest head, one check for that head. It reads and
 * then writes, so that two at once on one pull request would leave two comments.
 */
export const STAND_IN: BotParts = {
  jobsOf: (name, payload) => [...sweepJobsOf(name, payload), ...jobsOf(name, payload)],
  workJob,
};

function jobsOf(name: string, payload: unknown): readonly Job[] {
  const installation = idMember(payload, 'installation', 'id');
  const id = idMember(payload, 'repository', 'id');
  const pull = idMember(payload, 'number');
  if (name !== 'pull_request' || installation === undefined || id === undefined || pull === undefined) return [];
  const owner = textMember(payload, 'repository', 'owner', 'login') ?? '';
  const repository = { id, owner, name: textMember(payload, 'repository', 'name') ?? '' };
  return [{ kind: 'judge', installation, repository, pull, why: textMember(payload, 'action') ?? '' }];
}

async function workJob(job: JudgeJob, context: JobContext): Promise<void> {
  if (job.kind !== 'judge') return;
  const { octokit } = context;
  const where = { owner: job.repository.owner, repo: job.repository.name };
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...where,
    pull_number: job.pull,
  });
  const head = textMember(data, 'head', 'sha') ?? '';
  await comment(octokit, { where, pull: job.pull, body: `${MARKER}\njudged ${head}` });
  await octokit.request('POST /repos/{owner}/{repo}/check-runs', {
    ...where,
    name: 'stand-in',
    head_sha: head,
    status: 'completed',
    conclusion: 'success',
  });
}

async function comment(
  octokit: InstallationApi,
  { where, pull, body }: { where: { owner: string; repo: string }; pull: number; body: string },
): Promise<void> {
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...where,
    issue_number: pull,
    per_page: 100,
  });
  const known = Array.isArray(data) ? data.find((one) => textMember(one, 'body')?.startsWith(MARKER)) : undefined;
  if (known === undefined) {
    await octokit.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...where,
      issue_number: pull,
      body,
    });
    return;
  }
  if (member(known, 'body') === body) return;
  const comment_id = idMember(known, 'id');
  await octokit.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { ...where, comment_id, body });
}
