import { expect } from 'vitest';
import { judgeWorld } from '../../bot/io/judge-world.js';
import type { BotParts } from '../../bot/jobs.js';
import { createWorkJob, jobsOf } from '../../bot/work/index.js';
import { PROJECT } from '../action/project.js';
import type { FileContent } from '../github/git/trees.js';
import { type GitHubOptions, type GitHubServer, startGitHub } from '../github/server.js';
import type { App, Installation } from '../github/state/app.js';
import type { CheckRun, Comment, Permissions, Pull, WorkflowRun } from '../github/state/records.js';
import type { Repository } from '../github/state/repository.js';
import type { Happening } from '../github/webhooks.js';
import { afterTest, PERMISSIONS, PLENTY, SECRET, startBot, type TestBot, tell, until } from './support.js';

/** The bot's own judge. */
export const JUDGE: BotParts = { jobsOf, workJob: createWorkJob(judgeWorld) };

export const CONFIG = '.github/grounding.yml';

/** A repository of agents that is configured, on whose main branch everything is in order, and the bot at work. */
export interface JudgeStage {
  readonly server: GitHubServer;
  readonly repository: Repository;
  readonly app: App;
  readonly installation: Installation;
  readonly bot: TestBot;
  readonly environment: Record<string, string>;
}

export async function judgeStage({
  config = '{}\n',
  files = {},
  permissions = PERMISSIONS,
  isPrivate = false,
  ...options
}: GitHubOptions & {
  readonly config?: string | null;
  readonly files?: Readonly<Record<string, string>>;
  readonly permissions?: Permissions;
  readonly isPrivate?: boolean;
} = {}): Promise<JudgeStage> {
  const server = await startGitHub({ limits: PLENTY, ...options });
  afterTest(() => server.close());
  const repository = server.repository('octo/agents', { private: isPrivate });
  repository.commit({ files: { ...PROJECT, ...(config === null ? {} : { [CONFIG]: config }), ...files } });
  const app = server.app({ slug: 'grounding', permissions });
  const installation = app.install({ account: 'octo' });
  const environment = {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: SECRET,
    GITHUB_API_URL: server.url,
    PORT: '0',
    GRACE_SECONDS: '5',
  };
  const bot = await startBot({ environment }, { parts: JUDGE });
  // What GitHub does not document is asked for by no part of the bot.
  afterTest(async () => expect([server.unexpected, server.violations]).toEqual([[], []]));
  return { server, repository, app, installation, bot, environment };
}

/** A pull request that changes these files; null removes one. */
export function propose(
  { repository }: Pick<JudgeStage, 'repository'>,
  files: Readonly<Record<string, FileContent | null>>,
  more: { readonly branch?: string; readonly from?: Repository; readonly base?: string } = {},
): Pull {
  const { branch = 'change', from, base } = more;
  (from ?? repository).commit({ branch, files });
  return repository.pulls.open({
    head: branch,
    title: 'Change',
    ...(from === undefined ? {} : { from }),
    ...(base === undefined ? {} : { base }),
  });
}

/** Tells the bot what happened. */
export function happen(on: JudgeStage, happening: Happening) {
  return tell(on, { bot: on.bot, happening });
}

/** Tells the bot of a pull request, and waits for its check on the newest head. */
export async function judged(
  on: JudgeStage,
  pull: Pull,
  action: Extract<Happening, { event: 'pull_request' }>['action'] = 'opened',
): Promise<CheckRun> {
  const before = concluded(on, pull.headSha).length;
  await happen(on, { event: 'pull_request', action, repository: on.repository, pull });
  await until(() => concluded(on, pull.headSha).length > before, `a check on ${pull.headSha}`);
  return checkOn(on, pull.headSha);
}

/** Check runs of the bot on a commit, in the order in which they were made. */
export function checksOn(
  { repository, app }: Pick<JudgeStage, 'repository' | 'app'>,
  sha: string,
): readonly CheckRun[] {
  return repository.checks.runs.filter((run) => run.headSha === sha && run.app === app.id);
}

function concluded(on: JudgeStage, sha: string): readonly CheckRun[] {
  return checksOn(on, sha).filter(({ status }) => status === 'completed');
}

/** The newest check run of a commit. */
export function checkOn(on: JudgeStage, sha: string): CheckRun {
  const run = checksOn(on, sha).at(-1);
  if (run === undefined) throw new Error(`no check on ${sha}`);
  return run;
}

/** Comments of the bot on a pull request. */
export function ownComments({ repository, app }: JudgeStage, pull: Pull): readonly Comment[] {
  return repository.discussion.comments.filter(({ issue, user }) => issue === pull.number && user.id === app.user.id);
}

/** A finished run of the workflow on a pull request's head that has stored an artifact. */
export function stored(
  { repository }: JudgeStage,
  pull: Pull,
  zip: Buffer | null,
  more: { readonly name?: string; readonly from?: Repository; readonly conclusion?: string } = {},
): WorkflowRun {
  const { name = 'grounding-grounding-1', from, conclusion = 'success' } = more;
  const run = repository.actions.start({ headSha: pull.headSha, ...(from === undefined ? {} : { from }) });
  if (zip !== null) repository.actions.store({ run, name, bytes: zip });
  repository.actions.complete(run, conclusion);
  return run;
}
