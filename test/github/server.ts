import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ArtifactService } from './http/artifacts.js';
import { authenticate } from './http/auth.js';
import { serveBlob } from './http/blobs.js';
import type { Answer } from './http/call.js';
import { findOperation } from './http/description.js';
import { ApiError } from './http/errors.js';
import { breakOff, breaks, type Fault, Faults, type Matcher, wait } from './http/faults.js';
import { serveGraphql } from './http/graphql.js';
import { type LimitOptions, Limits } from './http/limits.js';
import { serveRest } from './http/rest.js';
import { bodyOf, headersOf, listen, reply, shut } from './http/wire.js';
import type { App, AppOptions } from './state/app.js';
import type { WorkflowRun } from './state/records.js';
import type { Repository, RepositoryOptions } from './state/repository.js';
import type { Principal, TokenOptions } from './state/tokens.js';
import { World } from './state/world.js';

/** What a test may choose about the server. */
export interface GitHubOptions {
  /** Serves under `/api/v3` and without the artifact service, as GitHub Enterprise Server does. */
  readonly enterprise?: boolean;
  readonly limits?: LimitOptions;
  /** Milliseconds that every answer takes; with some, requests are truly under way at once and may be too many. */
  readonly latency?: number;
  /** Milliseconds since 1970; the system's clock unless named. */
  readonly clock?: () => number;
}

/** One request that was served, in order. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query, without the base path. */
  readonly path: string;
  readonly operation: string | undefined;
  readonly status: number;
  /** Who asked: a login, or `anonymous`. */
  readonly actor: string;
  readonly body: unknown;
  readonly at: number;
}

type Result = {
  readonly answer: Answer;
  readonly principal: Principal;
  readonly body: unknown;
  /** Ends the request for the limits. */
  readonly leave: () => void;
};

const ANONYMOUS: Principal = { kind: 'anonymous' };

const unsigned = (answer: Answer, body?: unknown): Result => ({ answer, principal: ANONYMOUS, body, leave: () => {} });

const NOTHING = unsigned({ status: 0 });

const refused = (error: ApiError) => unsigned({ status: error.status, body: error.body, headers: error.headers });

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A GitHub on the loopback that keeps state and judges every request and answer; see `startGitHub`. */
export class GitHubServer {
  /** All that the server knows. */
  readonly state: World;
  readonly requests: LoggedRequest[] = [];
  /** Calls outside the subset, or inside it for something this server cannot do. */
  readonly unexpected: string[] = [];
  /** Requests and answers that break GitHub's description. */
  readonly violations: string[] = [];
  url = '';
  graphqlUrl = '';
  /** Where the server truly listens; the artifact service is here too. */
  origin = '';
  /** What links for people begin with. It is the real site's name unless enterprise, so that texts can be golden files. */
  site = 'https://github.com';
  readonly #options: GitHubOptions;
  readonly #limits: Limits;
  readonly #faults = new Faults();
  readonly #artifacts: ArtifactService;
  #servers: readonly Server[] = [];

  constructor(options: GitHubOptions) {
    this.#options = options;
    this.state = new World(options.clock ?? Date.now);
    this.#limits = new Limits(this.state, options.limits ?? {});
    this.#artifacts = new ArtifactService(this.state);
  }

