import { reportOfEvidence, Trees } from '../../core/index.js';
import { treeRuns } from '../evidence/tree-runs.js';
import { apiOf } from '../github/api.js';
import { openRepository, tipOf } from '../github/repository.js';
import type { JobContext, JudgeJob } from '../jobs.js';
import { bindCommits } from '../judge/binding.js';
import { judgeArchive } from '../judge/judge-archive.js';
import { commitFiles } from '../judge/open-target.js';
import { keepDriftIssue } from '../tell/drift-issue.js';
import type { JudgeWorld } from '../world.js';
import { configOf } from './standing.js';

type NightJob = Extract<JudgeJob, { kind: 'reverify' }>;

/** Judges all stored runs of the default branch by its own profile, sources and pins, and keeps one issue about those that fail. */
export async function reverifyNightly(
  job: NightJob,
  { context, world }: { readonly context: JobContext; readonly world: JudgeWorld },
): Promise<void> {
  const repository = await openRepository(apiOf(context), job.repository);
  if (repository === null) return;
  const read = await configOf(repository, context);
  if (read.kind !== 'read' || read.config.reverify !== 'nightly') return;
  const { config } = read;
  const commit = await tipOf(repository, repository.defaultBranch);
  if (commit === null) return;
  const trees = new Trees(repository.api, repository.repository);
  const head = commitFiles(repository, { commit, trees });
  const found = await treeRuns({ head, base: head, folder: config.runsPath, changes: null, choice: 'all' });
  if (found.archives.length === 0) return context.log.info('the repository asks for a nightly look, and stores no run');
  const binding = await bindCommits({ base: head, head, config, secret: world.secret() });
  try {
    const parts = [];
    for (const archive of found.archives) parts.push(await judgeArchive(archive, { binding, world }));
    const report = reportOfEvidence({
      parts,
      runsFolder: config.runsPath,
      unresolved: config.unresolved,
      notices: binding.notices,
      matching: null,
      findings: found.findings,
    });
    await keepDriftIssue({ repository, context }, report);
  } finally {
    binding.close();
  }
}
