import { readFileSync } from 'node:fs';
import { buildSchema, type DocumentNode, execute, GraphQLError, parse, validate } from 'graphql';
import { nodeId } from '../render/accounts.js';
import { commentOf } from '../render/issues.js';
import { page } from '../render/repositories.js';
import type { Account, Comment, Issue } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import type { Principal } from '../state/tokens.js';
import type { World } from '../state/world.js';
import { isGranted } from './auth.js';
import { ApiError } from './errors.js';

const schema = buildSchema(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'));

const LARGEST_PAGE = 100;

type Caller = Exclude<Principal, { kind: 'anonymous' | 'app' }>;

/** A GraphQL request as it came in. */
export interface Query {
  readonly world: World;
  readonly principal: Principal;
  readonly body: unknown;
  readonly rates: () => { limit: number; remaining: number; used: number; reset: number };
  readonly complain: (reason: string) => void;
}

/** Answers a GraphQL query, held against GitHub's published schema. */
export async function serveGraphql(query: Query): Promise<unknown> {
  const { principal } = query;
  if (principal.kind === 'anonymous' || principal.kind === 'app')
    throw new ApiError(401, 'This endpoint requires you to be authenticated.');
  const { query: text, variables } = query.body as { query?: string; variables?: Record<string, unknown> };
  const document = read(text ?? '');
  if (document instanceof GraphQLError) {
    query.complain(`graphql: ${document.message}`);
    return { errors: [{ message: document.message }] };
  }
  const errors = validate(schema, document);
  for (const error of errors) query.complain(`graphql: ${error.message}`);
  if (errors.length > 0) return { errors: errors.map((error) => ({ message: error.message })) };
  const rootValue = root(query, principal);
  const result = await execute({ schema, document, rootValue, variableValues: variables ?? {} });
  if (result.errors === undefined) return result;
  // GitHub names the kind of an error beside its message.
  const shown = result.errors.map(({ message, path, locations, extensions }) => ({
    ...extensions,
    message,
    path,
    locations,
  }));
  return { data: result.data, errors: shown };
}

function read(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    return error instanceof GraphQLError ? error : new GraphQLError(String(error));
  }
}

/** An account as an actor: GraphQL leaves `[bot]` out of a bot's login, and keeps it in the viewer's. */
function actorOf(world: World, account: Account) {
  const login = account.login.replace('[bot]', '');
  return {
    __typename: account.type === 'Bot' ? 'Bot' : 'User',
    id: nodeId(account.type, account.id),
    databaseId: account.id,
    login,
    url: `${world.addresses.site}/${login}`,
    resourcePath: `/${login}`,
  };
}

function root(query: Query, principal: Caller) {
  const { world, rates } = query;
  const viewer = { ...actorOf(world, principal.account), __typename: 'User', login: principal.account.login };
  const visible = (one: Repository) => !one.private || isGranted(principal, one);
  const wrap = (repository: Repository) => repositoryOf({ world, viewer: principal.account, repository });
  return {
    viewer,
    rateLimit: () => ({ ...rates(), cost: 1, resetAt: new Date(rates().reset * 1000).toISOString() }),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repository = world.find(`${owner}/${name}`);
      if (repository === undefined || !visible(repository))
        throw new GraphQLError(`Could not resolve to a Repository with the name '${owner}/${name}'.`, {
          extensions: { type: 'NOT_FOUND' },
        });
      return wrap(repository);
    },
    node: ({ id }: { id: string }) => {
      for (const repository of [...world.repositories.values()].filter(visible)) {
        const comment = repository.discussion.comments.find((one) => nodeId('IssueComment', one.id) === id);
        if (comment !== undefined) return wrapComment({ world, viewer: principal.account, repository }, comment);
      }
      throw new GraphQLError(`Could not resolve to a node with the global id of '${id}'.`, {
        extensions: { type: 'NOT_FOUND' },
      });
    },
  };
}

type Seen = { readonly world: World; readonly viewer: Account; readonly repository: Repository };

function repositoryOf(seen: Seen) {
  const { repository } = seen;
  const missing = (kind: string, number: number) =>
    new GraphQLError(`Could not resolve to ${kind} with the number of ${number}.`, {
      extensions: { type: 'NOT_FOUND' },
    });
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: repository.fullName,
    isPrivate: repository.private,
    isFork: repository.parent !== undefined,
    issue: ({ number }: { number: number }) => {
      const issue = repository.discussion.find(number);
      if (issue === undefined || issue.isPull) throw missing('an Issue', number);
      return issueOf(seen, issue);
    },
    pullRequest: ({ number }: { number: number }) => {
      const pull = repository.pulls.find(number);
      if (pull === undefined) throw missing('a PullRequest', number);
      const { headSha, baseSha, draft } = pull;
      const node = { __typename: 'PullRequest', headRefOid: headSha, baseRefOid: baseSha, isDraft: draft };
      return { ...issueOf(seen, pull.issue), ...node, id: nodeId('PullRequest', pull.id) };
    },
  };
}

type Paging = { first?: number; last?: number; after?: string; before?: string; orderBy?: { direction: string } };

function issueOf(seen: Seen, issue: Issue) {
  return {
    __typename: 'Issue',
    id: nodeId('Issue', issue.id),
    number: issue.number,
    title: issue.title,
    comments: (paging: Paging) =>
      connection(seen, { paging, all: seen.repository.discussion.commentsOf(issue.number) }),
  };
}

const cursorOf = (comment: Comment) => Buffer.from(`cursor:${comment.id}`).toString('base64');

function connection(seen: Seen, { paging, all }: { paging: Paging; all: readonly Comment[] }) {
  const { first, last, after, before, orderBy } = paging;
  const size = first ?? last;
  if (size === undefined)
    throw new GraphQLError(
      'You must provide a `first` or `last` value to properly paginate the `comments` connection.',
    );
  if (size < 1 || size > LARGEST_PAGE)
    throw new GraphQLError(
      `Requesting ${size} records on the \`comments\` connection exceeds the limit of 100 records.`,
    );
  const sorted = orderBy === undefined ? [...all] : [...all].sort((a, b) => a.updatedAt.localeCompare(b.updatedAt));
  if (orderBy?.direction === 'DESC') sorted.reverse();
  const start = after === undefined ? 0 : sorted.findIndex((one) => cursorOf(one) === after) + 1;
  const end = before === undefined ? sorted.length : sorted.findIndex((one) => cursorOf(one) === before);
  const from = first === undefined ? Math.max(start, end - size) : start;
  const until = first === undefined ? end : Math.min(end, start + size);
  const some = sorted.slice(from, until);
  const [head, tail] = [some[0], some.at(-1)];
  return {
    totalCount: all.length,
    nodes: some.map((comment) => wrapComment(seen, comment)),
    pageInfo: {
      startCursor: head === undefined ? null : cursorOf(head),
      endCursor: tail === undefined ? null : cursorOf(tail),
      hasPreviousPage: from > 0,
      hasNextPage: until < sorted.length,
    },
  };
}

function wrapComment(seen: Seen, comment: Comment) {
  return {
    __typename: 'IssueComment',
    id: nodeId('IssueComment', comment.id),
    databaseId: comment.id,
    body: comment.body,
    author: actorOf(seen.world, comment.user),
    viewerDidAuthor: comment.user.id === seen.viewer.id,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    url: String(commentOf(seen.repository, comment)['html_url'] ?? page(seen.repository)),
    isMinimized: false,
  };
}
