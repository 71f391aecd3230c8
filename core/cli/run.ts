import { type FoundFixture, findFixtures } from '../fixtures/index.js';
import { diskFixtureFiles } from '../io/fixture-files.js';
import { diskRecordingFiles, prepareRecordings } from '../io/recording-files.js';
import { Recorder, type RecordingFiles } from '../recordings/index.js';
import { buildReport } from '../report/build-report.js';
import type { Conclusion } from '../report/conclusion.js';
import { renderReportJson } from '../report/report-json.js';
import { reportOfRun } from '../report/report-of-run.js';
import type { RunReport } from '../report/run-report.js';
import { renderRunText } from '../report/run-text.js';
import { recordRun } from '../runner/record-run.js';
import { openReplay } from '../runner/replay-runs.js';
import { countRuns, type FixtureRun, runFixtures } from '../runner/run-fixtures.js';
import type { Call } from './command.js';
import { deliver, refuseUnwritableOutput } from './deliver.js';
import { openHarness } from './open-harness.js';
import { usage } from './options.js';
import { startProgress } from './progress.js';
import { formatOf, sharedText } from './report-format.js';
import { surfaceOf } from './surface.js';
import { type OpenedSession, withSession } from './with-session.js';

/** `grounding run [FIXTURE…]`: works the fixtures through the conductor, or their recordings, and reports every run. */
export async function execute(call: Call): Promise<Conclusion> {
  refuseUnwritableOutput(call);
  if (call.options.given('watch')) return (await import('./watch-runs.js')).watchRuns(call);
  const report = await runOnce(call, {});
  if (report === null) throw new Error('no fixture was run, and none was unwanted');
  await deliver(call, await textOf(call, report));
  return report.conclusion;
}

/** One time through the fixtures. */
export interface Round {
  /** Which of the fixtures that are found are run; all of them when it is left out. */
  readonly isWanted?: (found: FoundFixture) => boolean;
  /** Looks at the session before anything is run. */
  readonly look?: (opened: OpenedSession) => void;
}

/** Runs fixtures once; null when none of those that are there is wanted. */
export async function runOnce(call: Call, { isWanted, look }: Round): Promise<RunReport | null> {
  const jobs = call.options.count('jobs') ?? call.world.cores;
  const source = sourceOf(call);
  const found = findFixtures(diskFixtureFiles(call.world.cwd), {
    targets: call.args,
    only: call.options.text('only'),
  });
  const fixtures = isWanted === undefined ? found : found.filter(isWanted);
  if (fixtures.length === 0) return null;
  const work = async (opened: OpenedSession): Promise<RunReport> => {
    look?.(opened);
    return workThrough(call, { opened, fixtures, jobs, source });
  };
  return withSession(call, work, {
    ...(source.kind === 'record' ? { recorder: source.recorder } : {}),
    ...(source.kind === 'replay' ? { replays: true } : {}),
  });
}

/** Where runs come from: the agents, the agents with everything written down, or what was written down. */
type RunSource =
  | { readonly kind: 'agents' }
  | { readonly kind: 'record'; readonly recorder: Recorder; readonly path: string }
  | { readonly kind: 'replay'; readonly recordings: RecordingFiles };

/** Throws GateError `usage`, or what the folder of recordings is refused for. */
function sourceOf({ options, world }: Call): RunSource {
  const [record, replay] = [options.text('record'), options.text('replay')];
  if (record !== undefined && replay !== undefined)
    throw usage('--record is given with --replay', 'record first, then replay');
  if (record !== undefined) {
    prepareRecordings({ path: record, folder: world.cwd });
    return { kind: 'record', recorder: new Recorder(), path: record };
  }
  if (replay === undefined) return { kind: 'agents' };
  return { kind: 'replay', recordings: diskRecordingFiles({ path: replay, folder: world.cwd }) };
}

/** A report in the format of the call. */
export async function textOf(call: Call, report: RunReport): Promise<string> {
  const format = formatOf(call);
  if (format === 'text') return renderRunText(report, surfaceOf(call));
  return format === 'json' ? renderReportJson(reportOfRun(report)) : sharedText(reportOfRun(report), format);
}

interface Work {
  readonly opened: OpenedSession;
  readonly fixtures: readonly FoundFixture[];
  readonly jobs: number;
  readonly source: RunSource;
}

async function workThrough(call: Call, { opened, fixtures, jobs, source }: Work): Promise<RunReport> {
  const { session, settings, principal } = opened;
  const replay =
    source.kind === 'replay'
      ? openReplay(session, {
          recordingsOf: ({ file }) => ({ files: source.recordings, fixture: file }),
          principal,
        })
      : null;
  const harness = replay === null ? await openHarness(call, session) : null;
  const progress = await startProgress(call.world.err, { total: countRuns(fixtures) });
  try {
    const rows = await runFixtures({
      fixtures,
      registry: session.registry,
      invoke: (request, asked) => session.conductor.invoke({ request, principal, ...asked }),
      invokeOffline: async (request, asked) => (await session.offline()).invoke({ request, principal, ...asked }),
      ...(replay === null ? {} : { replay: (asked) => replay.run(asked) }),
      ...keeping(call, source),
      world: session.world,
      unresolved: settings.unresolved,
      jobs,
      failFast: call.options.given('fail-fast'),
      onRow: () => progress.step(),
    });
    return buildReport({
      rows,
      policyBundleRef: session.profile.policyBundleRef,
      runsFolder: settings.runs,
      unresolvedPolicy: settings.unresolved,
      notices: [...session.notices, ...session.warnings, ...(replay?.notices() ?? [])],
    });
  } finally {
    progress.stop();
    await harness?.close();
  }
}

function keeping({ world }: Call, source: RunSource): Pick<FixtureRun, 'keep'> {
  if (source.kind !== 'record') return {};
  const { recorder, path } = source;
  return { keep: (made) => recordRun({ recorder, target: { path, folder: world.cwd } }, made) };
}
