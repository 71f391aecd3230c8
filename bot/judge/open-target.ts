import { apiFiles, type CommitFiles, changesBetween, Trees } from '../../core/index.js';
import type { GroundingConfig } from '../config/grounding-config.js';
import { readBudget } from '../evidence/read-budget.js';
import { ask } from '../github/api.js';
import type { OpenRepository } from '../github/repository.js';
import type { Target } from './target.js';

/** What is known of a commit before its files are looked at. */
export interface TargetFacts {
  readonly config: GroundingConfig;
  readonly headSha: string;
  readonly headRepository: number | null;
  readonly baseSha: string;
}

/** Compares a commit with its base, tree against tree: a list of changed files ends at a number. */
export async function openTarget(repository: OpenRepository, facts: TargetFacts): Promise<Target> {
  const { headSha, baseSha } = facts;
  const trees = new Trees(repository.api, repository.repository);
  const forkSha = await mergeBaseOf(repository, { baseSha, headSha });
  const sides = { before: await trees.rootOf(forkSha), after: await trees.rootOf(headSha) };
  const admit = readBudget();
  const files = (commit: string): CommitFiles => commitFiles(repository, { commit, trees, admit });
  return {
    ...facts,
    repository,
    head: files(headSha),
    base: files(baseSha),
    fork: files(forkSha),
    changes: await changesBetween(trees, sides),
  };
}

/** The files of a commit of a repository, no more of them than one verdict may ask for. */
export function commitFiles(
  { api, repository }: OpenRepository,
  {
    commit,
    trees,
    admit = readBudget(),
  }: { readonly commit: string; readonly trees?: Trees; readonly admit?: (bytes: number) => void },
): CommitFiles {
  return apiFiles(api, { repository, commit, admit, ...(trees === undefined ? {} : { trees }) });
}

/** The second page of a comparison has no list of files, which nobody needs here. Histories that never met start at the base. */
async function mergeBaseOf(
  repository: OpenRepository,
  { baseSha, headSha }: Pick<TargetFacts, 'baseSha' | 'headSha'>,
): Promise<string> {
  const parameters = { basehead: `${baseSha}...${headSha}`, per_page: 1, page: 2 };
  const found = await ask(repository, { route: 'GET /compare/{basehead}', parameters });
  if (found.kind === 'ok') return found.data.get('merge_base_commit')?.get('sha')?.string() ?? baseSha;
  if (found.status === 404) return baseSha;
  throw new Error(found.reason);
}
