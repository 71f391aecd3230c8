import type { CheckRun, CheckSuite } from './records.js';
import type { Repository } from './repository.js';

// GitHub keeps this many check runs of one name in a suite and drops older ones.
const MOST_OF_A_NAME = 1000;

/** What a check run cannot do without, and anything else of it. */
export type CheckOptions = Pick<CheckRun, 'app' | 'headSha' | 'name'> &
  Partial<Omit<CheckRun, 'id' | 'suite' | 'annotations'>>;

/** Check suites and check runs of one repository. */
export class Checks {
  readonly runs: CheckRun[] = [];
  readonly suites: CheckSuite[] = [];
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** The suite of an app for a commit, made if it is new. */
  suite({ app, headSha }: { readonly app: number; readonly headSha: string }): CheckSuite {
    const known = this.suites.find((one) => one.app === app && one.headSha === headSha);
    if (known !== undefined) return known;
    const { world, refs } = this.#repository;
    const branch = [...refs].find(([ref, sha]) => sha === headSha && ref.startsWith('refs/heads/'))?.[0];
    const headBranch = branch?.replace('refs/heads/', '') ?? null;
    const suite = { id: world.id(), app, headSha, headBranch, createdAt: world.now() };
    this.suites.push(suite);
    return suite;
  }

  /** Adds a check run; what is not named is as GitHub has it for a new one. */
  create(run: CheckOptions): CheckRun {
    const suite = this.suite(run);
    const { world } = this.#repository;
    const created: CheckRun = {
      status: 'queued',
      conclusion: null,
      startedAt: world.now(),
      completedAt: run.status === 'completed' ? world.now() : null,
      externalId: '',
      detailsUrl: `${world.addresses.site}/apps/${world.apps.get(run.app)?.slug}`,
      output: { title: null, summary: null, text: null },
      actions: [],
      ...run,
      id: world.id(),
      suite: suite.id,
      annotations: [],
    };
    this.runs.push(created);
    const same = this.runs.filter((one) => one.suite === suite.id && one.name === run.name);
    for (const old of same.slice(0, -MOST_OF_A_NAME)) this.runs.splice(this.runs.indexOf(old), 1);
    return created;
  }

  find(id: number): CheckRun | undefined {
    return this.runs.find((run) => run.id === id);
  }

  /** Check runs of a commit, newest first; a test's usual question. */
  of(headSha: string, name?: string): CheckRun[] {
    return this.runs.filter((run) => run.headSha === headSha && (name ?? run.name) === run.name).reverse();
  }
}
