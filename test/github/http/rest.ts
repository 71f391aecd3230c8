import { routes } from '../handlers/index.js';
import { address as addressOf } from '../render/repositories.js';
import type { Repository } from '../state/repository.js';
import type { Principal } from '../state/tokens.js';
import type { World } from '../state/world.js';
import { authenticate, authorise } from './auth.js';
import type { Answer, Call, Route } from './call.js';
import { checkAnswer, checkBody, checkParameters, type Match } from './description.js';
import { ApiError, notFound, Unsupported, unprocessable } from './errors.js';
import type { Limits } from './limits.js';

/** A request as it came in, its operation found. */
export interface Incoming {
  readonly match: Match;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What answering needs. */
export interface Desk {
  readonly world: World;
  readonly limits: Limits;
  readonly complain: (reason: string) => void;
}

/** What came of a request, and who asked. */
export interface Served {
  readonly answer: Answer;
  readonly principal: Principal;
  readonly body: unknown;
  /** Ends the request for the limits; to be called when the answer is out. */
  readonly leave: () => void;
}

// Other renderings of the same things; answering JSON in their place would please no real client.
const OTHER_MEDIA = /vnd\.github(\.v3)?\.(diff|patch|sha|html|text|full|object)/;

const isContent = (id: string) => /^(issues|reactions|pulls)\/(create|add)/.test(id);

/** Answers one request to the REST API; every part of it and of the answer is held against GitHub's description. */
export function serveRest(desk: Desk, incoming: Incoming): Served {
  const { operation } = incoming.match;
  let leave = () => {};
  const refusal = (error: unknown): Answer => {
    if (error instanceof ApiError) return { status: error.status, body: error.body, headers: error.headers };
    leave();
    throw error;
  };
  let principal: Principal = { kind: 'anonymous' };
  let body: unknown;
  const serve = (): Answer => {
    if (OTHER_MEDIA.test(incoming.headers['accept'] ?? '')) throw new Unsupported(incoming.headers['accept']);
    principal = authenticate(desk.world, incoming.headers['authorization']);
    leave = desk.limits.enter({ principal, write: operation.method !== 'GET', content: isContent(operation.id) });
    const place = locate(desk.world, incoming);
    if (place.kind === 'moved') return place.answer;
    const route = routes.get(operation.id) as Route;
    admit(route, { principal, repository: place.repository });
    body = readBody(desk, incoming);
    return route.run(callOf(desk, { incoming, principal, repository: place.repository, body }));
  };
  let answer: Answer;
  try {
    answer = serve();
  } catch (error) {
    answer = refusal(error);
  }
  verify(desk, { incoming, answer });
  return { answer, principal, body, leave };
}

type Place =
  | { readonly kind: 'found'; readonly repository: Repository | undefined }
  | { readonly kind: 'moved'; readonly answer: Answer };

/** Finds the repository of the path; an old name is answered with where the repository is now. */
function locate(world: World, { match, url }: Incoming): Place {
  const { owner, repo } = match.params;
  if (owner === undefined || repo === undefined) return { kind: 'found', repository: undefined };
  const repository = world.find(`${owner}/${repo}`);
  if (repository === undefined) throw notFound();
  if (repository.fullName.toLowerCase() === `${owner}/${repo}`.toLowerCase()) return { kind: 'found', repository };
  const rest = url.pathname.split(`/repos/${owner}/${repo}`)[1] ?? '';
  const location = `${world.addresses.api}/repositories/${repository.id}${rest}${url.search}`;
  const isGet = match.operation.method === 'GET';
  const body = {
    message: isGet ? 'Moved Permanently' : 'Temporary Redirect',
    url: location,
    documentation_url: addressOf(repository),
  };
  return { kind: 'moved', answer: { status: isGet ? 301 : 307, headers: { location }, body } };
}

function admit(
  route: Route,
  { principal, repository }: { principal: Principal; repository: Repository | undefined },
): void {
  if (route.access.kind === 'app' && principal.kind !== 'app')
    throw new ApiError(401, 'A JSON web token could not be decoded');
  if (repository !== undefined) authorise(principal, { repository, access: route.access });
}

function readBody(desk: Desk, incoming: Incoming): unknown {
  const { operation } = incoming.match;
  let body: unknown;
  if (incoming.body.length > 0)
    try {
      body = JSON.parse(incoming.body.toString('utf8'));
    } catch {
      desk.complain(`${operation.id}: the body is not JSON`);
      throw new ApiError(400, 'Problems parsing JSON');
    }
  for (const reason of checkParameters(incoming.match, incoming.url.searchParams))
    desk.complain(`${operation.id}: ${reason}`);
  const { broken, unknown } = checkBody(operation, body);
  for (const reason of [...broken, ...unknown]) desk.complain(`${operation.id}: request ${reason}`);
  if (broken.length > 0)
    throw unprocessable(...broken.map((message) => ({ resource: operation.id, code: 'invalid' as const, message })));
  return body;
}

type Parts = { incoming: Incoming; principal: Principal; repository: Repository | undefined; body: unknown };

function callOf(desk: Desk, { incoming, principal, repository, body }: Parts): Call {
  const { match, url, headers } = incoming;
  return {
    world: desk.world,
    principal,
    params: match.params,
    query: url.searchParams,
    body: (body ?? {}) as Call['body'],
    accept: headers['accept'] ?? '',
    address: `${url.origin}${url.pathname}`,
    get repository() {
      if (repository === undefined) throw new Error(`${match.operation.id} has no repository in its path`);
      return repository;
    },
    rates: () => desk.limits.state(principal),
    complain: (reason) => desk.complain(`${match.operation.id}: ${reason}`),
  };
}

// Redirects to a new name are GitHub's everywhere and described nowhere.
const UNDESCRIBED = [301, 307];

function verify(desk: Desk, { incoming, answer }: { incoming: Incoming; answer: Answer }): void {
  if (answer.raw !== undefined || UNDESCRIBED.includes(answer.status)) return;
  const { operation } = incoming.match;
  for (const reason of checkAnswer(operation, { status: answer.status, body: answer.body }))
    desk.complain(`${operation.id}: our answer ${answer.status} ${reason}`);
}
