import { readFileSync } from 'node:fs';
import { checkWebhook } from './http/description.js';
import { installation as installationOf, nodeId, user } from './render/accounts.js';
import { checkRunOf, checkSuiteOf } from './render/checks.js';
import { simpleCommit } from './render/commits.js';
import { commentOf, issueOf } from './render/issues.js';
import { pullFull } from './render/pulls.js';
import { page, repositoryOf } from './render/repositories.js';
import { runOf, workflowOf } from './render/runs.js';
import type { GitHubServer } from './server.js';
import type { Installation } from './state/app.js';
import { type Sending, send } from './state/deliveries.js';
import type { CheckRun, CheckSuite, Comment, Delivery, MergeGroup, Pull, WorkflowRun } from './state/records.js';
import type { Repository } from './state/repository.js';

type Json = Readonly<Record<string, unknown>>;

/** What happened; ids, names and commits of the payload are the test server's. */
export type Happening =
  | { readonly event: 'ping'; readonly repository: Repository }
  | {
      readonly event: 'push';
      readonly repository: Repository;
      readonly ref: string;
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly event: 'pull_request';
      readonly action:
        | 'opened'
        | 'synchronize'
        | 'reopened'
        | 'ready_for_review'
        | 'converted_to_draft'
        | 'edited'
        | 'closed';
      readonly repository: Repository;
      readonly pull: Pull;
      /** The head before a `synchronize`. */
      readonly before?: string;
      /** What an `edited` changed: GitHub's own shape, as `{ base: { ref: { from }, sha: { from } } }`. */
      readonly changes?: Json;
    }
  | {
      readonly event: 'workflow_run';
      readonly action: 'requested' | 'completed';
      readonly repository: Repository;
      readonly run: WorkflowRun;
    }
  | {
      readonly event: 'check_run';
      readonly action: 'created' | 'rerequested' | 'requested_action';
      readonly repository: Repository;
      readonly check: CheckRun;
      /** The button that a `requested_action` came from. */
      readonly identifier?: string;
    }
  | {
      readonly event: 'check_suite';
      readonly action: 'requested' | 'rerequested';
      readonly repository: Repository;
      readonly suite: CheckSuite;
    }
  | {
      readonly event: 'issue_comment';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly repository: Repository;
      readonly comment: Comment;
    }
  | {
      readonly event: 'merge_group';
      readonly action: 'checks_requested' | 'destroyed';
      readonly repository: Repository;
      readonly group: MergeGroup;
    }
  | {
      readonly event: 'installation';
      readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';
      readonly installation: Installation;
    }
  | {
      readonly event: 'installation_repositories';
      readonly action: 'added' | 'removed';
      readonly installation: Installation;
      readonly repositories: readonly Repository[];
    }
  | {
      readonly event: 'repository';
      readonly action: 'renamed';
      readonly repository: Repository;
      readonly from: string;
    };

/** Who did it, and the installation that is told. */
export interface Told {
  readonly sender?: string;
  readonly installation?: Installation;
}

const examples = new Map<string, Json>();

