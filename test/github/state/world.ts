import { App, type AppOptions } from './app.js';
import { Blobs } from './blobs.js';
import type { Account, Delivery } from './records.js';
import { Repository, type RepositoryOptions } from './repository.js';
import { Tokens } from './tokens.js';

/** The app behind every workflow's own token. */
export const ACTIONS_APP = { id: 15368, slug: 'github-actions', user: 41898282 };

/** All that the server knows; tests look into it, handlers change it. */
export class World {
  readonly repositories = new Map<number, Repository>();
  readonly accounts = new Map<string, Account>();
  readonly apps = new Map<number, App>();
  readonly tokens: Tokens;
  readonly deliveries: Delivery[] = [];
  readonly blobs = new Blobs();
  /** GitHub cuts a recursive tree after this many entries; a test may lower it. */
  mostTreeEntries = 100_000;
  /** Where the API and the site are; set once the server listens. */
  addresses = { api: '', site: '' };
  #nextId = 1_000;
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.tokens = new Tokens(this);
    this.accounts.set('github-actions[bot]', { id: ACTIONS_APP.user, login: 'github-actions[bot]', type: 'Bot' });
    const slug = ACTIONS_APP.slug;
    const app = new App(this, { id: ACTIONS_APP.id, slug, name: 'GitHub Actions', owner: 'github', permissions: {} });
    this.apps.set(app.id, app);
  }

  id(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /** Milliseconds since 1970, from the clock that the test chose. */
  milliseconds(): number {
    return this.#clock();
  }

  /** The time as GitHub writes it: whole seconds. */
  now(): string {
    return stamp(this.#clock());
  }

  /** The account of that login, made if it is new; apps' users and Dependabot end in `[bot]`. */
  account(login: string, type: Account['type'] = login.endsWith('[bot]') ? 'Bot' : 'User'): Account {
    const known = this.accounts.get(login.toLowerCase());
    if (known !== undefined) return known;
    const account = { id: this.id(), login, type };
    this.accounts.set(login.toLowerCase(), account);
    return account;
  }

  repository(fullName: string, options: RepositoryOptions = {}): Repository {
    const known = this.find(fullName);
    if (known !== undefined) return known;
    const repository = new Repository(this, fullName, options);
    this.repositories.set(repository.id, repository);
    return repository;
  }

  /** The repository of that name, an old name included; GitHub takes no notice of case. */
  find(fullName: string): Repository | undefined {
    const wanted = fullName.toLowerCase();
    const all = [...this.repositories.values()];
    return (
      all.find((one) => one.fullName.toLowerCase() === wanted) ??
      all.find((one) => one.formerNames.some((name) => name.toLowerCase() === wanted))
    );
  }

  /** Deletes a repository; pull requests that came from it stay, without a head repository. */
  remove(repository: Repository): void {
    this.repositories.delete(repository.id);
  }

  app(options: AppOptions): App {
    const app = new App(this, options);
    this.apps.set(app.id, app);
    return app;
  }
}

/** Milliseconds as GitHub writes a time. */
export const stamp = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
