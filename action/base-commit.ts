import { apiFiles, type CommitFiles, type GitHubApi, gateError, type RepositoryName } from '../core/index.js';
import type { GitCheckout } from './ports.js';

/** Where a commit may be found. */
export interface CommitSources {
  readonly checkout: GitCheckout | null;
  readonly api: GitHubApi;
  readonly repository: RepositoryName;
}

/**
 * The base commit's files: by git where the checkout holds the commit, else by the API. Throws GateError `base-unreachable` when
 * neither has it: what protects a pull request from itself must not be guessed.
 */
export async function openBase(commit: string, from: CommitSources): Promise<CommitFiles> {
  if (from.checkout !== null && (await from.checkout.has(commit))) return from.checkout.files(commit);
  const files = apiFiles(from.api, { repository: from.repository, commit });
  try {
    // Asked now, so that a refusal is told before anything runs.
    await files.list([]);
    return files;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw gateError('base-unreachable', {
      blame: 'configuration',
      message: `the base commit ${commit}, whose profile, sources and expectations bind, is not in the checkout, and ${why}`,
      remedy: 'set fetch-depth: 0 for actions/checkout, or grant contents: read',
      cause: error,
    });
  }
}
