import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { createLog } from '../../bot/io/log.js';
import { faultOfKey } from '../../bot/io/private-key.js';
import { type RunningBot, runBot } from '../../bot/io/run-bot.js';
import type { BotParts } from '../../bot/jobs.js';
import { readSettings } from '../../bot/settings.js';
import { type GitHubOptions, startGitHub } from '../github/server.js';
import type { Pull } from '../github/state/records.js';
import { deliver, type Happening, payloadOf } from '../github/webhooks.js';
import { environmentOf, PERMISSIONS, PLENTY, SECRET, type Stage } from './flood-stage.js';
import { STAND_IN } from './stand-in.js';

export { PERMISSIONS, PLENTY, SECRET, type Stage };

const closers: (() => Promise<unknown>)[] = [];

/** Closes something after the test, the last opened first. */
export function afterTest(close: () => Promise<unknown>): void {
  closers.push(close);
}

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A repository that is not configured, and pull requests that change a file each. */
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
  return { server, repository, app, installation, pulls: opened, environment: environmentOf(app, server) };
}

/** The night's work begins at two: a test of it is not to wait for that. */
const PAST_TWO = { now: () => Date.now(), iso: () => new Date().toISOString().replace(/T0[01]/, 'T02') };

/** A bot in this process, with the lines that it logged. */
export interface TestBot extends RunningBot {
  readonly lines: readonly string[];
}

export async function startBot(
  { environment }: Pick<Stage, 'environment'>,
  { parts = STAND_IN, more = {} }: { readonly parts?: BotParts; readonly more?: Record<string, string> } = {},
): Promise<TestBot> {
  const settings = readSettings({ ...environment, ...more }, faultOfKey);
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const bot = await runBot({ settings, parts, log, clock: PAST_TWO });
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

/** Waits until something holds; fails with what is left to say after a minute, or more, which even a busy machine has. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (await holds()) return;
  throw new Error(`never came true: ${what}`);
}

/** The lines of one metric of a bot. */
export async function metricsOf({ url }: Pick<RunningBot, 'url'>, name: string): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`));
}

/** Waits until a bot has no job left, in hand or in its queue. */
export async function untilIdle(bot: Pick<RunningBot, 'url'>, seconds?: number): Promise<void> {
  const idle = async () => (await metricsOf(bot, 'grounding_bot_queue_jobs')).every((line) => line.endsWith(' 0'));
  await until(idle, 'the last job', seconds);
}

/** The comments of a pull request. */
export function commentsOf({ repository }: Pick<Stage, 'repository'>, pull: Pull): readonly string[] {
  return repository.discussion.comments.filter((one) => one.issue === pull.number).map((one) => one.body);
}
