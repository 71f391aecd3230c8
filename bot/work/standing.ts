import { sha256Hex } from '../../core/index.js';
import { CONFIG_FILE } from '../config/grounding-config.js';
import { type ReadConfig, readConfig } from '../config/read-config.js';
import { newestRun } from '../evidence/workflow-runs.js';
import { type PullRequest, pullsOfHead } from '../github/pulls.js';
import { type OpenRepository, tipOf } from '../github/repository.js';
import type { JobContext, RepositoryRef } from '../jobs.js';
import { commitFiles } from '../judge/open-target.js';
import { UNKNOWN_BASIS } from '../tell/check.js';
import type { JudgeWorld } from '../world.js';
import { reasonToTell } from './failed.js';

/** A configuration that is there, in order or not. */
export type KnownConfig = Exclude<ReadConfig, { kind: 'none' }>;

/** What is known when something is judged. */
export interface Standing {
  readonly installation: number;
  readonly repository: OpenRepository;
  readonly config: KnownConfig;
  readonly context: JobContext;
  readonly world: JudgeWorld;
}

/** A pull request's standing. */
export interface PullStanding extends Standing {
  readonly pull: PullRequest;
  /** All open pull requests of the same head, this one among them. */
  readonly siblings: readonly PullRequest[];
}

/** The configuration of the default branch, whatever the pull request's base; one that GitHub does not let us read is broken. */
export async function configOf(
  repository: OpenRepository,
  context: Pick<JobContext, 'signal' | 'log'>,
): Promise<ReadConfig> {
  try {
    const tip = await tipOf(repository, repository.defaultBranch);
    return tip === null ? { kind: 'none' } : await readConfig(commitFiles(repository, { commit: tip }));
  } catch (error) {
    const reason = `${CONFIG_FILE} cannot be read: ${reasonToTell(error, context)}`;
    return { kind: 'broken', reason, sha: '' };
  }
}

/** All open pull requests of the head of one; it may have been closed meanwhile. */
export async function siblingsOf(repository: OpenRepository, pull: PullRequest): Promise<readonly PullRequest[]> {
  const found = await pullsOfHead(repository, pull.headSha);
  return found.some(({ number }) => number === pull.number) ? found : [...found, pull];
}

/** The repository as a job names it. */
export function refOf({ id, repository }: OpenRepository): RepositoryRef {
  return { id, owner: repository.owner, name: repository.repo };
}

/** Everything that a commit's verdict depends on besides the commit, in one short name: where it is the same, so is the verdict. */
export async function basisOf({ repository, config, pull, siblings, context }: PullStanding): Promise<string> {
  return digestOf(context, async () => {
    const bases: (readonly [number, string | null])[] = [];
    for (const { number, baseRef } of siblings) bases.push([number, await tipOf(repository, baseRef)]);
    return [bases.sort(([a], [b]) => a - b), config.sha, await runOf({ repository, config }, pull)];
  });
}

/** A short name for what a verdict depends on; `UNKNOWN_BASIS` where GitHub does not let us see all of it. */
export async function digestOf(
  context: Pick<JobContext, 'signal' | 'log'>,
  gather: () => Promise<unknown>,
): Promise<string> {
  try {
    return sha256Hex(JSON.stringify(await gather())).slice(0, 16);
  } catch (error) {
    reasonToTell(error, context);
    return UNKNOWN_BASIS;
  }
}

/** The workflow's newest run on a head, as it stands; null where none is asked for or there. */
export async function runOf(
  { repository, config }: Pick<Standing, 'repository' | 'config'>,
  { headSha, headRepository }: Pick<PullRequest, 'headSha' | 'headRepository'>,
): Promise<readonly unknown[] | null> {
  const workflow = config.kind === 'read' ? config.config.workflow : null;
  if (workflow === null) return null;
  const run = await newestRun(repository, { workflow, headSha, headRepository });
  return run === null ? null : [run.id, run.status, run.updatedAt];
}
