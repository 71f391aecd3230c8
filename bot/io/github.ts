import { Probot, ProbotOctokit } from 'probot';
import { isUnanswered, statusOf } from '../failure.js';
import type { InstallationApi } from '../jobs.js';
import { idMember, textMember } from '../member.js';
import type { GitHubApp, Metrics } from '../ports.js';
import type { Settings } from '../settings.js';
import { silentLog } from './log.js';
import { readKey } from './private-key.js';
import { TokenCache } from './token-cache.js';

/** No answer of GitHub's takes longer when it is well, an artifact of the size that is read included. */
const TIMEOUT_MS = 60_000;

/** Probot, and the tokens that it makes. */
export interface ProbotApp {
  readonly probot: Probot;
  readonly tokens: TokenCache;
}

/** Probot with the app's key and secret; throws GateError `bot-settings` when the key is none. */
export function createProbot({ appId, privateKey, webhookSecret, apiUrl, webhookPath }: Settings): ProbotApp {
  const tokens = new TokenCache();
  const probot = new Probot({
    appId,
    privateKey: readKey(privateKey),
    secret: webhookSecret,
    baseUrl: apiUrl,
    webhookPath,
    Octokit: octokitWith(tokens),
    log: silentLog(),
  });
  return { probot, tokens };
}

type OctokitOptions = { readonly throttle?: object; readonly auth?: object };

/** Waits and repetitions are the queue's, which no process has to sit out; Octokit's own would hold a job for minutes. */
function octokitWith(cache: TokenCache): typeof ProbotOctokit {
  return ProbotOctokit.defaults((options: OctokitOptions) => ({
    ...options,
    auth: { ...options.auth, cache },
    throttle: { ...options.throttle, enabled: false },
    retry: { enabled: false },
  }));
}

/** GitHub as Probot's app sees it. */
export async function connectGitHub(
  { probot, tokens }: ProbotApp,
  metrics: Pick<Metrics, 'request'>,
): Promise<GitHubApp> {
  const app = apiOf(await probot.auth(), { metrics });
  let identity: ReturnType<GitHubApp['identity']> | null = null;
  return {
    app,
    async installation(id, signal) {
      return apiOf(await probot.auth(id), { metrics, signal });
    },
    identity() {
      identity ??= identify(app).catch((error: unknown) => {
        identity = null;
        throw error;
      });
      return identity;
    },
    forget: (id) => tokens.forget(id),
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
  const within = async <T>(ask: (ending: AbortSignal) => Promise<T>, statusIn: (answer: T) => number): Promise<T> => {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const answer = await endedBy(ending, ask(ending));
      metrics.request(statusIn(answer));
      return answer;
    } catch (error) {
      metrics.request(isUnanswered(error) ? 0 : (statusOf(error) ?? 0));
      throw error;
    }
  };
  return {
    request(route, parameters = {}) {
      const own = typeof parameters['request'] === 'object' ? parameters['request'] : {};
      return within(
        (ending) => octokit.request(route, { ...parameters, request: { ...own, signal: ending } }),
        ({ status }) => status,
      );
    },
    graphql(query, variables = {}) {
      return within(
        (ending) => octokit.graphql(query, { ...variables, request: { signal: ending } }),
        () => 200,
      );
    },
  };
}

/** The request for a token, which goes before, does not hear the signal by itself. */
function endedBy<T>(ending: AbortSignal, asking: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const silent = (): void => reject(Object.assign(new Error('GitHub did not answer'), { status: 500 }));
    ending.addEventListener('abort', silent, { once: true });
    asking.then(resolve, reject).finally(() => ending.removeEventListener('abort', silent));
  });
}
