import type { Account, Comment, Issue, Label, Reaction } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import { integration, nodeId, user } from './accounts.js';
import { address, page } from './repositories.js';

type Json = Record<string, unknown>;

/** How GitHub calls an account's tie to the repository; weak on purpose, see issue_comment handlers. */
export function association(repository: Repository, account: Account): string {
  if (account.id === repository.owner.id) return 'OWNER';
  return repository.roles.has(account.login.toLowerCase()) ? 'COLLABORATOR' : 'NONE';
}

const appOf = (repository: Repository, id: number | undefined) => {
  const app = id === undefined ? undefined : repository.world.apps.get(id);
  return app === undefined ? null : integration(repository.world, app);
};

/** A label. */
export function labelOf(repository: Repository, label: Label): Json {
  const url = `${address(repository)}/labels/${encodeURIComponent(label.name)}`;
  const { id, name, color, description } = label;
  return { id, node_id: nodeId('Label', id), url, name, color, description, default: false };
}

/** An issue, or a pull request as issues show it. */
export function issueOf(repository: Repository, issue: Issue): Json {
  const self = `${address(repository)}/issues/${issue.number}`;
  const pull = issue.isPull ? pullLinks(repository, issue.number) : {};
  return {
    id: issue.id,
    node_id: nodeId('Issue', issue.id),
    number: issue.number,
    url: self,
    repository_url: address(repository),
    labels_url: `${self}/labels{/name}`,
    comments_url: `${self}/comments`,
    events_url: `${self}/events`,
    html_url: `${page(repository)}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}`,
    state: issue.state,
    state_reason: issue.stateReason,
    title: issue.title,
    body: issue.body,
    user: user(repository.world, issue.user),
    labels: issue.labels.map((name) => labelOf(repository, repository.discussion.label(name))),
    assignee: null,
    assignees: [],
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: repository.discussion.commentsOf(issue.number).length,
    closed_at: issue.closedAt,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    author_association: association(repository, issue.user),
    performed_via_github_app: appOf(repository, issue.app),
    timeline_url: `${self}/timeline`,
    reactions: reactionsOf(self, []),
    ...pull,
  };
}

function pullLinks(repository: Repository, number: number): Json {
  const html = `${page(repository)}/pull/${number}`;
  const url = `${address(repository)}/pulls/${number}`;
  return { pull_request: { url, html_url: html, diff_url: `${html}.diff`, patch_url: `${html}.patch` } };
}

const CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];

function reactionsOf(of: string, all: readonly Reaction[]): Json {
  const counts = CONTENTS.map((content) => [content, all.filter((one) => one.content === content).length]);
  return { url: `${of}/reactions`, total_count: all.length, ...Object.fromEntries(counts) };
}

/** A comment of an issue or pull request. */
export function commentOf(repository: Repository, comment: Comment): Json {
  const url = `${address(repository)}/issues/comments/${comment.id}`;
  const issue = repository.discussion.find(comment.issue);
  return {
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    url,
    html_url: `${page(repository)}/${issue?.isPull ? 'pull' : 'issues'}/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: `${address(repository)}/issues/${comment.issue}`,
    user: user(repository.world, comment.user),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(repository, comment.user),
    body: comment.body,
    performed_via_github_app: appOf(repository, comment.app),
    reactions: reactionsOf(url, comment.reactions),
  };
}

/** A reaction. */
export function reactionOf(repository: Repository, reaction: Reaction): Json {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: user(repository.world, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
