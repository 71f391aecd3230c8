import { readClone, writeClone } from '../git/exchange.js';
import { mergeBase } from '../git/history.js';
import { ObjectStore } from '../git/objects.js';
import { compare, edit, editsOf, type FileContent, type FileEntry } from '../git/trees.js';
import { Checks } from './checks.js';
import { Discussion } from './discussion.js';
import { Pulls } from './pulls.js';
import type { Account, MergeGroup, Pull, SarifUpload } from './records.js';
import { Runs } from './runs.js';
import type { World } from './world.js';

/** What a collaborator may do, by GitHub's role names. */
export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';

/** What a test may choose about a repository. */
export interface RepositoryOptions {
  readonly private?: boolean;
  readonly defaultBranch?: string;
}

/** What a commit of a test holds; `branch` is the default branch unless named. */
export interface CommitOptions {
  readonly files?: Readonly<Record<string, FileContent>>;
  readonly branch?: string;
  readonly message?: string;
  readonly author?: string;
  /** Replaces the branch's history: the given commit is the parent, and the branch is moved by force. */
  readonly onto?: string;
}

/** A repository with real git objects; forks share the objects, as GitHub's do. */
export class Repository {
  readonly id: number;
  readonly world: World;
  readonly store: ObjectStore;
  readonly private: boolean;
  defaultBranch: string;
  readonly createdAt: string;
  readonly parent: Repository | undefined;
  /** Branches and tags by their whole name, `refs/heads/main`. */
  readonly refs = new Map<string, string>();
  readonly roles = new Map<string, Role>();
  readonly formerNames: string[] = [];
  readonly discussion: Discussion;
  readonly checks: Checks;
  readonly actions: Runs;
  readonly pulls: Pulls;
  readonly mergeGroups: MergeGroup[] = [];
  readonly sarifs: SarifUpload[] = [];
  #owner: Account;
  #name: string;

  constructor(world: World, fullName: string, options: RepositoryOptions & { readonly parent?: Repository }) {
    const [owner = '', name = ''] = fullName.split('/');
    this.world = world;
    this.id = world.id();
    this.parent = options.parent;
    this.store = options.parent?.store ?? new ObjectStore();
    this.private = options.private ?? options.parent?.private ?? false;
    this.defaultBranch = options.defaultBranch ?? options.parent?.defaultBranch ?? 'main';
    this.createdAt = world.now();
    this.#owner = world.account(owner);
    this.#name = name;
    this.roles.set(owner.toLowerCase(), 'admin');
    this.discussion = new Discussion(this);
    this.checks = new Checks(this);
    this.actions = new Runs(this);
    this.pulls = new Pulls(this);
  }

  get owner(): Account {
    return this.#owner;
  }

  get name(): string {
    return this.#name;
  }

  get fullName(): string {
    return `${this.#owner.login}/${this.#name}`;
  }

  /** Gives the repository a new name; requests for the old one are answered with 301. */
  rename(fullName: string): void {
    this.formerNames.push(this.fullName);
    const [owner = '', name = ''] = fullName.split('/');
    this.#owner = this.world.account(owner);
    this.#name = name;
    this.roles.set(owner.toLowerCase(), 'admin');
  }

  /** Gives a branch a new name; its open pull requests go along, and so does the default branch. */
  renameBranch(from: string, to: string): void {
    const sha = this.refs.get(`refs/heads/${from}`);
    if (sha === undefined) throw new Error(`no branch ${from}`);
    this.refs.delete(`refs/heads/${from}`);
    this.refs.set(`refs/heads/${to}`, sha);
    if (this.defaultBranch === from) this.defaultBranch = to;
    this.pulls.renameBase(from, to);
  }

  /** Commits files on a branch, which is made from the default branch if it is new; returns the commit's name. */
  commit(options: CommitOptions): string {
    const ref = `refs/heads/${options.branch ?? this.defaultBranch}`;
    const parent = options.onto ?? this.refs.get(ref) ?? this.refs.get(`refs/heads/${this.defaultBranch}`);
    const base = parent === undefined ? undefined : this.store.commit(parent)?.tree;
    const tree = edit(this.store, { base, edits: editsOf(this.store, options.files ?? {}) });
    const sha = this.#write({ tree, parents: parent === undefined ? [] : [parent], ...options });
    this.setRef(ref, sha);
    return sha;
  }

