import {
  actor,
  appOf,
  type Call,
  found,
  numberOf,
  ok,
  paged,
  type Route,
  reads,
  speaks,
  textOf,
} from '../http/call.js';
import { ApiError, unprocessable } from '../http/errors.js';
import { commentOf, reactionOf } from '../render/issues.js';
import type { Comment } from '../state/records.js';
import { bodyOf, mayWrite, since } from './shared.js';

const EITHER = ['issues', 'pull_requests'];

function commentBody(call: Call): string {
  const body = bodyOf(call, 'IssueComment');
  if (body.trim() === '') throw unprocessable({ resource: 'IssueComment', code: 'missing_field', field: 'body' });
  return body;
}

const commentAt = (call: Call) => {
  const id = numberOf(call, 'comment_id');
  return found(call.repository.discussion.comments.find((comment) => comment.id === id));
};

function list(call: Call) {
  const issue = found(call.repository.discussion.find(numberOf(call, 'issue_number')));
  const comments = since(call, call.repository.discussion.commentsOf(issue.number));
  return paged(call, comments, (some) => some.map((comment) => commentOf(call.repository, comment)));
}

function create(call: Call) {
  const issue = found(call.repository.discussion.find(numberOf(call, 'issue_number')));
  mayWrite(call, issue);
  const user = actor(call);
  const comment = call.repository.discussion.comment({
    issue: issue.number,
    body: commentBody(call),
    user,
    app: appOf(call),
  });
  issue.updatedAt = call.world.now();
  return { status: 201, body: commentOf(call.repository, comment) };
}

/** A person may change only his own comments, unless he may write; an app with the permission may change all. */
function mayChange(call: Call, comment: Comment): void {
  mayWrite(call, found(call.repository.discussion.find(comment.issue)));
  if (call.principal.kind !== 'user' || comment.user.id === call.principal.account.id) return;
  const role = call.repository.roles.get(call.principal.account.login.toLowerCase());
  if (role === undefined || role === 'read' || role === 'triage')
    throw new ApiError(403, 'Must have admin rights to Repository.');
}

function update(call: Call) {
  const comment = commentAt(call);
  mayChange(call, comment);
  comment.body = commentBody(call);
  comment.updatedAt = call.world.now();
  return ok(commentOf(call.repository, comment));
}

function remove(call: Call) {
  const comment = commentAt(call);
  mayChange(call, comment);
  call.repository.discussion.remove(comment);
  return { status: 204 };
}

function react(call: Call) {
  const comment = commentAt(call);
  mayWrite(call, found(call.repository.discussion.find(comment.issue)));
  const content = textOf(call, 'content') ?? '';
  const { reaction, isNew } = call.repository.discussion.react({ comment, user: actor(call), content });
  return { status: isNew ? 201 : 200, body: reactionOf(call.repository, reaction) };
}

function listReactions(call: Call) {
  const content = call.query.get('content');
  const all = commentAt(call).reactions.filter((one) => one.content === (content ?? one.content));
  return paged(call, all, (some) => some.map((reaction) => reactionOf(call.repository, reaction)));
}

function removeReaction(call: Call) {
  const { reactions } = commentAt(call);
  const id = numberOf(call, 'reaction_id');
  const reaction = found(reactions.find((one) => one.id === id));
  if (reaction.user.id !== actor(call).id) throw new ApiError(403, "Must be the reaction's author.");
  reactions.splice(reactions.indexOf(reaction), 1);
  return { status: 204 };
}

/** Comments of issues and pull requests, and the reactions to them. */
export const comments: Readonly<Record<string, Route>> = {
  'issues/list-comments': reads(EITHER, list),
  'issues/get-comment': reads(EITHER, (call) => ok(commentOf(call.repository, commentAt(call)))),
  'issues/create-comment': speaks(EITHER, create),
  'issues/update-comment': speaks(EITHER, update),
  'issues/delete-comment': speaks(EITHER, remove),
  'reactions/create-for-issue-comment': speaks(EITHER, react),
  'reactions/list-for-issue-comment': reads(EITHER, listReactions),
  'reactions/delete-for-issue-comment': speaks(EITHER, removeReaction),
};
