import type { Job } from './job.js';

/**
 * The pull request to comment on, or null. For another workflow's run it is looked up by head repository, branch and commit, never taken from
 * what that run says (the payload names none for forks, and an artifact may name any).
 */
export async function pullNumber({ trigger, api, repository }: Job): Promise<number | null> {
  if (trigger.kind === 'pull-request') return trigger.open ? trigger.number : null;
  if (trigger.kind !== 'workflow-run' || trigger.headBranch === null || trigger.headRepository === null) return null;
  const [owner = ''] = trigger.headRepository.split('/');
  const found = await api.call({
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { ...repository, state: 'open', head: `${owner}:${trigger.headBranch}`, per_page: 100 },
  });
  if (found.kind === 'refused') return null;
  const pulls = found.data.items().filter((pull) => {
    const head = pull.get('head');
    const home = head?.present('repo')?.get('full_name')?.string();
    return head?.get('sha')?.string() === trigger.headSha && home === trigger.headRepository;
  });
  const [only, ...others] = pulls;
  return only === undefined || others.length > 0 ? null : (only.get('number')?.integer() ?? null);
}
