import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { FileContent } from '../github/git/trees.js';
import { type GitHubOptions, type GitHubServer, startGitHub } from '../github/server.js';
import type { Comment, Permissions, Pull, WorkflowRun } from '../github/state/records.js';
import type { Repository } from '../github/state/repository.js';
import { type Happening, payloadOf } from '../github/webhooks.js';
import { PROJECT } from './project.js';

export const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLE = join(ROOT, 'dist', 'index.js');

/** What a workflow usually grants. */
export const GRANTED: Permissions = {
  checks: 'write',
  'pull-requests': 'write',
  pull_requests: 'write',
  issues: 'write',
  actions: 'read',
  contents: 'read',
  security_events: 'write',
};

/** What a pull request of a fork gets. */
export const READ_ONLY: Permissions = {
  checks: 'read',
  pull_requests: 'read',
  issues: 'read',
  actions: 'read',
  contents: 'read',
};

const folders: string[] = [];
const servers: GitHubServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository with agents on GitHub, on whose main branch everything is in order. */
export interface Stage {
  readonly server: GitHubServer;
  readonly repository: Repository;
}

export async function stage(
  options: GitHubOptions & { readonly private?: boolean; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<Stage> {
  const server = await startGitHub(options);
  servers.push(server);
  const repository = server.repository('octo/agents', { private: options.private ?? false });
  repository.commit({ files: { ...(options.files ?? PROJECT) } });
  return { server, repository };
}

/** A pull request that changes these files; null removes one. */
export function propose(
  { repository }: Stage,
  files: Readonly<Record<string, FileContent>>,
  more: {
    readonly branch?: string;
    readonly from?: Repository;
    readonly draft?: boolean;
    readonly author?: string;
  } = {},
): Pull {
  const branch = more.branch ?? 'change';
  (more.from ?? repository).commit({ branch, files });
  return repository.pulls.open({ head: branch, title: 'Change', ...more });
}

/** One step of a job. */
export interface Step {
  /** What is checked out; the event's own commit unless named, `none` leaves the workspace without git. */
  readonly checkout?: string;
  readonly happening:
    | Happening
    | { readonly event: 'schedule' | 'pull_request' | 'pull_request_target'; readonly payload: object };
  readonly sha: string;
  readonly ref?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly permissions?: Permissions;
  readonly run?: WorkflowRun;
  readonly environment?: Readonly<Record<string, string>>;
  readonly actor?: string;
  /** Changes the workspace before the step, as an earlier step would. */
  readonly prepare?: (workspace: string) => void;
}

/** What a step left. */
export interface Done {
  readonly code: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly workspace: string;
  /** report.json, when there is one. */
  readonly report: Report | null;
  readonly run: WorkflowRun;
  readonly milliseconds: number;
}

interface Report {
  readonly conclusion: string;
  readonly notices: readonly string[];
  readonly results: readonly {
    readonly fixture: string;
    readonly state: string;
    readonly invocation_id: string;
    readonly differences: readonly string[];
  }[];
  readonly findings: readonly Record<string, unknown>[];
}

/** A step that was started. */
export interface Started {
  readonly child: ChildProcess;
  readonly run: WorkflowRun;
  readonly done: Promise<Done>;
}

/** A job's workspace and files, and the environment that the runner gives its step. */
export interface Scenery {
  readonly environment: Record<string, string>;
  readonly workspace: string;
  readonly output: string;
  readonly summary: string;
  readonly run: WorkflowRun;
}

/** Sets a job up as the runner does: a checkout, inputs and job in the environment, an event's payload, files to write to. */
export function scenery({ server, repository }: Stage, step: Step): Scenery {
  const home = mkdtempSync(join(tmpdir(), 'gg-action-'));
  folders.push(home);
  const workspace = join(home, 'work');
  mkdirSync(workspace);
  if (step.checkout !== 'none') repository.exportClone(workspace, step.checkout ?? step.sha);
  mkdirSync(join(workspace, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(workspace, 'node_modules', 'grounding-gate'));
  step.prepare?.(workspace);
  const run = step.run ?? repository.actions.start({ headSha: step.sha, event: step.happening.event });
  const payload = 'payload' in step.happening ? step.happening.payload : payloadOf(server, step.happening);
  const event = join(home, 'event.json');
  const [output, summary] = [join(home, 'output'), join(home, 'summary')];
  writeFileSync(event, JSON.stringify(payload));
  for (const file of [output, summary]) writeFileSync(file, '');
  mkdirSync(join(home, 'temp'));
  const { fullName } = repository;
  const token = server.token({ kind: 'actions', repository: fullName, permissions: step.permissions ?? GRANTED });
  const inputs = Object.entries({ token, ...step.inputs });
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CI: 'true',
    ...server.runner(repository, run),
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: step.happening.event,
    GITHUB_EVENT_PATH: event,
    GITHUB_SHA: step.sha,
    GITHUB_REF: step.ref ?? 'refs/pull/1/merge',
    GITHUB_ACTOR: step.actor ?? 'mona',
    GITHUB_WORKSPACE: workspace,
    GITHUB_JOB: 'grounding',
    GITHUB_WORKFLOW_REF: `${fullName}/.github/workflows/grounding.yml@refs/heads/main`,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    RUNNER_TEMP: join(home, 'temp'),
    ...Object.fromEntries(inputs.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...step.environment,
  };
  return { environment, workspace, output, summary, run };
}

/** The Node that runs the bundle: this one, or the one that `npm run node24` names. */
const NODE = process.env['GROUNDING_BUNDLE_NODE'] ?? process.execPath;

/** Starts the bundle as the runner does. */
export function start(on: Stage, step: Step): Started {
  const { environment, workspace, output, summary, run } = scenery(on, step);
  const begun = performance.now();
  const child = spawn(NODE, [BUNDLE], { cwd: workspace, env: environment });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      log += piece.toString('utf8');
    });
  }
  const done = new Promise<Done>((resolve) => {
    child.on('close', (code) => {
      const milliseconds = performance.now() - begun;
      const outputs = outputsIn(readFileSync(output, 'utf8'));
      const told = readFileSync(summary, 'utf8');
      resolve({ code, log, outputs, summary: told, workspace, report: reportAt(outputs['report']), run, milliseconds });
    });
  });
  return { child, run, done };
}