function example(event: string): Json {
  const known = examples.get(event);
  if (known !== undefined) return known;
  const file = new URL(`./payloads/${event}.json`, import.meta.url);
  const read = JSON.parse(readFileSync(file, 'utf8')) as Json;
  examples.set(event, read);
  return read;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lays what the server knows over what the example shows. */
function overlay(under: unknown, over: unknown): unknown {
  if (!isObject(under) || !isObject(over)) return over;
  const merged = Object.entries(over).map(([name, value]) => [name, overlay(under[name], value)] as const);
  return { ...under, ...Object.fromEntries(merged) };
}

/** Makes the payload of a webhook: GitHub's published example with the test server's state laid over it. */
export function payloadOf(server: GitHubServer, happening: Happening, told: Told = {}): Record<string, unknown> {
  const { event } = happening;
  const repository = 'repository' in happening ? happening.repository : undefined;
  const sender = user(server.state, server.state.account(told.sender ?? repository?.owner.login ?? 'octo'));
  const action = 'action' in happening ? { action: happening.action } : {};
  const installation = told.installation === undefined ? {} : { installation: lite(told.installation) };
  const about = repository === undefined ? {} : { repository: repositoryOf(repository) };
  const payload = { ...action, ...about, sender, ...installation, ...detail(server, happening) };
  const base = example(event);
  const members = Object.entries(payload).map(([name, value]) => [name, overlay(base[name], value)] as const);
  const made = Object.fromEntries(members);
  const name = [event, ...('action' in happening ? [happening.action] : [])].join('-').replaceAll('_', '-');
  for (const reason of checkWebhook(name, made)) server.violations.push(`webhook ${name}: ${reason}`);
  return made;
}

const lite = (one: Installation) => ({ id: one.id, node_id: nodeId('Installation', one.id) });

const short = (one: Repository) => ({
  id: one.id,
  node_id: nodeId('Repository', one.id),
  name: one.name,
  full_name: one.fullName,
  private: one.private,
});

function detail(server: GitHubServer, happening: Happening): Json {
  switch (happening.event) {
    case 'ping': {
      const { zen, hook_id, hook } = example('ping');
      return { zen, hook_id, hook };
    }
    case 'push':
      return pushed(happening);
    case 'pull_request':
      return pullRequest(happening);
    case 'workflow_run':
      return workflowRun(happening);
    case 'check_run':
      return checkRun(happening);
    case 'check_suite':
      return { check_suite: checkSuiteOf(happening.repository, happening.suite) };
    case 'issue_comment':
      return issueComment(happening);
    case 'merge_group':
      return mergeGroup(happening);
    case 'installation': {
      const all = happening.installation.repositories().flatMap((id) => server.state.repositories.get(id) ?? []);
      return { installation: installationOf(server.state, happening.installation), repositories: all.map(short) };
    }
    case 'installation_repositories':
      return movedRepositories(server, happening);
    case 'repository':
      return { changes: { repository: { name: { from: happening.from } } } };
  }
}

type Of<E extends Happening['event']> = Extract<Happening, { event: E }>;

function pushed({ repository, ref, before, after }: Of<'push'>): Json {
  const commit = repository.store.commit(after);
  const { login } = repository.owner;
  const person = { name: login, email: `${login}@users.noreply.invalid` };
  const signed = { ...person, username: login };
  const url = `${page(repository)}/commit/${after}`;
  const files = { added: [], removed: [], modified: [] };
  const shown =
    commit === undefined
      ? []
      : [{ ...simpleCommit(commit), author: signed, committer: signed, distinct: true, url, ...files }];
  const none = '0'.repeat(40);
  return {
    // A push names its owner twice.
    repository: { ...repositoryOf(repository), owner: { ...user(repository.world, repository.owner), ...person } },
    ref,
    before,
    after,
    created: before === none,
    deleted: after === none,
    forced: commit !== undefined && before !== none && !commit.parents.includes(before),
    base_ref: null,
    compare: `${page(repository)}/compare/${before}...${after}`,
    commits: shown,
    head_commit: shown[0] ?? null,
    pusher: person,
  };
}

function pullRequest({ action, repository, pull, before, changes }: Of<'pull_request'>): Json {
  const moved = action === 'synchronize' ? { before: before ?? pull.baseSha, after: pull.headSha } : {};
  const edited = action === 'edited' ? { changes: changes ?? {} } : {};
  return { number: pull.number, pull_request: pullFull(repository, pull), ...moved, ...edited };
}

function workflowRun({ repository, run }: Of<'workflow_run'>): Json {
  const workflow = repository.actions.workflows.find((one) => one.id === run.workflow);
  if (workflow === undefined) throw new Error(`run ${run.id} has no workflow`);
  return { workflow: workflowOf(repository, workflow), workflow_run: runOf(repository, run) };
}

function checkRun({ action, repository, check, identifier }: Of<'check_run'>): Json {
  const suite = repository.checks.suites.find((one) => one.id === check.suite);
  if (suite === undefined) throw new Error(`check run ${check.id} has no suite`);
  const check_suite = checkSuiteOf(repository, suite);
  const button = action === 'requested_action' ? { requested_action: { identifier: identifier ?? '' } } : {};
  return { check_run: { ...checkRunOf(repository, check), check_suite }, ...button };
}

function issueComment({ action, repository, comment }: Of<'issue_comment'>): Json {
  const issue = repository.discussion.find(comment.issue);
  if (issue === undefined) throw new Error(`comment ${comment.id} has no issue`);
  const edited = action === 'edited' ? { changes: { body: { from: 'before' } } } : {};
  return { issue: issueOf(repository, issue), comment: commentOf(repository, comment), ...edited };
}

function mergeGroup({ action, repository, group }: Of<'merge_group'>): Json {
  const commit = repository.store.commit(group.sha);
  if (commit === undefined) throw new Error(`merge group ${group.ref} has no commit`);
  const { sha, ref, baseSha, baseRef } = group;
  const head = {
    head_sha: sha,
    head_ref: ref,
    base_sha: baseSha,
    base_ref: baseRef,
    head_commit: simpleCommit(commit),
  };
  return { merge_group: head, ...(action === 'destroyed' ? { reason: 'merged' } : {}) };
}

function movedRepositories(server: GitHubServer, one: Of<'installation_repositories'>): Json {
  const some = one.repositories.map(short);
  return {
    installation: installationOf(server.state, one.installation),
    repository_selection: one.installation.selection,
    repositories_added: one.action === 'added' ? some : [],
    repositories_removed: one.action === 'removed' ? some : [],
    requester: null,
  };
}

/** Sends a webhook, rightly signed unless the test says otherwise; the server lists it among the app's deliveries. */
export async function deliver(server: GitHubServer, sending: Sending): Promise<Delivery> {
  return send(server.state, sending);
}
