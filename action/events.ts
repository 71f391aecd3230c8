import { assertNever, gateError, type JsonNode } from '../core/index.js';
import type { RunnerContext } from './runner-context.js';

/** What set the workflow off, as far as the Action cares. */
export type Trigger =
  | PullRequestTrigger
  /** A queued group: judged against what it would be merged into. */
  | { readonly kind: 'merge-group'; readonly headSha: string; readonly baseSha: string; readonly baseRef: string }
  /** A commit of the repository itself: what it says is what is enforced. */
  | { readonly kind: 'commit'; readonly headSha: string; readonly scheduled: boolean; readonly ref: string }
  /** Another workflow's run has ended; what it stored is judged again, and nothing of it is executed. */
  | WorkflowRunTrigger;

export interface PullRequestTrigger {
  readonly kind: 'pull-request';
  readonly action: string;
  readonly number: number;
  /** The head of the pull request, not the merge commit that is checked out. */
  readonly headSha: string;
  readonly baseSha: string;
  readonly baseRef: string;
  /** The head is another repository's: the token may only read. */
  readonly fork: boolean;
  readonly open: boolean;
}

export interface WorkflowRunTrigger {
  readonly kind: 'workflow-run';
  readonly runId: number;
  readonly headSha: string;
  readonly headRepository: string | null;
  readonly headBranch: string | null;
  readonly event: string;
}

const EVENTS = [
  'pull_request',
  'pull_request_target',
  'merge_group',
  'push',
  'schedule',
  'workflow_dispatch',
  'workflow_run',
] as const;
type EventName = (typeof EVENTS)[number];

/** Reads the event's payload; throws GateError `event-*` for an event that cannot be judged, blame `configuration`. */
export function parseEvent(payload: JsonNode, context: RunnerContext): Trigger {
  const name = EVENTS.find((event) => event === context.eventName);
  if (name === undefined)
    throw gateError('event-unknown', {
      blame: 'configuration',
      message: `nothing is known of the event ${JSON.stringify(context.eventName)}`,
      remedy: `run on one of ${EVENTS.filter((event) => event !== 'pull_request_target').join(', ')}`,
    });
  return parse(name, { payload, context });
}

function parse(name: EventName, given: { readonly payload: JsonNode; readonly context: RunnerContext }): Trigger {
  const { payload, context } = given;
  switch (name) {
    case 'pull_request':
      return pullRequest(payload);
    case 'pull_request_target':
      throw refuseTarget(payload, context);
    case 'merge_group': {
      const group = member(payload, 'merge_group');
      return {
        kind: 'merge-group',
        headSha: sha(group, 'head_sha'),
        baseSha: sha(group, 'base_sha'),
        baseRef: text(group, 'base_ref').replace(/^refs\/heads\//, ''),
      };
    }
    case 'push':
    case 'schedule':
    case 'workflow_dispatch':
      return { kind: 'commit', headSha: context.sha, scheduled: name === 'schedule', ref: context.ref };
    case 'workflow_run':
      return workflowRun(member(payload, 'workflow_run'));
    default:
      return assertNever(name);
  }
}

function pullRequest(payload: JsonNode): PullRequestTrigger {
  const pull = member(payload, 'pull_request');
  const head = member(pull, 'head');
  const base = member(pull, 'base');
  // A fork that was deleted since has no repository left.
  const headRepository = head.present('repo')?.get('full_name')?.string();
  return {
    kind: 'pull-request',
    action: payload.get('action')?.string() ?? '',
    number: integer(pull, 'number'),
    headSha: sha(head, 'sha'),
    baseSha: sha(base, 'sha'),
    baseRef: text(base, 'ref'),
    fork: headRepository === undefined || headRepository !== member(base, 'repo').get('full_name')?.string(),
    open: pull.get('state')?.string() === 'open',
  };
}

function workflowRun(run: JsonNode): WorkflowRunTrigger {
  return {
    kind: 'workflow-run',
    runId: integer(run, 'id'),
    headSha: sha(run, 'head_sha'),
    headRepository: run.present('head_repository')?.get('full_name')?.string() ?? null,
    headBranch: run.present('head_branch')?.string() ?? null,
    event: text(run, 'event'),
  };
}

/**
 * This event hands out a token that may write, and secrets, whoever opened the pull request. With the head checked out,
 * the pull request's agents would run with them; without it, nothing of the pull request would be judged.
 */
function refuseTarget(payload: JsonNode, context: RunnerContext): Error {
  const head = payload.present('pull_request')?.present('head')?.get('sha')?.string() ?? 'the head';
  return gateError('event-target', {
    blame: 'configuration',
    message:
      `pull_request_target runs with a token that may write, and agents of the pull request (${head}) would be run with it; ` +
      `with ${context.sha} of the base checked out, nothing of the pull request would be judged`,
    remedy: 'use pull_request, and workflow_run for what needs the right to write',
  });
}

function member(node: JsonNode, key: string): JsonNode {
  const found = node.present(key);
  if (found?.kind === 'object') return found;
  throw malformed(node, key);
}

function text(node: JsonNode, key: string): string {
  const found = node.get(key)?.string();
  if (found !== undefined && found !== '') return found;
  throw malformed(node, key);
}

function sha(node: JsonNode, key: string): string {
  const found = node.get(key)?.string();
  if (found !== undefined && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(found)) return found;
  throw malformed(node, key);
}

function integer(node: JsonNode, key: string): number {
  const found = node.get(key)?.integer();
  if (found !== undefined && found > 0) return found;
  throw malformed(node, key);
}

function malformed(node: JsonNode, key: string): Error {
  return gateError('event-malformed', {
    blame: 'configuration',
    message: `the event's payload has no usable ${node.pointer()}/${key}`,
    remedy: 'run the Action in a job of GitHub Actions, for an event that docs/action.md lists',
  });
}

/** Whether the repository is private, as the payload says; null when it does not. */
export function isPrivate(payload: JsonNode): boolean | null {
  return payload.present('repository')?.get('private')?.boolean() ?? null;
}

/** The commit whose configuration binds, when that is another than the one judged. */
export function baseOf(trigger: Trigger): string | null {
  return trigger.kind === 'pull-request' || trigger.kind === 'merge-group' ? trigger.baseSha : null;
}
