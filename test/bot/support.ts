import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { createLog } from '../../bot/io/log.js';
import { type RunningBot, runBot } from '../../bot/io/run-bot.js';
import type { BotParts } from '../../bot/jobs.js';
import { readSettings } from '../../bot/settings.js';
import { type GitHubOptions, type GitHubServer, startGitHub } from '../github/server.js';
import type { App, Installation } from '../github/state/app.js';
import type { Pull } from '../github/state/records.js';
import type { Repository } from '../github/state/repository.js';
import { deliver, type Happening, payloadOf } from '../github/webhooks.js';
import { STAND_IN } from './stand-in.js';

export const SECRET = 'a secret of the tests, long enough';
export const PERMISSIONS = {
  actions: 'read',
  checks: 'write',
  contents: 'read',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
} as const;

const closers: (() => Promise<unknown>)[] = [];

/** Closes something after the test, the last opened first. */
export function afterTest(close: () => Promise<unknown>): void {
  closers.push(close);
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A GitHub with one repository, an app installed on it, and so many pull requests. */
export interface Stage {
  readonly server: GitHubServer;
  readonly repository: Repository;
  readonly app: App;
  readonly installation: Installation;
  readonly pulls: readonly Pull[];
  /** The environment of a bot of this app. */
  readonly environment: Record<string, string>;
}

export async function stage({
  pulls = 1,
  ...options
}: GitHubOptions & { readonly pulls?: number } = {}): Promise<Stage> {
  const server = await startGitHub({ limits: PLENTY, ...options });
  afterTest(() => server.close());
  const repository = server.repository('octo/agents');
  repository.commit({ files: { 'README.md': 'hello\n' } });
  const app = server.app({ slug: 'grounding', permissions: PERMISSIONS });
  const installation = app.install({ account: 'octo' });
  const opened = Array.from({ length: pulls }, (_, index) => {
    repository.commit({ branch: `change-${index}`, files: { [`file-${index}`]: '1\n' } });
    return repository.pulls.open({ head: `change-${index}` });
  });
  const environment = {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: SECRET,
    GITHUB_API_URL: server.url,
    PORT: '0',
    GRACE_SECONDS: '5',
  };
  return { server, repository, app, installation, pulls: opened, environment };
}

/** Limits that no test meets unless it is about them. */
export const PLENTY = { perHour: 1e6, pointsPerMinute: 1e6, contentPerMinute: 1e6, concurrent: 1e4 };

/** A bot in this process, with the lines that it logged. */
export interface TestBot extends RunningBot {
  readonly lines: readonly string[];
}

export async function startBot(
  { environment }: Pick<Stage, 'environment'>,
  { parts = STAND_IN, more = {} }: { readonly parts?: BotParts; readonly more?: Record<string, string> } = {},
): Promise<TestBot> {
  const settings = readSettings({ ...environment, ...more });
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const bot = await runBot({ settings, parts, log });
  afterTest(() => bot.stop());
  return { ...bot, lines };
}

/** Sends a webhook to a bot as GitHub would. */
export function tell(
  { server, app, installation }: Pick<Stage, 'server' | 'app' | 'installation'>,
  {
    bot,
    happening,
    ...more
  }: { bot: Pick<RunningBot, 'url'>; happening: Happening; guid?: string; signature?: string | null },
) {
  const payload = payloadOf(server, happening, { installation });
  const url = `${bot.url}/api/github/webhooks`;
  return deliver(server, { url, event: happening.event, payload, secret: SECRET, app: app.id, ...more });
}

/** Waits until something holds; fails with what is left to say after a minute, which even a busy machine has. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) if (await holds()) return;
  throw new Error(`never came true: ${what}`);
}

/** The comments of a pull request. */
export function commentsOf({ repository }: Pick<Stage, 'repository'>, pull: Pull): readonly string[] {
  return repository.discussion.comments.filter((one) => one.issue === pull.number).map((one) => one.body);
}
