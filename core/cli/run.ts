import { type FoundFixture, findFixtures } from '../fixtures/index.js';
import { diskFixtureFiles } from '../io/fixture-files.js';
import { buildReport } from '../report/build-report.js';
import type { Conclusion } from '../report/conclusion.js';
import { renderReportJson } from '../report/report-json.js';
import { reportOfRun } from '../report/report-of-run.js';
import type { RunReport } from '../report/run-report.js';
import { renderRunText } from '../report/run-text.js';
import { countRuns, runFixtures } from '../runner/run-fixtures.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { openHarness } from './open-harness.js';
import { startProgress } from './progress.js';
import { formatOf, sharedText } from './report-format.js';
import { surfaceOf } from './surface.js';
import { type OpenedSession, withSession } from './with-session.js';

/** `grounding run [FIXTURE…]`: works the fixtures through the conductor and reports every run. */
export async function execute(call: Call): Promise<Conclusion> {
  const jobs = call.options.count('jobs') ?? call.world.cores;
  const fixtures = findFixtures(diskFixtureFiles(call.world.cwd), {
    targets: call.args,
    only: call.options.text('only'),
  });
  const report = await withSession(call, (opened) => workThrough(call, { opened, fixtures, jobs }));
  await deliver(call, await textOf(call, report));
  return report.conclusion;
}

async function textOf(call: Call, report: RunReport): Promise<string> {
  const format = formatOf(call);
  if (format === 'text') return renderRunText(report, surfaceOf(call));
  return format === 'json' ? renderReportJson(reportOfRun(report)) : sharedText(reportOfRun(report), format);
}

interface Work {
  readonly opened: OpenedSession;
  readonly fixtures: readonly FoundFixture[];
  readonly jobs: number;
}

async function workThrough(call: Call, { opened, fixtures, jobs }: Work): Promise<RunReport> {
  const { session, settings, principal } = opened;
  const harness = await openHarness(call, session);
  const progress = await startProgress(call.world.err, { total: countRuns(fixtures) });
  try {
    const rows = await runFixtures({
      fixtures,
      registry: session.registry,
      invoke: (request, asked) => session.conductor.invoke({ request, principal, ...asked }),
      invokeOffline: async (request, asked) => (await session.offline()).invoke({ request, principal, ...asked }),
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
      notices: session.notices,
    });
  } finally {
    progress.stop();
    await harness?.close();
  }
}
