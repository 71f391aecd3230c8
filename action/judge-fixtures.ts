import { resolve } from 'node:path';
import {
  changeFindings,
  type Finding,
  type FixtureChange,
  fixtureFile,
  inOrder,
  makeFinding,
  renderRunText,
  reportOfRun,
} from '../core/index.js';
import { agentLoosenings, type Binding, bindFixtures, firstUse, openHeadCopies, type Standing } from './bind.js';
import { bindRecordings, recordingNotices } from './bind-recordings.js';
import type { Interruptible, Judged } from './judged.js';
import { principalOf } from './principal.js';
import { runMode } from './run-mode.js';
import { headSourceFindings } from './verdict.js';

/** Runs the fixtures under what binds, and adds what the pull request did to them. */
export async function judgeFixtures(
  standing: Standing,
  { binding, stop }: { readonly binding: Binding; readonly stop: Interruptible },
): Promise<Judged> {
  const { world, job } = standing;
  const { inputs, trigger, context } = job;
  const plan = await bindFixtures(binding, standing);
  const runs = resolve(job.folder, inputs.runs);
  const before = new Set(runFolders(standing, runs));
  // Opened before any agent runs: none of them can change what it is judged by.
  const headCopies = openHeadCopies(binding);
  const loosenedAgents = await agentLoosenings(binding, standing);
  try {
    const { report, headSources } = await runMode({
      ...binding,
      fixtures: plan.fixtures,
      headCopies,
      agents: inputs.agents,
      runs: inputs.runs,
      environment: world.environment,
      principal: principalOf(trigger, context),
      unresolved: inputs.unresolved,
      jobs: inputs.jobs ?? world.cores,
      recordingsOf: bindRecordings(binding, standing),
      onOpen: stop.onOpen,
    });
    const base = reportOfRun(report);
    const made = [
      ...base.findings,
      ...changeFindings(plan.changes),
      ...loosenedAgents,
      ...headSourceFindings(base, headSources),
    ];
    const notices = [
      ...firstUse(binding, plan),
      ...binding.notices,
      ...recordingNotices(binding, standing),
      ...changeNotices(plan.changes),
      ...base.notices,
    ];
    return {
      report: { ...base, findings: inOrder(made.map(asOneFixture)), notices },
      text: renderRunText({ ...report, notices }, { columns: null, colour: false }),
      runs,
      sources: binding.sources,
      made: runFolders(standing, runs).filter((run) => !before.has(run)),
      nothingChanged: false,
    };
  } finally {
    headCopies?.close();
  }
}

/** To a baseline the base's version of a fixture is that fixture: what it did before is not new. */
function asOneFixture(finding: Finding): Finding {
  const fixture = finding.fixture === null ? null : fixtureFile(finding.fixture);
  return fixture === finding.fixture
    ? finding
    : { ...finding, fingerprint: makeFinding({ ...finding, fixture }).fingerprint };
}

function changeNotices(changes: readonly FixtureChange[]): readonly string[] {
  return changes.flatMap((change) => {
    if (change.kind === 'added') return [`this change adds the fixture ${change.file}`];
    if (change.kind === 'changed')
      return [`this change alters the fixture ${change.file}: the base's version was run as well`];
    return [];
  });
}

/** Names of the folders below a runs folder that hold an envelope. */
function runFolders({ world }: Standing, runs: string): readonly string[] {
  const found = world.files.list(runs).flatMap((path) => /^([^/.][^/]*)\/envelope\.json$/.exec(path)?.[1] ?? []);
  return found.sort();
}
