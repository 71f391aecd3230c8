import {
  type AskedRun,
  buildReport,
  type Conductor,
  checkSources,
  type Fixture,
  type FoundFixture,
  type InvokeCall,
  type InvokedRun,
  openDelegation,
  openReplay,
  openSession,
  type Principal,
  type Profile,
  type ReplayOptions,
  type RunReport,
  type RunRow,
  runFixtures,
  type Session,
  type SourceCopies,
  type SourcesLocation,
  type SourcesReport,
  type UnresolvedPolicy,
} from '../core/index.js';
import { secondOpinion } from './second-opinion.js';

/** What a run of fixtures is made from; paths are relative to the process's folder. */
export interface RunPlan {
  readonly fixtures: readonly FoundFixture[];
  /** The profile and the sources that bind. */
  readonly profile: string;
  readonly sources: SourcesLocation;
  /** The pull request's own where they are others; null where they are the same. */
  readonly headProfile: Profile | null;
  readonly headCopies: SourceCopies | null;
  readonly agents: string;
  readonly runs: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly principal: Principal;
  readonly unresolved: UnresolvedPolicy;
  readonly jobs: number;
  /** Where the recordings of a fixture are; null runs the agents. */
  readonly recordingsOf: ReplayOptions['recordingsOf'] | null;
  /** Is handed the way to end the agents at once. */
  readonly onOpen: (interrupt: () => Promise<void>) => void;
}

/** What the fixtures did, with the pull request's own source check of each run, by invocation id. */
export interface RunResult {
  readonly report: RunReport;
  readonly headSources: ReadonlyMap<string, SourcesReport>;
}

/** Runs every fixture once under the configuration that binds, then adds what the pull request's own has to say. */
export async function runMode(plan: RunPlan): Promise<RunResult> {
  const session = await openSession({
    ...plan,
    writeCrate: plan.environment['DD_WRITE_CRATE'] !== '0',
    ...(plan.recordingsOf === null ? {} : { replays: true }),
  });
  plan.onOpen(() => session.interrupt());
  try {
    const harness = plan.recordingsOf === null ? await openDelegation(session) : null;
    try {
      return await workThrough(plan, session);
    } finally {
      await harness?.close();
    }
  } finally {
    await session.close();
  }
}

async function workThrough(plan: RunPlan, session: Session): Promise<RunResult> {
  const { fixtures, principal, unresolved, jobs, headCopies } = plan;
  const headSources = new Map<string, SourcesReport>();
  const seen = (run: InvokedRun): InvokedRun => {
    // Looked at now, so that no envelope is kept.
    if (headCopies !== null) headSources.set(run.invocationId, checkSources(run.envelope, headCopies));
    return run;
  };
  const invoke = async (conductor: Conductor, asked: Omit<InvokeCall, 'principal'>) =>
    seen(await conductor.invoke({ ...asked, principal }));
  const { recordingsOf } = plan;
  const replay = recordingsOf === null ? null : openReplay(session, { recordingsOf, principal });
  const rows = await runFixtures({
    fixtures,
    registry: session.registry,
    invoke: (request, asked) => invoke(session.conductor, { request, ...asked }),
    invokeOffline: async (request, asked) => invoke(await session.offline(), { request, ...asked }),
    ...(replay === null ? {} : { replay: async (asked: AskedRun) => seen(await replay.run(asked)) }),
    world: session.world,
    unresolved,
    jobs,
    failFast: false,
  });
  const report = buildReport({
    rows: withOpinions(rows, { plan, session, headSources }),
    policyBundleRef: session.profile.policyBundleRef,
    runsFolder: plan.runs,
    unresolvedPolicy: unresolved,
    notices: [...session.notices, ...session.warnings, ...(replay?.notices() ?? [])],
  });
  return { report, headSources };
}

interface Opinions {
  readonly plan: RunPlan;
  readonly session: Session;
  readonly headSources: ReadonlyMap<string, SourcesReport>;
}

function withOpinions(rows: readonly RunRow[], { plan, session, headSources }: Opinions): readonly RunRow[] {
  const fixtures = new Map(
    plan.fixtures.flatMap((found): [string, Fixture][] =>
      found.kind === 'read' ? [[found.fixture.file, found.fixture]] : [],
    ),
  );
  return rows.map((row) => {
    const fixture = fixtures.get(row.fixture);
    if (row.result.kind === 'unjudged' || fixture === undefined) return row;
    const judged = row.result;
    const differences = secondOpinion({
      fixture,
      agent: session.registry.agents.get(fixture.agentId)?.specification,
      judged,
      profile: plan.headProfile,
      sources: headSources.get(judged.invocationId),
    });
    return { ...row, result: { ...judged, differences: [...judged.differences, ...differences] } };
  });
}
