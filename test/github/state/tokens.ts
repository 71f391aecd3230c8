import type { Installation } from './app.js';
import type { Account, Permissions } from './records.js';
import { ACTIONS_APP, type World } from './world.js';

/** Who speaks: a workflow's own token, an app's installation, a person, or an app itself (a signed JWT). */
export type Principal =
  | {
      readonly kind: 'actions';
      readonly account: Account;
      readonly permissions: Permissions;
      readonly repository: number;
    }
  | {
      readonly kind: 'installation';
      readonly account: Account;
      readonly permissions: Permissions;
      readonly installation: Installation;
      readonly repositories: readonly number[] | 'all';
    }
  | { readonly kind: 'user'; readonly account: Account }
  | { readonly kind: 'app'; readonly account: Account; readonly app: number }
  | { readonly kind: 'anonymous' };

/** What a test asks for when it wants a token. */
export type TokenOptions =
  | { readonly kind: 'actions'; readonly repository: string; readonly permissions: Permissions }
  | {
      readonly kind: 'installation';
      readonly installation: Installation;
      readonly permissions?: Permissions;
      readonly repositories?: readonly string[];
    }
  | { readonly kind: 'user'; readonly login: string };

const HOUR = 3_600_000;

type Known = { readonly principal: Principal; readonly expires: number };

/** All tokens that were handed out. */
export class Tokens {
  readonly #world: World;
  readonly #known = new Map<string, Known>();

  constructor(world: World) {
    this.#world = world;
  }

  issue(options: TokenOptions): { readonly token: string; readonly expires: number } {
    const principal = this.#principal(options);
    // An installation's token lives for an hour; a workflow's for the job, a day at most.
    const life = principal.kind === 'installation' ? HOUR : 24 * HOUR;
    const prefix = principal.kind === 'user' ? 'ghp' : 'ghs';
    const token = `${prefix}_test${String(this.#world.id()).padStart(32, '0')}`;
    const expires = this.#world.milliseconds() + life;
    this.#known.set(token, { principal, expires });
    return { token, expires };
  }

  /** The principal of a token, or nothing when it is unknown, too old or its installation is gone. */
  find(token: string): Principal | undefined {
    const known = this.#known.get(token);
    if (known === undefined || known.expires <= this.#world.milliseconds()) return undefined;
    if (known.principal.kind === 'installation' && known.principal.installation.removed) return undefined;
    return known.principal;
  }

  revoke(token: string): void {
    this.#known.delete(token);
  }

  #principal(options: TokenOptions): Principal {
    if (options.kind === 'user') return { kind: 'user', account: this.#world.account(options.login) };
    if (options.kind === 'actions') {
      const account = this.#world.account(`${ACTIONS_APP.slug}[bot]`, 'Bot');
      const repository = this.#world.repository(options.repository).id;
      return { kind: 'actions', account, permissions: options.permissions, repository };
    }
    const { installation } = options;
    return {
      kind: 'installation',
      account: installation.app.user,
      permissions: options.permissions ?? installation.permissions,
      installation,
      repositories: options.repositories?.map((name) => this.#world.repository(name).id) ?? 'all',
    };
  }
}
