import {
  apiFiles,
  type CommitFiles,
  type GitHubApi,
  gateError,
  messageOf,
  type RepositoryName,
} from '../core/index.js';
import type { GitCheckout } from './ports.js';

/** Where a commit may be found. */
export interface CommitSources {
  readonly checkout: GitCheckout | null;
  readonly api: GitHubApi;
  readonly repository: RepositoryName;
}

/**
 * The base commit's files: by git where the checkout holds them, else by the API. Throws GateError `base-unreachable` when
 * neither has it: what protects a pull request from itself must not be guessed.
 */
export async function openBase(commit: string, from: CommitSources): Promise<CommitFiles> {
  const remote = named(apiFiles(from.api, { repository: from.repository, commit }));
  // A partial clone has the commit, and perhaps none of its files.
  if (from.checkout !== null && (await from.checkout.has(commit))) return either(from.checkout.files(commit), remote);
  // Asked now, so that a refusal is told before anything runs.
  await remote.list([]);
  return remote;
}

function either(first: CommitFiles, second: CommitFiles): CommitFiles {
  return {
    commit: first.commit,
    list: (paths) => first.list(paths).catch(() => second.list(paths)),
    linkAbove: (path) => first.linkAbove(path).catch(() => second.linkAbove(path)),
    read: (sha) => first.read(sha).catch(() => second.read(sha)),
  };
}

/** Every failure says what could not be reached, and how it can. */
function named(files: CommitFiles): CommitFiles {
  const { commit } = files;
  const refuse = (error: unknown): never => {
    const why = messageOf(error);
    throw gateError('base-unreachable', {
      blame: 'configuration',
      message: `the base commit ${commit}, whose profile, sources and expectations bind, is not whole in the checkout, and ${why}`,
      remedy: 'set fetch-depth: 0 and no filter for actions/checkout, or grant contents: read',
      cause: error,
    });
  };
  return {
    commit,
    list: (paths) => files.list(paths).catch(refuse),
    linkAbove: (path) => files.linkAbove(path).catch(refuse),
    read: (sha) => files.read(sha).catch(refuse),
  };
}
