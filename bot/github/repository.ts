import type { GitHubApi } from '../../core/index.js';
import type { RepositoryRef } from '../jobs.js';
import { ask, type Place } from './api.js';

/** A repository as it is called now. */
export interface OpenRepository extends Place {
  readonly id: number;
  readonly defaultBranch: string;
}

/**
 * Finds a repository by the name that it had when the job was made; GitHub redirects from an old name. Null when it is gone, is out of
 * the app's sight, or when another one has its name now.
 */
export async function openRepository(
  api: GitHubApi,
  { id, owner, name }: RepositoryRef,
): Promise<OpenRepository | null> {
  const found = await ask({ api, repository: { owner, repo: name } }, { route: 'GET ' });
  if (found.kind === 'refused') return null;
  const { data } = found;
  const [login, repo] = [data.get('owner')?.get('login')?.string(), data.get('name')?.string()];
  const defaultBranch = data.get('default_branch')?.string();
  if (login === undefined || repo === undefined || defaultBranch === undefined) return null;
  if (data.get('id')?.integer() !== id) return null;
  return { api, repository: { owner: login, repo }, id, defaultBranch };
}

/** The commit that a branch is at; null when it is not there. */
export async function tipOf(place: Place, branch: string): Promise<string | null> {
  const found = await ask(place, { route: 'GET /branches/{branch}', parameters: { branch } });
  if (found.kind === 'ok') return found.data.get('commit')?.get('sha')?.string() ?? null;
  if (found.status === 404) return null;
  throw new Error(found.reason);
}