  #write(commit: { tree: string; parents: readonly string[]; message?: string; author?: string }): string {
    const name = commit.author ?? this.#owner.login;
    const signature = {
      name,
      email: `${name}@users.noreply.invalid`,
      seconds: Math.floor(this.world.milliseconds() / 1000),
    };
    const { tree, parents } = commit;
    return this.store.putCommit({
      tree,
      parents,
      author: signature,
      committer: signature,
      // No two commits of a test may share a name by accident of the clock.
      message: `${commit.message ?? `Change ${this.world.id()}`}\n`,
    });
  }

  /** Moves or makes a branch or tag; open pull requests follow. */
  setRef(ref: string, sha: string): void {
    this.refs.set(ref, sha);
    for (const repository of this.world.repositories.values()) repository.pulls.follow(this, ref);
  }

  branch(name: string, sha: string = this.head()): void {
    this.setRef(`refs/heads/${name}`, sha);
  }

  /** The newest commit of a branch. */
  head(branch: string = this.defaultBranch): string {
    const sha = this.refs.get(`refs/heads/${branch}`);
    if (sha === undefined) throw new Error(`${this.fullName} has no branch ${branch}`);
    return sha;
  }

  /** Finds a commit by branch, tag, pull request ref, or (whole or short) name. */
  resolve(name: string): string | undefined {
    const bare = name.replace(/^refs\//, '');
    const pull = /^pull\/(\d+)\/(head|merge)$/.exec(bare);
    if (pull !== null) return this.pulls.ref(Number(pull[1]), pull[2] === 'merge');
    const named =
      this.refs.get(`refs/${bare}`) ?? this.refs.get(`refs/heads/${name}`) ?? this.refs.get(`refs/tags/${name}`);
    if (named !== undefined) return named;
    if (name === 'HEAD') return this.refs.get(`refs/heads/${this.defaultBranch}`);
    return /^[0-9a-f]{40}$/.test(name) && this.store.commit(name) !== undefined ? name : undefined;
  }

  /** Takes over all commits, branches and tags of a real clone. */
  importClone(directory: string): void {
    for (const [ref, sha] of readClone(this.store, directory)) this.setRef(ref, sha);
  }

  /** Makes a real clone with a commit checked out and `origin`'s branches known, as a runner's workspace. */
  exportClone(directory: string, checkout: string): void {
    const refs = new Map([...this.refs].map(([ref, sha]) => [ref.replace('refs/heads/', 'refs/remotes/origin/'), sha]));
    for (const pull of this.pulls.all) refs.set(`refs/remotes/pull/${pull.number}/head`, pull.headSha);
    writeClone(this.store, { directory, refs, checkout });
  }

  fork(fullName: string): Repository {
    const fork = new Repository(this.world, fullName, { parent: this });
    for (const [ref, sha] of this.refs) fork.refs.set(ref, sha);
    this.world.repositories.set(fork.id, fork);
    return fork;
  }

  collaborator(login: string, role: Role): void {
    this.world.account(login);
    this.roles.set(login.toLowerCase(), role);
  }

  /** Merges two commits file by file, the second's changes winning; a plain stand-in for git's merge. */
  merge({ base, head, message }: { base: string; head: string; message: string }): string {
    const tree = (sha: string | undefined) => (sha === undefined ? undefined : this.store.commit(sha)?.tree);
    const edits = new Map<string, FileEntry | null>();
    const parted = mergeBase(this.store, base, head);
    for (const one of compare(this.store, { before: tree(parted), after: tree(head) })) {
      if (one.previous !== undefined) edits.set(one.previous, null);
      edits.set(one.path, one.after ?? null);
    }
    return this.#write({ tree: edit(this.store, { base: tree(base), edits }), parents: [base, head], message });
  }

  /** Queues pull requests together; the group's branch exists, as GitHub makes it. */
  mergeGroup(pulls: readonly Pull[]): MergeGroup {
    const [first] = pulls;
    if (first === undefined) throw new Error('a merge group needs a pull request');
    const baseSha = this.head(first.baseRef);
    const sha = pulls.reduce(
      (base, pull) => this.merge({ base, head: pull.headSha, message: `Merge pull request #${pull.number}` }),
      baseSha,
    );
    const ref = `refs/heads/gh-readonly-queue/${first.baseRef}/pr-${pulls.at(-1)?.number}-${baseSha}`;
    this.refs.set(ref, sha);
    const group = { ref, sha, baseRef: `refs/heads/${first.baseRef}`, baseSha, pulls: pulls.map((one) => one.number) };
    this.mergeGroups.push(group);
    return group;
  }
}
