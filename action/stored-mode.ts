import {
  type GateReport,
  inOrder,
  openExaminer,
  openRuns,
  reportOfArchive,
  type SourcesLocation,
  type StoredRunVerdict,
  secondOpinion,
  type UnresolvedPolicy,
} from '../core/index.js';

/** Which stored runs are judged, and by what. */
export interface StoredPlan {
  /** The folder on disk, and what findings call it: its path from the repository's root. */
  readonly runs: string;
  readonly shownAs: string;
  readonly sources: SourcesLocation;
  /** The pull request's own sources where they are others than those that bind. */
  readonly headSources: SourcesLocation | null;
  /** Null judges all. */
  readonly only: ReadonlySet<string> | null;
  readonly unresolved: UnresolvedPolicy;
  readonly jobs: number;
}

/** Judges stored runs again (contracts 9 and 10), by the sources that bind and by the pull request's own. */
export async function storedMode(plan: StoredPlan): Promise<GateReport> {
  const bound = await judgeStored(plan, plan.sources);
  if (plan.headSources === null) return bound;
  const own = await judgeStored(plan, plan.headSources);
  const more = secondOpinion(bound, own);
  const failed = bound.conclusion === 'failed' || more.some(({ level }) => level === 'error');
  return {
    ...bound,
    findings: inOrder([...bound.findings, ...more]),
    conclusion: failed ? 'failed' : bound.conclusion,
  };
}

async function judgeStored(plan: StoredPlan, sources: SourcesLocation): Promise<GateReport> {
  const { runs, only, unresolved, jobs } = plan;
  const selection = { shard: null, sinceMs: null, only: only === null ? null : (name: string) => only.has(name) };
  const opened = await openRuns({ runs, sources, unresolved, selection, seal: null });
  const examiner = openExaminer({ folder: runs, sources, engine: null, sealed: false }, { jobs, runs: opened.total });
  try {
    const verdicts: StoredRunVerdict[] = [];
    for await (const rows of opened.rows({ examiner })) for (const { verdict } of rows) verdicts.push(verdict);
    const bad = opened.index?.bad ?? { count: 0, first: [] };
    const notices = [
      ...examiner.notices,
      ...bad.first.map(
        ({ line, reason }) => `invocations.jsonl:${line} was ignored, since it cannot be read: ${reason}`,
      ),
    ];
    return reportOfArchive(verdicts, { runsFolder: plan.shownAs, unresolved, notices });
  } finally {
    await examiner.close();
  }
}
