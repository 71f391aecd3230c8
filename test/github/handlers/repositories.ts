import { ancestors, commitsBetween, mergeBase } from '../git/history.js';
import type { Commit } from '../git/objects.js';
import { entryAt } from '../git/trees.js';
import { isGranted } from '../http/auth.js';
import { type Call, found, ok, paged, type Route, reads, readsClosed, refuseFilters } from '../http/call.js';
import { ApiError, notFound } from '../http/errors.js';
import { user } from '../render/accounts.js';
import { changesBetween, commitOf, diffEntry, linesOf } from '../render/commits.js';
import { pullSimple } from '../render/pulls.js';
import { address, fullRepository, page } from '../render/repositories.js';
import type { Repository, Role } from '../state/repository.js';
import { contents } from './contents.js';

const FILES_PER_PAGE = 300;
const COMPARED_COMMITS = 250;

/** The commit that a name leads to, or GitHub's own refusal for commits. */
export function commitAt(call: Call, name: string): Commit {
  const sha = call.repository.resolve(name);
  const commit = sha === undefined ? undefined : call.repository.store.commit(sha);
  if (commit === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`);
  return commit;
}

const LADDER: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

const atLeast = (role: Role | undefined, wanted: Role) =>
  role !== undefined && LADDER.indexOf(role) >= LADDER.indexOf(wanted);

const rights = (role: Role | undefined) => ({
  admin: atLeast(role, 'admin'),
  maintain: atLeast(role, 'maintain'),
  push: atLeast(role, 'write'),
  triage: atLeast(role, 'triage'),
  pull: atLeast(role, 'read'),
});

function get(call: Call) {
  const { principal, repository } = call;
  const login = principal.kind === 'user' ? principal.account.login.toLowerCase() : undefined;
  const role = login === undefined ? 'read' : (repository.roles.get(login) ?? 'read');
  return ok(fullRepository(repository, rights(role)));
}

function getBranch(call: Call) {
  const { repository } = call;
  const name = call.params['branch'] ?? '';
  const sha = repository.refs.get(`refs/heads/${name}`);
  const commit = sha === undefined ? undefined : repository.store.commit(sha);
  if (commit === undefined) throw new ApiError(404, 'Branch not found');
  const self = `${address(repository)}/branches/${encodeURIComponent(name)}`;
  return ok({
    name,
    commit: commitOf(repository, commit),
    _links: { self, html: `${page(repository)}/tree/${name}` },
    protected: false,
    protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
    protection_url: `${self}/protection`,
  });
}

function getCommit(call: Call) {
  const { repository } = call;
  const commit = commitAt(call, call.params['ref'] ?? '');
  const changes = changesBetween(repository, { base: commit.parents[0], head: commit.sha });
  const sums = changes.map((change) => linesOf(repository, change));
  const additions = sums.reduce((sum, one) => sum + one.additions, 0);
  const deletions = sums.reduce((sum, one) => sum + one.deletions, 0);
  const files = changes.map((change) => diffEntry(repository, { change, head: commit.sha }));
  const number = Number(call.query.get('page') ?? 1);
  return ok({
    ...commitOf(repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.slice((number - 1) * FILES_PER_PAGE, number * FILES_PER_PAGE),
  });
}

function listCommits(call: Call) {
  refuseFilters(call, ['author', 'committer', 'since', 'until']);
  const { repository } = call;
  const name = call.query.get('sha') ?? repository.defaultBranch;
  const start = repository.resolve(name);
  if (start === undefined) throw notFound();
  const path = call.query.get('path');
  const at = (tree: string | undefined) =>
    tree === undefined || path === null ? undefined : entryAt(repository.store, { tree, path })?.sha;
  const touches = (commit: Commit) =>
    path === null || at(commit.tree) !== at(repository.store.commit(commit.parents[0] ?? '')?.tree);
  const commits = [...ancestors(repository.store, start).values()].filter(touches);
  return paged(call, commits, (some) => some.map((commit) => commitOf(repository, commit)));
}

/** Reads one side of a comparison: `branch`, `owner:branch` or `owner:repository:branch`. */
function comparedSide(call: Call, side: string): string {
  const parts = side.split(':');
  const ref = parts.pop() ?? '';
  if (parts.length === 0) return found(call.repository.resolve(ref));
  const [owner = '', name] = parts;
  const relatives = [...call.world.repositories.values()].filter((one) => one.store === call.repository.store);
  const isThat = (one: Repository) =>
    one.owner.login.toLowerCase() === owner.toLowerCase() && (name === undefined || one.name === name);
  return found(found(relatives.find(isThat)).resolve(ref));
}

function compareCommits(call: Call) {
  const { repository } = call;
  const [, base = '', head = ''] = /^(.+?)\.{2,3}(.+)$/.exec(call.params['basehead'] ?? '') ?? [];
  const [from, to] = [comparedSide(call, base), comparedSide(call, head)];
  const meeting = mergeBase(repository.store, from, to);
  if (meeting === undefined) throw new ApiError(404, `No common ancestor between ${base} and ${head}.`);
  const ahead = commitsBetween(repository.store, { from, to }).reverse();
  const behind = commitsBetween(repository.store, { from: to, to: from });
  const asCommit = (sha: string) => commitOf(repository, commitAt(call, sha));
  const changes = changesBetween(repository, { base: meeting, head: to }).slice(0, FILES_PER_PAGE);
  const isFirstPage = (call.query.get('page') ?? '1') === '1';
  const isPaged = call.query.has('page') || call.query.has('per_page');
  const self = `${page(repository)}/compare/${base}...${head}`;
  const body = (commits: readonly Commit[]) => ({
    url: `${address(repository)}/compare/${base}...${head}`,
    html_url: self,
    permalink_url: self,
    diff_url: `${self}.diff`,
    patch_url: `${self}.patch`,
    base_commit: asCommit(from),
    merge_base_commit: asCommit(meeting),
    status:
      ahead.length === 0 ? (behind.length === 0 ? 'identical' : 'behind') : behind.length === 0 ? 'ahead' : 'diverged',
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: commits.map((commit) => commitOf(repository, commit)),
    // GitHub lists files on the first page only, and no more than 300 of them.
    files: isFirstPage ? changes.map((change) => diffEntry(repository, { change, head: to })) : [],
  });
  return isPaged ? paged(call, ahead, body) : ok(body(ahead.slice(0, COMPARED_COMMITS)));
}

const PERMISSION: Record<Role, string> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
};

function getPermission(call: Call) {
  const { repository, world, params } = call;
  if (!isGranted(call.principal, repository))
    throw new ApiError(403, 'Must have push access to view collaborator permission.');
  const login = params['username'] ?? '';
  const account = world.accounts.get(login.toLowerCase());
  if (account === undefined) throw new ApiError(404, `${login} is not a user`);
  const role = repository.roles.get(login.toLowerCase()) ?? (repository.private ? undefined : 'read');
  const role_name = role ?? '';
  return ok({
    permission: role === undefined ? 'none' : PERMISSION[role],
    role_name,
    user: { ...user(world, account), permissions: rights(role), role_name },
  });
}

/** Open and merged pull requests with a commit; a fork's commit is known to the fork, not to its parent. */
function listPullsOfCommit(call: Call) {
  const { repository, world } = call;
  const sha = commitAt(call, call.params['commit_sha'] ?? '').sha;
  const isOwn = [...repository.refs.values()].some((tip) => ancestors(repository.store, tip).has(sha));
  if (!isOwn) return ok([]);
  const family = [repository, ...(repository.parent === undefined ? [] : [repository.parent])];
  const pulls = family.flatMap((one) =>
    one.pulls.all
      .filter(
        (pull) => pull.headRepository === repository.id && (pull.issue.state === 'open' || pull.mergedAt !== undefined),
      )
      .filter((pull) =>
        commitsBetween(one.store, { from: pull.baseSha, to: pull.headSha }).some((commit) => commit.sha === sha),
      )
      .map((pull) => pullSimple(world.repositories.get(one.id) ?? one, pull)),
  );
  return paged(call, pulls, (some) => some);
}

/** Repositories, commits and who may write. */
export const repositories: Readonly<Record<string, Route>> = {
  'repos/get': reads(['metadata'], get),
  'repos/get-branch': reads(['contents'], getBranch),
  'repos/get-content': reads(['contents'], contents),
  'repos/get-commit': reads(['contents'], getCommit),
  'repos/list-commits': reads(['contents'], listCommits),
  'repos/compare-commits-with-basehead': reads(['contents'], compareCommits),
  'repos/get-collaborator-permission-level': readsClosed(['metadata'], getPermission),
  'repos/list-pull-requests-associated-with-commit': reads(['pull_requests', 'contents'], listPullsOfCommit),
};
