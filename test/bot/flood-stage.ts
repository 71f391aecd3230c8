import { PROJECT } from '../action/project.js';
import { type GitHubServer, startGitHub } from '../github/server.js';
import type { App, Installation } from '../github/state/app.js';
import type { Pull } from '../github/state/records.js';
import type { Repository } from '../github/state/repository.js';

// Nothing of the test runner is imported here, so that bench/bot.mjs can use it.

/** A secret of webhooks. */
export const SECRET = 'a secret of the tests, long enough';

/** What the bot is given, as app.yml asks for it. */
export const PERMISSIONS = {
  actions: 'read',
  checks: 'write',
  contents: 'read',
  issues: 'write',
  merge_queues: 'read',
  metadata: 'read',
  pull_requests: 'write',
} as const;

/** Limits that nothing meets. */
export const PLENTY = { perHour: 1e6, pointsPerMinute: 1e6, contentPerMinute: 1e6, concurrent: 1e4 };

/** A GitHub with one repository, an app installed on it, and pull requests. */
export interface Stage {
  readonly server: GitHubServer;
  readonly repository: Repository;
  readonly app: App;
  readonly installation: Installation;
  readonly pulls: readonly Pull[];
  /** The environment of a bot of this app. */
  readonly environment: Record<string, string>;
}

/** The environment of a bot of an app. */
export function environmentOf(app: App, server: GitHubServer): Record<string, string> {
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: SECRET,
    GITHUB_API_URL: server.url,
    PORT: '0',
    GRACE_SECONDS: '5',
  };
}

/** A repository that asks for a comment in any case, and so many pull requests, each of which brings a run that is in order. */
export async function floodStage({
  pulls,
  runs,
}: {
  pulls: number;
  runs: Readonly<Record<string, string>>;
}): Promise<Stage> {
  const server = await startGitHub({ limits: PLENTY });
  const repository = server.repository('octo/agents');
  repository.commit({ files: { ...PROJECT, '.github/grounding.yml': 'comment: always\n' } });
  const app = server.app({ slug: 'grounding', permissions: PERMISSIONS });
  const installation = app.install({ account: 'octo' });
  const opened = Array.from({ length: pulls }, (_, index) => {
    repository.commit({ branch: `change-${index}`, files: runs });
    return repository.pulls.open({ head: `change-${index}` });
  });
  return { server, repository, app, installation, pulls: opened, environment: environmentOf(app, server) };
}
