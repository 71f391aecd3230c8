import { afterEach } from 'vitest';
import { type GitHubOptions, type GitHubServer, startGitHub } from './server.js';
import type { Installation } from './state/app.js';
import type { Permissions } from './state/records.js';
import type { Repository } from './state/repository.js';

const open: GitHubServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A repository with an app installed on it. */
export interface Scene {
  readonly server: GitHubServer;
  readonly repository: Repository;
  readonly installation: Installation;
  readonly token: string;
}

/** Starts a server with one repository and an app that may do what the test says; it is closed after the test. */
export async function scene(
  permissions: Permissions,
  options: GitHubOptions & { readonly private?: boolean } = {},
): Promise<Scene> {
  const server = await startGitHub(options);
  open.push(server);
  const repository = server.repository('octo/agents', { private: options.private ?? false });
  repository.commit({ files: { 'README.md': 'hello\n' } });
  const app = server.app({ slug: 'grounding', permissions });
  const installation = app.install({ account: 'octo' });
  return { server, repository, installation, token: server.token({ kind: 'installation', installation }) };
}

/** What a call was answered, its body read as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of sixty shapes, each checked by the server already
  readonly body: any;
}

/** Calls the API as `METHOD /path` with a token and a body. */
export async function call(
  server: GitHubServer,
  request: {
    readonly route: string;
    readonly token?: string;
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
  },
): Promise<Reply> {
  const [method = 'GET', path = '/'] = request.route.split(' ');
  const base = path === '/graphql' ? server.graphqlUrl : `${server.url}${path}`;
  const authorization: Record<string, string> =
    request.token === undefined ? {} : { authorization: `Bearer ${request.token}` };
  const response = await fetch(base, {
    method,
    redirect: 'manual',
    headers: { ...authorization, ...request.headers },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const isJson = text !== '' && type.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
