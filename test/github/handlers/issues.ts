import { isGranted } from '../http/auth.js';
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
  refuseFilters,
  speaks,
  textOf,
  writes,
} from '../http/call.js';
import { Unsupported, unprocessable } from '../http/errors.js';
import { issueOf, labelOf } from '../render/issues.js';
import type { Issue } from '../state/records.js';
import { bodyOf, mayWrite, since } from './shared.js';

const EITHER = ['issues', 'pull_requests'];
const LONGEST_TITLE = 256;

function titleOf(call: Call): string | undefined {
  const title = call.body['title'];
  if (title === undefined || title === null) return undefined;
  if (String(title).trim() === '') throw unprocessable({ resource: 'Issue', code: 'missing_field', field: 'title' });
  if ([...String(title)].length > LONGEST_TITLE)
    throw unprocessable({
      resource: 'Issue',
      code: 'custom',
      field: 'title',
      message: 'title is too long (maximum is 256 characters)',
    });
  return String(title);
}

function labelsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((label: unknown) =>
    typeof label === 'string' ? label : String((label as { name?: unknown }).name),
  );
}

function list(call: Call) {
  refuseFilters(call, ['milestone', 'type', 'assignee', 'mentioned', 'issue_field_values']);
  const { query, repository } = call;
  const state = query.get('state') ?? 'open';
  const labels = query.get('labels')?.split(',') ?? [];
  const creator = query.get('creator')?.toLowerCase();
  // Pull requests are issues to this list, as everybody learns once.
  const issues = since(call, repository.discussion.issues)
    .filter((issue) => state === 'all' || issue.state === state)
    .filter((issue) => labels.every((label) => issue.labels.includes(label)))
    .filter((issue) => creator === undefined || issue.user.login.toLowerCase() === creator);
  const sort = query.get('sort') ?? 'created';
  if (sort === 'comments') throw new Unsupported('issues sorted by comments');
  const key = (issue: Issue) => (sort === 'updated' ? issue.updatedAt : issue.createdAt);
  const sorted = [...issues].sort((a, b) => key(a).localeCompare(key(b)) || a.number - b.number);
  if (query.get('direction') !== 'asc') sorted.reverse();
  return paged(call, sorted, (some) => some.map((issue) => issueOf(repository, issue)));
}

const issueAt = (call: Call) => found(call.repository.discussion.find(numberOf(call, 'issue_number')));

/** Labels of people who may not write are dropped without a word. */
function labelsAllowed(call: Call): string[] {
  return isGranted(call.principal, call.repository) ? (labelsOf(call.body['labels']) ?? []) : [];
}

function create(call: Call) {
  const issue = call.repository.discussion.open({
    title: titleOf(call) ?? '',
    body: call.body['body'] === undefined ? null : bodyOf(call, 'Issue'),
    user: actor(call),
    app: appOf(call),
    labels: labelsAllowed(call),
  });
  return { status: 201, body: issueOf(call.repository, issue) };
}

function update(call: Call) {
  const issue = issueAt(call);
  mayWrite(call, issue);
  const { body } = call;
  issue.title = titleOf(call) ?? issue.title;
  if (body['body'] !== undefined) issue.body = body['body'] === null ? null : bodyOf(call, 'Issue');
  const labels = labelsOf(body['labels']);
  if (labels !== undefined) setLabels(call, { issue, labels });
  if (body['state'] !== undefined) setState(call, issue);
  issue.updatedAt = call.world.now();
  return ok(issueOf(call.repository, issue));
}

function setLabels(call: Call, { issue, labels }: { issue: Issue; labels: readonly string[] }): void {
  for (const name of labels) call.repository.discussion.label(name);
  issue.labels = [...new Set(labels)];
}

function setState(call: Call, issue: Issue): void {
  const isClosed = call.body['state'] === 'closed';
  const given = call.body['state_reason'] as Issue['stateReason'] | undefined;
  issue.stateReason = given ?? (isClosed ? 'completed' : 'reopened');
  if (isClosed !== (issue.state === 'closed')) issue.closedAt = isClosed ? call.world.now() : null;
  issue.state = isClosed ? 'closed' : 'open';
}

function addLabels(call: Call) {
  const given: unknown = call.body;
  const labels = labelsOf(Array.isArray(given) ? given : call.body['labels']) ?? [];
  const issue = issueAt(call);
  mayWrite(call, issue);
  setLabels(call, { issue, labels: [...issue.labels, ...labels] });
  return ok(issue.labels.map((name) => labelOf(call.repository, call.repository.discussion.label(name))));
}

function createLabel(call: Call) {
  const name = textOf(call, 'name') ?? '';
  if (call.repository.discussion.findLabel(name) !== undefined)
    throw unprocessable({ resource: 'Label', code: 'already_exists', field: 'name' });
  const color = textOf(call, 'color') ?? 'ededed';
  if (!/^[0-9a-f]{6}$/i.test(color)) throw unprocessable({ resource: 'Label', code: 'invalid', field: 'color' });
  const description = textOf(call, 'description') ?? null;
  if ((description ?? '').length > 100)
    throw unprocessable({ resource: 'Label', code: 'invalid', field: 'description' });
  const label = call.repository.discussion.label(name, { color, description });
  return { status: 201, body: labelOf(call.repository, label) };
}

function getLabel(call: Call) {
  return ok(labelOf(call.repository, found(call.repository.discussion.findLabel(call.params['name'] ?? ''))));
}

/** Issues and labels. */
export const issues: Readonly<Record<string, Route>> = {
  'issues/list-for-repo': reads(EITHER, list),
  'issues/get': reads(EITHER, (call) => ok(issueOf(call.repository, issueAt(call)))),
  'issues/create': speaks(['issues'], create),
  'issues/update': writes(EITHER, update),
  'issues/get-label': reads(EITHER, getLabel),
  'issues/create-label': writes(EITHER, createLabel),
  'issues/add-labels': writes(EITHER, addLabels),
};
