import { type Finding, makeFinding } from '../report/index.js';
import type { PresentedRun } from '../reverify/present-run.js';

/** What tells a run of today from one that was made before. */
export interface Freshness {
  /** Ids that stand in the archive of the base already. */
  readonly known: ReadonlySet<string>;
  /** When the workflow's run that stored them began and ended, in milliseconds since 1970; null without a workflow. */
  readonly between: { readonly from: number; readonly to: number } | null;
  /** Ids that fixtures name: such a run has the same id each time. */
  readonly named: ReadonlySet<string>;
  /** As findings name the folder of the runs. */
  readonly folder: string;
}

/** A runner's clock may be off by so much. */
const CLOCK_SKEW_MS = 10 * 60 * 1000;

/** Runs that were made for something else: their id was seen before, or was not made while the workflow ran. */
export function replayFindings(runs: readonly PresentedRun[], fresh: Freshness): readonly Finding[] {
  return runs.flatMap(({ run, madeAt }) => {
    const message = faultOf({ run, madeAt }, fresh);
    if (message === null) return [];
    const place = { file: `${fresh.folder}/${run}/envelope.json`, line: null, column: null };
    return [makeFinding({ rule: 'replayed', level: 'error', message, run, place })];
  });
}

function faultOf({ run, madeAt }: Pick<PresentedRun, 'run' | 'madeAt'>, fresh: Freshness): string | null {
  const { known, between, named } = fresh;
  if (known.has(run)) return 'a run of this id is stored on the base already';
  if (between === null || named.has(run)) return null;
  if (madeAt === null) return 'the name of the run is no id that tells when it was made';
  const within = madeAt >= between.from - CLOCK_SKEW_MS && madeAt <= between.to + CLOCK_SKEW_MS;
  return within ? null : 'the id of the run was not made while the workflow ran';
}
