import { commitsBetween } from '../git/history.js';
import type { Pull } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import { nodeId, user } from './accounts.js';
import { changesBetween, linesOf } from './commits.js';
import { association, labelOf } from './issues.js';
import { address, page, repositoryOf } from './repositories.js';

type Json = Record<string, unknown>;

function side(
  repository: Repository | undefined,
  { ref, sha, owner }: { ref: string; sha: string; owner: Json },
): Json {
  const login = String(owner['login']);
  return {
    label: `${login}:${ref}`,
    ref,
    sha,
    user: owner,
    repo: repository === undefined ? null : repositoryOf(repository),
  };
}

function sides(repository: Repository, pull: Pull): { readonly head: Json; readonly base: Json } {
  const { world } = repository;
  // A fork that was deleted leaves its pull request without a head repository.
  const from = pull.headRepository === undefined ? undefined : world.repositories.get(pull.headRepository);
  const headOwner = user(world, from?.owner ?? pull.issue.user);
  const baseOwner = user(world, repository.owner);
  return {
    head: side(from, { ref: pull.headRef, sha: pull.headSha, owner: headOwner }),
    base: side(repository, { ref: pull.baseRef, sha: pull.baseSha, owner: baseOwner }),
  };
}

/** A pull request as lists show it. */
export function pullSimple(repository: Repository, pull: Pull): Json {
  const { world } = repository;
  const { issue } = pull;
  const self = `${address(repository)}/pulls/${pull.number}`;
  const issues = `${address(repository)}/issues/${pull.number}`;
  const site = `${page(repository)}/pull/${pull.number}`;
  const statuses = `${address(repository)}/statuses/${pull.headSha}`;
  const links = {
    self,
    html: site,
    issue: issues,
    comments: `${issues}/comments`,
    review_comments: `${self}/comments`,
    review_comment: `${address(repository)}/pulls/comments{/number}`,
    commits: `${self}/commits`,
    statuses,
  };
  return {
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    number: pull.number,
    url: self,
    html_url: site,
    diff_url: `${site}.diff`,
    patch_url: `${site}.patch`,
    issue_url: issues,
    comments_url: links.comments,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    commits_url: links.commits,
    statuses_url: statuses,
    state: issue.state,
    locked: false,
    active_lock_reason: null,
    title: issue.title,
    user: user(world, issue.user),
    body: issue.body,
    labels: issue.labels.map((name) => labelOf(repository, repository.discussion.label(name))),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt ?? null,
    merge_commit_sha: pull.mergeCommit ?? (issue.state === 'open' ? repository.pulls.testMerge(pull) : null),
    ...sides(repository, pull),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    author_association: association(repository, issue.user),
    auto_merge: null,
    draft: pull.draft,
  };
}

/** A pull request as it is shown alone, with its sums. */
export function pullFull(repository: Repository, pull: Pull): Json {
  const base = repository.pulls.mergeBase(pull);
  const changes = changesBetween(repository, { base, head: pull.headSha });
  const sums = changes.map((change) => linesOf(repository, change));
  return {
    ...pullSimple(repository, pull),
    merged: pull.mergedAt !== undefined,
    mergeable: pull.issue.state === 'open' ? true : null,
    rebaseable: null,
    mergeable_state: 'clean',
    merged_by: pull.mergedAt === undefined ? null : user(repository.world, repository.owner),
    comments: repository.discussion.commentsOf(pull.number).length,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: commitsBetween(repository.store, { from: pull.baseSha, to: pull.headSha }).length,
    additions: sums.reduce((sum, one) => sum + one.additions, 0),
    deletions: sums.reduce((sum, one) => sum + one.deletions, 0),
    changed_files: changes.length,
  };
}

/** A pull request as check runs and workflow runs name it. */
export function pullMinimal(repository: Repository, pull: Pull): Json {
  const from = pull.headRepository === undefined ? repository : repository.world.repositories.get(pull.headRepository);
  const short = (one: Repository) => ({ id: one.id, url: address(one), name: one.name });
  return {
    id: pull.id,
    number: pull.number,
    url: `${address(repository)}/pulls/${pull.number}`,
    head: { ref: pull.headRef, sha: pull.headSha, repo: short(from ?? repository) },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: short(repository) },
  };
}
