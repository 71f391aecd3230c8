import type { Commit, ObjectStore, Signature } from '../git/objects.js';
import { type Patch, patchOf } from '../git/patch.js';
import { compare, type FileChange } from '../git/trees.js';
import type { Repository } from '../state/repository.js';
import { stamp } from '../state/world.js';
import { nodeId, user } from './accounts.js';
import { address, page } from './repositories.js';

type Json = Record<string, unknown>;

const signature = (who: Signature) => ({ name: who.name, email: who.email, date: stamp(who.seconds * 1000) });

const UNSIGNED = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };

const treeLink = (repository: Repository, sha: string) => ({ sha, url: `${address(repository)}/git/trees/${sha}` });

/** A commit as git's own part of the API shows it. */
export function gitCommit(repository: Repository, commit: Commit): Json {
  const link = (sha: string) => `${address(repository)}/git/commits/${sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', Number.parseInt(commit.sha.slice(0, 8), 16)),
    url: link(commit.sha),
    html_url: `${page(repository)}/commit/${commit.sha}`,
    author: signature(commit.author),
    committer: signature(commit.committer),
    tree: treeLink(repository, commit.tree),
    message: commit.message,
    parents: commit.parents.map((sha) => ({ sha, url: link(sha), html_url: `${page(repository)}/commit/${sha}` })),
    verification: UNSIGNED,
  };
}

/** A commit as lists and comparisons show it. */
export function commitOf(repository: Repository, commit: Commit): Json {
  const link = (sha: string) => `${address(repository)}/commits/${sha}`;
  const site = (sha: string) => `${page(repository)}/commit/${sha}`;
  const account = repository.world.accounts.get(commit.author.name.toLowerCase());
  const author = account === undefined ? null : user(repository.world, account);
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', Number.parseInt(commit.sha.slice(0, 8), 16)),
    url: link(commit.sha),
    html_url: site(commit.sha),
    comments_url: `${link(commit.sha)}/comments`,
    commit: {
      url: `${address(repository)}/git/commits/${commit.sha}`,
      author: signature(commit.author),
      committer: signature(commit.committer),
      message: commit.message.trimEnd(),
      comment_count: 0,
      tree: treeLink(repository, commit.tree),
      verification: UNSIGNED,
    },
    author,
    committer: author,
    parents: commit.parents.map((sha) => ({ sha, url: link(sha), html_url: site(sha) })),
  };
}

/** A commit as workflow runs and check suites hold it. */
export function simpleCommit(commit: Commit): Json {
  const { name, email } = commit.author;
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message.trimEnd(),
    timestamp: stamp(commit.committer.seconds * 1000),
    author: { name, email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

const patches = new WeakMap<FileChange, Patch>();

/** Lines added and removed by one file's change. */
export function linesOf(repository: Repository, change: FileChange): Patch {
  const blob = (sha: string | undefined) => (sha === undefined ? undefined : repository.store.blob(sha));
  const known = patches.get(change) ?? patchOf(blob(change.before?.sha), blob(change.after?.sha));
  patches.set(change, known);
  return known;
}

const compared = new WeakMap<ObjectStore, Map<string, FileChange[]>>();

/** The files that differ between two commits. */
export function changesBetween(
  { store }: Repository,
  { base, head }: { base: string | undefined; head: string },
): FileChange[] {
  const cache = compared.get(store) ?? new Map<string, FileChange[]>();
  compared.set(store, cache);
  const tree = (sha: string | undefined) => (sha === undefined ? undefined : store.commit(sha)?.tree);
  const key = `${base}..${head}`;
  const changes = cache.get(key) ?? compare(store, { before: tree(base), after: tree(head) });
  cache.set(key, changes);
  return changes;
}

/** A changed file as pull requests, commits and comparisons list it. */
export function diffEntry(repository: Repository, { change, head }: { change: FileChange; head: string }): Json {
  const path = change.path.split('/').map(encodeURIComponent).join('/');
  const { additions, deletions, patch } = linesOf(repository, change);
  return {
    sha: change.after?.sha ?? change.before?.sha ?? null,
    filename: change.path,
    status: change.status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${page(repository)}/blob/${head}/${path}`,
    raw_url: `${page(repository)}/raw/${head}/${path}`,
    contents_url: `${address(repository)}/contents/${path}?ref=${head}`,
    ...(patch === undefined ? {} : { patch }),
    ...(change.previous === undefined ? {} : { previous_filename: change.previous }),
  };
}