/** Runs the bundle to its end. */
export function perform(on: Stage, step: Step): Promise<Done> {
  return start(on, step).done;
}

/** Runs the bundle for a pull request, on the merge commit that GitHub checks out. */
export function performPull(
  on: Stage,
  pull: Pull,
  more: Partial<Step> & { readonly action?: Extract<Happening, { event: 'pull_request' }>['action'] } = {},
): Promise<Done> {
  return perform(on, pullStep(on, { pull, ...more }));
}

/** The step for a pull request. */
export function pullStep(
  { repository }: Stage,
  {
    pull,
    action,
    ...more
  }: Partial<Step> & { readonly pull: Pull; readonly action?: Extract<Happening, { event: 'pull_request' }>['action'] },
): Step {
  const sha = repository.pulls.testMerge(pull);
  const run = more.run ?? repository.actions.start({ headSha: pull.headSha, event: 'pull_request' });
  return { happening: { event: 'pull_request', action: action ?? 'synchronize', repository, pull }, sha, run, ...more };
}

/** Comments of a pull request by the workflow's own token. */
export function commentsOn({ repository }: Stage, pull: Pull): readonly Comment[] {
  return repository.discussion.commentsOf(pull.number).filter(({ user }) => user.login === 'github-actions[bot]');
}

/** What the runner listens to in a log: all but what stands between a stop and its go. */
export function obeyed(log: string): string {
  const lines: string[] = [];
  let go: string | null = null;
  for (const line of log.split('\n')) {
    if (go === null) go = /^::stop-commands::(\S+)$/.exec(line)?.[1] ?? null;
    else if (line === `::${go}::`) go = null;
    else continue;
    lines.push(line);
  }
  return lines.join('\n');
}

function outputsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', , value = ''] of text.matchAll(/^(.+?)<<(ghadelimiter_\S+)\n([\s\S]*?)\n\2$/gm))
    found[name] = value;
  return found;
}

function reportAt(path: string | undefined): Report | null {
  return path === undefined || path === '' ? null : (JSON.parse(readFileSync(path, 'utf8')) as Report);
}

/** Takes a commit out of a workspace, as a shallow checkout leaves it: the one that is checked out has no parents there. */
export function shallowly(commit: string): (workspace: string) => void {
  return (workspace) => {
    const git = join(workspace, '.git');
    rmSync(join(git, 'objects', commit.slice(0, 2), commit.slice(2)));
    writeFileSync(join(git, 'shallow'), readFileSync(join(git, 'HEAD')));
  };
}
