import { generateKeyPairSync } from 'node:crypto';
import type { Account, Permissions } from './records.js';
import type { World } from './world.js';

/** What a test may choose about an app. */
export interface AppOptions {
  readonly id?: number;
  readonly slug: string;
  readonly name?: string;
  readonly owner?: string;
  readonly permissions: Permissions;
  readonly events?: readonly string[];
}

/** A GitHub App with a real RSA key, and the accounts that installed it. */
export class App {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly owner: Account;
  readonly user: Account;
  readonly events: readonly string[];
  readonly createdAt: string;
  readonly installations: Installation[] = [];
  permissions: Permissions;
  readonly #world: World;
  #keys: { readonly publicKey: string; readonly privateKey: string } | undefined;

  constructor(world: World, options: AppOptions) {
    this.#world = world;
    this.id = options.id ?? world.id();
    this.slug = options.slug;
    this.name = options.name ?? options.slug;
    this.owner = world.account(options.owner ?? 'app-owner', 'Organization');
    this.user = world.account(`${options.slug}[bot]`, 'Bot');
    this.permissions = options.permissions;
    this.events = options.events ?? [];
    this.createdAt = world.now();
  }

  /** The key that the app signs with, PKCS#8 PEM; made when first asked for, because making one is slow. */
  get privateKey(): string {
    return this.#keyPair().privateKey;
  }

  get publicKey(): string {
    return this.#keyPair().publicKey;
  }

  #keyPair(): { readonly publicKey: string; readonly privateKey: string } {
    this.#keys ??= generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    return this.#keys;
  }

  /** Installs the app on an account for all its repositories or those named `owner/name`. */
  install(options: {
    readonly account: string;
    readonly repositories?: readonly string[];
    readonly permissions?: Permissions;
  }): Installation {
    const installation = new Installation(this.#world, { ...options, app: this });
    this.installations.push(installation);
    return installation;
  }
}

/** One account's installation of an app. */
export class Installation {
  readonly id: number;
  readonly app: App;
  readonly account: Account;
  readonly createdAt: string;
  permissions: Permissions;
  suspendedAt: string | undefined;
  removed = false;
  readonly #world: World;
  #selected: Set<number> | 'all';

  constructor(
    world: World,
    options: { app: App; account: string; repositories?: readonly string[]; permissions?: Permissions },
  ) {
    this.#world = world;
    this.id = world.id();
    this.app = options.app;
    this.account = world.account(options.account);
    this.permissions = options.permissions ?? options.app.permissions;
    this.createdAt = world.now();
    const named = options.repositories?.map((name) => world.repository(name).id);
    this.#selected = named === undefined ? 'all' : new Set(named);
  }

  get selection(): 'all' | 'selected' {
    return this.#selected === 'all' ? 'all' : 'selected';
  }

  /** The repositories that the installation may see now. */
  repositories(): readonly number[] {
    const own = [...this.#world.repositories.values()].filter((one) => one.owner.id === this.account.id);
    const selected = this.#selected;
    return own.filter((one) => selected === 'all' || selected.has(one.id)).map((one) => one.id);
  }

  select(repositories: readonly string[]): void {
    this.#selected = new Set(repositories.map((name) => this.#world.repository(name).id));
  }

  suspend(): void {
    this.suspendedAt = this.#world.now();
  }

  unsuspend(): void {
    this.suspendedAt = undefined;
  }

  /** From here on the installation and its tokens are unknown. */
  uninstall(): void {
    this.removed = true;
  }
}
