import type { Account } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import type { Principal } from '../state/tokens.js';
import type { World } from '../state/world.js';
import { notFound, Unsupported } from './errors.js';

/** One request, found to be allowed and well-formed. */
export interface Call {
  readonly world: World;
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accept: string;
  /** The address that was asked for, without its query. */
  readonly address: string;
  /** The repository of the path; operations without one throw. */
  readonly repository: Repository;
  /** The caller's rate limit, as GitHub reports it. */
  readonly rates: () => { limit: number; remaining: number; used: number; reset: number };
  /** Tells the test of a request that GitHub takes and its documentation forbids. */
  readonly complain: (reason: string) => void;
}

/** What a handler answers; `raw` is sent as it is. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly raw?: { readonly type: string; readonly bytes: Buffer };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whom an operation serves: an app's JWT, any token, or a token with a permission on the repository. */
export type Access =
  | { readonly kind: 'app' }
  | { readonly kind: 'any' }
  | {
      readonly kind: 'repository';
      /** Any one of these permissions is enough. */
      readonly permissions: readonly string[];
      readonly level: 'read' | 'write';
      /** Whether everybody may read it where the repository is public. */
      readonly open: boolean;
      /** Whether everybody who sees the repository may write it, as people may comment. */
      readonly social: boolean;
    };

/** An operation's access and work. */
export interface Route {
  readonly access: Access;
  readonly run: (call: Call) => Answer;
}

type Run = Route['run'];

/** An operation that reads what everybody may read where the repository is public. */
export const reads = (permissions: readonly string[], run: Run): Route => ({
  access: { kind: 'repository', permissions, level: 'read', open: true, social: false },
  run,
});

/** An operation that reads what is never public. */
export const readsClosed = (permissions: readonly string[], run: Run): Route => ({
  access: { kind: 'repository', permissions, level: 'read', open: false, social: false },
  run,
});

/** An operation that changes a repository. */
export const writes = (permissions: readonly string[], run: Run): Route => ({
  access: { kind: 'repository', permissions, level: 'write', open: false, social: false },
  run,
});

/** An operation by which anybody may speak on a public repository, apps with the permission only. */
export const speaks = (permissions: readonly string[], run: Run): Route => ({
  access: { kind: 'repository', permissions, level: 'write', open: false, social: true },
  run,
});

/** An answer with status 200. */
export const ok = (body: unknown): Answer => ({ status: 200, body });

/** Reads a number from the path; what is not one names nothing. */
export function numberOf(call: Call, name: string): number {
  const number = Number(call.params[name]);
  if (!Number.isSafeInteger(number)) throw notFound();
  return number;
}

/** Returns what was found, or answers 404. */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound();
  return value;
}

/** Who acts: the person or the app's own user. */
export function actor(call: Call): Account {
  if (call.principal.kind === 'anonymous') throw notFound();
  return call.principal.account;
}

/** The app on whose behalf the caller acts, if it does. */
export function appOf(call: Call): number | undefined {
  const { principal } = call;
  if (principal.kind === 'actions') return 15368;
  return principal.kind === 'installation' ? principal.installation.app.id : undefined;
}

/** A member of the body that is a text. */
export function textOf(call: Call, name: string): string | undefined {
  const value = call.body[name];
  return typeof value === 'string' ? value : undefined;
}

const DEFAULT_PAGE = 30;
const LARGEST_PAGE = 100;

/** One page of a list, with the Link header that leads to the others. */
export function paged<T>(call: Call, all: readonly T[], body: (page: readonly T[]) => unknown): Answer {
  const size = Math.min(positive(call.query.get('per_page'), DEFAULT_PAGE), LARGEST_PAGE);
  const page = positive(call.query.get('page'), 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (number: number, rel: string) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<${call.address}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ];
  const headers: Record<string, string> = links.length > 0 ? { link: links.join(', ') } : {};
  return { status: 200, body: body(all.slice((page - 1) * size, page * size)), headers };
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text ?? otherwise);
  return Number.isSafeInteger(number) && number > 0 ? number : otherwise;
}

/** Refuses filters that this server does not work with, because ignoring them would answer too much. */
export function refuseFilters(call: Call, names: readonly string[]): void {
  const used = names.filter((name) => call.query.has(name));
  if (used.length > 0) throw new Unsupported(`the test server does not filter by ${used.join(', ')}`);
}
