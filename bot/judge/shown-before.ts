import { type Finding, isInvocationId, makeFinding, type PresentedRun } from '../../core/index.js';
import { ARTIFACT_FOLDER } from '../evidence/artifact-runs.js';
import type { Evidence } from '../evidence/evidence.js';
import type { ExamineWorld } from '../world.js';
import type { Target } from './target.js';

/** Where runs of an artifact come from. */
export interface Showing {
  readonly stored: Evidence | null;
  readonly target: Target;
  readonly world: Pick<ExamineWorld, 'claim'>;
  /** Ids that fixtures name, so that each of their runs has the same. */
  readonly named: ReadonlySet<string>;
}

/**
 * Runs of an artifact that another run of a workflow has shown already: they were made for that one, or copied from it. The same run of a
 * workflow may show them as often as it likes, to every pull request that has its commit as head.
 */
export async function shownBefore(
  runs: readonly PresentedRun[],
  { stored, target, world, named }: Showing,
): Promise<readonly Finding[]> {
  if (stored?.kind !== 'found' || stored.workflowRun === null) return [];
  const ids = runs.map(({ run }) => run).filter((run) => isInvocationId(run) && !named.has(run));
  const others = await world.claim(ids, `${target.repository.id}/${stored.workflowRun}`);
  return [...others].map((run) =>
    doubledFinding('replayed', { run, message: 'another run of a workflow has shown a run of this id before' }),
  );
}

/** Runs that a change commits and its workflow stores as well: one invocation is one run. */
export function twiceShown(committed: readonly PresentedRun[], stored: readonly PresentedRun[]): readonly Finding[] {
  const ids = new Set(committed.map(({ run }) => run));
  return stored
    .filter(({ run }) => ids.has(run))
    .map(({ run }) => doubledFinding('tampered', { run, message: 'the change commits a run of this id as well' }));
}

function doubledFinding(
  rule: 'replayed' | 'tampered',
  { run, message }: { readonly run: string; readonly message: string },
): Finding {
  const place = { file: `${ARTIFACT_FOLDER}/${run}/envelope.json`, line: null, column: null };
  return makeFinding({ rule, level: 'error', message, run, place });
}