  /** Opens the ports: one for the API, another origin for stored files, as GitHub keeps them apart. */
  async start(): Promise<this> {
    const api = await listen((request, response) => void this.#serve(request, response));
    const complain = (reason: string) => this.violations.push(reason);
    const store = { world: this.state, faults: this.#faults, complain };
    const blobs = await listen((request, response) => void serveBlob(store, { request, response }));
    this.#servers = [api.server, blobs.server];
    const isEnterprise = this.#options.enterprise === true;
    this.origin = api.origin;
    this.url = isEnterprise ? `${api.origin}/api/v3` : api.origin;
    this.graphqlUrl = `${api.origin}${isEnterprise ? '/api' : ''}/graphql`;
    if (isEnterprise) this.site = api.origin;
    this.state.addresses = { api: this.url, site: this.site };
    this.state.blobs.address = blobs.origin;
    return this;
  }

  repository(fullName: string, options?: RepositoryOptions): Repository {
    return this.state.repository(fullName, options);
  }

  app(options: AppOptions): App {
    return this.state.app(options);
  }

  token(options: TokenOptions): string {
    return this.state.tokens.issue(options).token;
  }

  /** Arms a fault; the returned function heals it. */
  fail(matcher: Matcher, fault: Fault): () => void {
    return this.#faults.arm(matcher, fault);
  }

  /** The variables that the runner sets for a job's steps so that they find this server. */
  runner(repository: Repository, run: WorkflowRun): Record<string, string> {
    return {
      GITHUB_API_URL: this.url,
      GITHUB_GRAPHQL_URL: this.graphqlUrl,
      GITHUB_SERVER_URL: this.site,
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTOR: run.actor.login,
      GITHUB_EVENT_NAME: run.event,
      GITHUB_JOB: run.jobs.at(-1)?.name ?? '',
      GITHUB_WORKFLOW: repository.actions.workflows.find((one) => one.id === run.workflow)?.name ?? '',
      GITHUB_REPOSITORY: repository.fullName,
      GITHUB_REPOSITORY_OWNER: repository.owner.login,
      GITHUB_REPOSITORY_ID: String(repository.id),
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_NUMBER: String(run.runNumber),
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      ACTIONS_RESULTS_URL: `${this.origin}/`,
      ACTIONS_RUNTIME_TOKEN: this.#artifacts.runtimeToken({ repository, run }),
    };
  }

  /** Takes the violations seen so far; a test that provoked them says so by taking them. */
  takeViolations(): string[] {
    return this.violations.splice(0);
  }

  /** Takes the unexpected calls seen so far. */
  takeUnexpected(): string[] {
    return this.unexpected.splice(0);
  }

  /** Closes the ports and fails if anything unexpected or against the description was left. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map(shut));
    const left = [...this.unexpected.map((one) => `unexpected: ${one}`), ...this.violations];
    if (left.length > 0) throw new Error(`GitHub would not have taken this:\n${left.join('\n')}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return;
    const url = new URL(this.#route(request), this.origin);
    const method = request.method ?? 'GET';
    const match = findOperation(method, url.pathname);
    const struck = { method, path: url.pathname, operation: match?.operation.id };
    const fault = this.#faults.strike(struck);
    const early = fault?.afterwards === true ? await this.#answer({ request, url, body, match }) : undefined;
    await wait(fault);
    const result = early ?? (breaks(fault) ? NOTHING : await this.#answer({ request, url, body, match }));
    if (this.#options.latency !== undefined) await sleep(this.#options.latency);
    const status = breaks(fault) ? breakOff(fault, response) : this.#reply(result, { request, response });
    result.leave();
    this.requests.push({
      ...struck,
      path: url.pathname + url.search,
      status,
      actor: result.principal.kind === 'anonymous' ? 'anonymous' : result.principal.account.login,
      body: result.body,
      at: this.state.milliseconds(),
    });
  }

  #reply(result: Result, { request, response }: { request: IncomingMessage; response: ServerResponse }): number {
    const headers = {
      ...this.#limits.headers(result.principal),
      'x-github-request-id': `TEST:${this.requests.length}`,
      // Clients set their clocks by this.
      date: new Date(this.state.milliseconds()).toUTCString(),
    };
    return reply(response, { answer: result.answer, request, headers });
  }

  /** The path below the API's base; a repository's number stands for its name. */
  #route(request: IncomingMessage): string {
    const path = request.url ?? '/';
    const base = this.#options.enterprise === true ? '/api/v3' : '';
    const below = path.startsWith(`${base}/`) ? path.slice(base.length) : path;
    return below.replace(/^\/repositories\/(\d+)/, (whole, id: string) => {
      const repository = this.state.repositories.get(Number(id));
      return repository === undefined ? whole : `/repos/${repository.fullName}`;
    });
  }

  async #answer(one: {
    request: IncomingMessage;
    url: URL;
    body: Buffer;
    match: ReturnType<typeof findOperation>;
  }): Promise<Result> {
    const { request, url, body, match } = one;
    const headers = headersOf(request);
    try {
      if (url.pathname === new URL(this.graphqlUrl).pathname && request.method === 'POST')
        return await this.#graphql(headers, body);
      if (url.pathname.startsWith('/twirp/')) return this.#twirp({ url, headers, body });
      if (match === undefined) throw new Error('outside the subset');
      if (headers['user-agent'] === undefined)
        return refused(
          new ApiError(
            403,
            'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
          ),
        );
      const complain = (reason: string) => this.violations.push(reason);
      return serveRest(
        { world: this.state, limits: this.#limits, complain },
        { match, url: this.#public(url), headers, body },
      );
    } catch (error) {
      if (error instanceof ApiError) return refused(error);
      this.unexpected.push(
        `${request.method} ${url.pathname}${url.search}: ${error instanceof Error ? error.message : error}`,
      );
      return refused(new ApiError(500, 'Server Error'));
    }
  }

  /** The address that a client knows, which Link headers repeat. */
  #public(url: URL): URL {
    return new URL(`${this.url}${url.pathname}${url.search}`);
  }

  async #graphql(headers: Record<string, string | undefined>, bytes: Buffer): Promise<Result> {
    const principal = authenticate(this.state, headers['authorization']);
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    const rates = () => this.#limits.state(principal);
    const complain = (reason: string) => this.violations.push(reason);
    const leave = this.#limits.enter({ principal, write: false, content: false });
    const answer = await serveGraphql({ world: this.state, principal, body, rates, complain }).catch(
      (error: unknown) => {
        leave();
        throw error;
      },
    );
    return { answer: { status: 200, body: answer }, principal, body, leave };
  }

  #twirp({ url, headers, body }: { url: URL; headers: Record<string, string | undefined>; body: Buffer }): Result {
    if (this.#options.enterprise === true) return unsigned({ status: 404 });
    const [, method] = /^\/twirp\/github\.actions\.results\.api\.v1\.ArtifactService\/(\w+)$/.exec(url.pathname) ?? [];
    const token = headers['authorization']?.replace(/^Bearer /i, '') ?? '';
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const complain = (reason: string) => this.violations.push(reason);
    const answer = this.#artifacts.serve({ method: method ?? '', token, body: parsed, complain });
    return unsigned(answer, parsed);
  }
}

/** Starts a GitHub for tests; close it in the test's end, where it fails on anything that GitHub would not have taken. */
export async function startGitHub(options: GitHubOptions = {}): Promise<GitHubServer> {
  return new GitHubServer(options).start();
}
