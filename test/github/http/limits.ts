import type { Principal } from '../state/tokens.js';
import type { World } from '../state/world.js';
import { ApiError, secondaryLimit } from './errors.js';

/** Limits that a test may set; GitHub's published ones stand otherwise. */
export interface LimitOptions {
  /** Requests an hour for one token, app or workflow. */
  readonly perHour?: number;
  /** Points a minute: 1 for reading, 5 for writing. */
  readonly pointsPerMinute?: number;
  /** Requests a minute that make content for people to read. */
  readonly contentPerMinute?: number;
  readonly concurrent?: number;
  /** Seconds that a refused caller is told to wait. */
  readonly retryAfter?: number;
}

const PER_HOUR = { anonymous: 60, actions: 1000, user: 5000, installation: 5000, app: 5000 };
const DEFAULTS = { pointsPerMinute: 900, contentPerMinute: 80, concurrent: 100, retryAfter: 60 };
const HOUR = 3_600_000;
const MINUTE = 60_000;

type Account = { hour: number; used: number; minute: number; points: number; content: number; concurrent: number };

/** One request as the limits see it. */
export interface Metered {
  readonly principal: Principal;
  readonly write: boolean;
  readonly content: boolean;
}

/** Counts requests and refuses those over GitHub's primary and secondary limits. */
export class Limits {
  readonly #world: World;
  readonly #options: LimitOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(world: World, options: LimitOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Counts a request; the returned function ends it. */
  enter(request: Metered): () => void {
    const account = this.#account(request.principal);
    const { pointsPerMinute, contentPerMinute, concurrent, retryAfter } = { ...DEFAULTS, ...this.#options };
    if (account.used >= this.perHour(request.principal)) throw this.#exhausted(request.principal);
    account.used += 1;
    account.points += request.write ? 5 : 1;
    account.content += request.content ? 1 : 0;
    const over =
      account.points > pointsPerMinute || account.content > contentPerMinute || account.concurrent >= concurrent;
    if (over) throw secondaryLimit(retryAfter);
    account.concurrent += 1;
    return () => {
      account.concurrent -= 1;
    };
  }

  perHour(principal: Principal): number {
    return this.#options.perHour ?? PER_HOUR[principal.kind];
  }

  /** The numbers that every answer carries, and `GET /rate_limit` answers. */
  state(principal: Principal): { limit: number; remaining: number; used: number; reset: number } {
    const limit = this.perHour(principal);
    const { used, hour } = this.#account(principal);
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil((hour + HOUR) / 1000) };
  }

  headers(principal: Principal): Record<string, string> {
    const state = Object.entries(this.state(principal));
    return Object.fromEntries([
      ...state.map(([name, value]) => [`x-ratelimit-${name}`, String(value)]),
      ['x-ratelimit-resource', 'core'],
    ]);
  }

  #exhausted(principal: Principal): ApiError {
    const who = principal.kind === 'anonymous' ? 'your address' : principal.account.login;
    return new ApiError(403, `API rate limit exceeded for ${who}.`);
  }

  #account(principal: Principal): Account {
    const key = keyOf(principal);
    const now = this.#world.milliseconds();
    const account = this.#accounts.get(key) ?? {
      hour: now,
      used: 0,
      minute: now,
      points: 0,
      content: 0,
      concurrent: 0,
    };
    if (now - account.hour >= HOUR) Object.assign(account, { hour: now, used: 0 });
    if (now - account.minute >= MINUTE) Object.assign(account, { minute: now, points: 0, content: 0 });
    this.#accounts.set(key, account);
    return account;
  }
}

function keyOf(principal: Principal): string {
  if (principal.kind === 'actions') return `actions ${principal.repository}`;
  if (principal.kind === 'installation') return `installation ${principal.installation.id}`;
  return principal.kind === 'anonymous' ? 'anonymous' : `${principal.kind} ${principal.account.id}`;
}
