import { createHash, randomUUID } from 'node:crypto';
import type { Artifact, Job, Workflow, WorkflowRun } from './records.js';
import type { Repository } from './repository.js';
import { stamp } from './world.js';

/** What a test may choose about a workflow run. */
export interface RunOptions {
  readonly workflow?: string;
  readonly event?: string;
  readonly headSha: string;
  readonly headBranch?: string | null;
  readonly from?: Repository;
  readonly actor?: string;
  readonly status?: string;
  readonly conclusion?: string | null;
  readonly jobs?: readonly string[];
}

const DAY = 86_400_000;
const RETENTION_DAYS = 90;

/** Workflows, their runs and what the runs stored. */
export class Runs {
  readonly workflows: Workflow[] = [];
  readonly runs: WorkflowRun[] = [];
  readonly artifacts: Artifact[] = [];
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  workflow(path: string, name: string = path): Workflow {
    const known = this.workflows.find((one) => one.path === path);
    if (known !== undefined) return known;
    const workflow = { id: this.#repository.world.id(), name, path };
    this.workflows.push(workflow);
    return workflow;
  }

  start(options: RunOptions): WorkflowRun {
    const { world } = this.#repository;
    const from = options.from ?? this.#repository;
    const workflow = this.workflow(options.workflow ?? '.github/workflows/grounding.yml');
    const run: WorkflowRun = {
      id: world.id(),
      workflow: workflow.id,
      runNumber: this.runs.filter((one) => one.workflow === workflow.id).length + 1,
      event: options.event ?? 'pull_request',
      headSha: options.headSha,
      headBranch: options.headBranch ?? branchOf(from, options.headSha),
      headRepository: from.id,
      actor: world.account(options.actor ?? from.owner.login),
      title: `Run for ${options.headSha.slice(0, 7)}`,
      createdAt: world.now(),
      backend: randomUUID(),
      attempt: 1,
      status: options.status ?? 'in_progress',
      conclusion: options.conclusion ?? null,
      updatedAt: world.now(),
      jobs: [],
    };
    this.runs.push(run);
    for (const name of options.jobs ?? ['grounding']) this.#job(run, name);
    return run;
  }

  #job(run: WorkflowRun, name: string): Job {
    const job: Job = {
      id: this.#repository.world.id(),
      name,
      attempt: run.attempt,
      status: 'in_progress',
      conclusion: null,
    };
    run.jobs.push(job);
    return job;
  }

  complete(run: WorkflowRun, conclusion: string): void {
    run.status = 'completed';
    run.conclusion = conclusion;
    run.updatedAt = this.#repository.world.now();
    for (const job of run.jobs) {
      if (job.status === 'completed') continue;
      job.status = 'completed';
      job.conclusion = conclusion;
    }
  }

  /** Starts the run's jobs again as its next attempt. */
  rerun(run: WorkflowRun): void {
    const names = run.jobs.filter((job) => job.attempt === run.attempt).map((job) => job.name);
    run.attempt += 1;
    run.status = 'in_progress';
    run.conclusion = null;
    for (const name of names) this.#job(run, name);
  }

  find(id: number): WorkflowRun | undefined {
    return this.runs.find((run) => run.id === id);
  }

  /** The artifact of that name of the run's attempt; names are unique there. */
  named(run: WorkflowRun, name: string): Artifact | undefined {
    return this.artifacts.find((one) => one.run === run.id && one.attempt === run.attempt && one.name === name);
  }

  store(artifact: {
    readonly run: WorkflowRun;
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly expiresAt?: string;
  }): Artifact {
    const { run, name } = artifact;
    if (this.named(run, name) !== undefined) throw new Error(`run ${run.id} already has an artifact ${name}`);
    const { world } = this.#repository;
    const bytes = Buffer.from(artifact.bytes);
    const stored = {
      id: world.id(),
      name,
      run: run.id,
      attempt: run.attempt,
      bytes,
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      createdAt: world.now(),
      expiresAt: artifact.expiresAt ?? stamp(world.milliseconds() + RETENTION_DAYS * DAY),
      expired: false,
    };
    this.artifacts.push(stored);
    return stored;
  }
}

function branchOf(repository: Repository, sha: string): string | null {
  const found = [...repository.refs].find(([ref, at]) => at === sha && ref.startsWith('refs/heads/'));
  return found?.[0].replace('refs/heads/', '') ?? null;
}
