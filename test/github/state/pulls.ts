import { mergeBase } from '../git/history.js';
import type { Pull } from './records.js';
import type { Repository } from './repository.js';

/** What a test may choose about a pull request; `from` is the fork it comes from. */
export interface PullOptions {
  readonly head: string;
  readonly from?: Repository;
  readonly base?: string;
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly draft?: boolean;
}

/** The pull requests of one repository. */
export class Pulls {
  readonly all: Pull[] = [];
  readonly #repository: Repository;
  readonly #merges = new Map<string, string>();

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  open(options: PullOptions): Pull {
    const repository = this.#repository;
    const from = options.from ?? repository;
    const baseRef = options.base ?? repository.defaultBranch;
    const issue = repository.discussion.open({
      title: options.title ?? `Change ${options.head}`,
      body: options.body ?? null,
      user: repository.world.account(options.author ?? from.owner.login),
      isPull: true,
    });
    const pull = {
      number: issue.number,
      id: repository.world.id(),
      issue,
      headRepository: from.id,
      headRef: options.head,
      baseRef,
      headSha: from.head(options.head),
      baseSha: repository.head(baseRef),
      draft: options.draft ?? false,
      mergedAt: undefined,
      mergeCommit: undefined,
    };
    this.all.push(pull);
    return pull;
  }

  find(number: number): Pull | undefined {
    return this.all.find((pull) => pull.number === number);
  }

  /** Moves the heads and bases of open pull requests after a branch was pushed. */
  follow(pushed: Repository, ref: string): void {
    const sha = pushed.refs.get(ref);
    for (const pull of this.all) {
      if (sha === undefined || pull.issue.state === 'closed') continue;
      if (pushed.id === pull.headRepository && ref === `refs/heads/${pull.headRef}`) pull.headSha = sha;
      if (pushed === this.#repository && ref === `refs/heads/${pull.baseRef}`) pull.baseSha = sha;
    }
  }

  /** Leads the open pull requests of a branch to its new name. */
  renameBase(from: string, to: string): void {
    for (const pull of this.all) if (pull.baseRef === from && pull.issue.state === 'open') pull.baseRef = to;
  }

  close(pull: Pull): void {
    const now = this.#repository.world.now();
    pull.issue.state = 'closed';
    pull.issue.closedAt = now;
    pull.issue.updatedAt = now;
  }

  reopen(pull: Pull): void {
    pull.issue.state = 'open';
    pull.issue.closedAt = null;
  }

  merge(pull: Pull): string {
    const sha = this.testMerge(pull);
    pull.mergedAt = this.#repository.world.now();
    pull.mergeCommit = sha;
    this.close(pull);
    this.#repository.setRef(`refs/heads/${pull.baseRef}`, sha);
    return sha;
  }

  /** The commit that GitHub makes to see whether a pull request merges; workflows of pull requests run on it. */
  testMerge(pull: Pull): string {
    if (pull.mergeCommit !== undefined) return pull.mergeCommit;
    const message = `Merge ${pull.headSha} into ${pull.baseSha}`;
    const known = this.#merges.get(message);
    if (known !== undefined) return known;
    const sha = this.#repository.merge({ base: pull.baseSha, head: pull.headSha, message });
    this.#merges.set(message, sha);
    return sha;
  }

  ref(number: number, merge: boolean): string | undefined {
    const pull = this.find(number);
    if (pull === undefined) return undefined;
    return merge ? this.testMerge(pull) : pull.headSha;
  }

  /** Where the pull request left its base: what its list of files is compared with. */
  mergeBase(pull: Pull): string {
    return mergeBase(this.#repository.store, pull.baseSha, pull.headSha) ?? pull.baseSha;
  }

  /** Open pull requests of a branch of this repository itself; GitHub names none for forks. */
  ofBranch({ repository, sha }: { readonly repository: number; readonly sha: string }): Pull[] {
    if (repository !== this.#repository.id) return [];
    return this.all.filter(
      (pull) => pull.issue.state === 'open' && pull.headRepository === repository && pull.headSha === sha,
    );
  }
}
