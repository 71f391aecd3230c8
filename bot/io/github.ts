import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Probot, ProbotOctokit } from 'probot';
import { gateError } from '../../core/index.js';
import { statusOf } from '../failure.js';
import type { InstallationApi } from '../jobs.js';
import { idMember, textMember } from '../member.js';
import type { GitHubApp, Metrics } from '../ports.js';
import type { PrivateKey, Settings } from '../settings.js';
import { silentLog } from './log.js';

/** No answer of GitHub's takes longer when it is well, an artifact of the size that is read included. */
const TIMEOUT_MS = 60_000;

/** Waits and repetitions are the queue's, which no process has to sit out; Probot's own would hold a job for minutes. */
const Octokit: typeof ProbotOctokit = ProbotOctokit.defaults((options: { readonly throttle?: object }) => ({
  ...options,
  throttle: { ...options.throttle, enabled: false },
  retry: { enabled: false },
}));

/** Probot with the app's key and secret; throws GateError `bot-settings` when the key is none. */
export function createProbot({ appId, privateKey, webhookSecret, apiUrl, webhookPath }: Settings): Probot {
  return new Probot({
    appId,
    privateKey: pemOf(privateKey),
    secret: webhookSecret,
    baseUrl: apiUrl,
    webhookPath,
    Octokit,
    log: silentLog(),
  });
}

function pemOf(key: PrivateKey): string {
  const refuse = (message: string, cause: unknown) =>
    gateError('bot-settings', {
      blame: 'configuration',
      message,
      remedy: "give it the whole .pem file that GitHub made on the app's page, with its first and last line",
      cause,
    });
  let pem: string;
  try {
    pem = key.kind === 'pem' ? key.pem : readFileSync(key.path, 'utf8');
  } catch (cause) {
    throw refuse('the file that PRIVATE_KEY_PATH names cannot be read', cause);
  }
  try {
    createPrivateKey(pem);
    return pem;
  } catch (cause) {
    throw refuse(`what ${key.kind === 'pem' ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH'} gives is no private key`, cause);
  }
}

/** GitHub as Probot's app sees it. */
export async function connectGitHub(probot: Probot, metrics: Pick<Metrics, 'request'>): Promise<GitHubApp> {
  const app = apiOf(await probot.auth(), { metrics });
  const stale = new Set<number>();
  let identity: ReturnType<GitHubApp['identity']> | null = null;
  return {
    app,
    async installation(id, signal) {
      const octokit = await probot.auth(id);
      if (stale.delete(id)) await octokit.auth({ type: 'installation', installationId: id, refresh: true });
      return apiOf(octokit, { metrics, signal });
    },
    identity() {
      identity ??= identify(app).catch((error: unknown) => {
        identity = null;
        throw error;
      });
      return identity;
    },
    forget(id) {
      stale.add(id);
    },
  };
}

async function identify(app: InstallationApi): Promise<{ readonly id: number; readonly slug: string }> {
  const { data } = await app.request('GET /app');
  const [id, slug] = [idMember(data, 'id'), textMember(data, 'slug')];
  if (id === undefined || slug === undefined) throw new Error('GitHub does not say who the app is');
  return { id, slug };
}

function apiOf(
  octokit: ProbotOctokit,
  { metrics, signal }: { readonly metrics: Pick<Metrics, 'request'>; readonly signal?: AbortSignal },
): InstallationApi {
  const ending = (): AbortSignal => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  };
  const counted = async <T>(asking: Promise<T>, statusIn: (answer: T) => number): Promise<T> => {
    try {
      const answer = await asking;
      metrics.request(statusIn(answer));
      return answer;
    } catch (error) {
      metrics.request(statusOf(error) ?? 0);
      throw error;
    }
  };
  return {
    async request(route, parameters = {}) {
      signal?.throwIfAborted();
      const own = typeof parameters['request'] === 'object' ? parameters['request'] : {};
      const request = { ...own, signal: ending() };
      return counted(octokit.request(route, { ...parameters, request }), ({ status }) => status);
    },
    async graphql(query, variables = {}) {
      signal?.throwIfAborted();
      return counted(octokit.graphql(query, { ...variables, request: { signal: ending() } }), () => 200);
    },
  };
}
