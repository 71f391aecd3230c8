import { join } from 'node:path';
import {
  type Finding,
  type GateReport,
  gateError,
  inOrder,
  makeFinding,
  renderRunText,
  reportOfRun,
} from '../core/index.js';
import { inRepository } from './base-fixture-files.js';
import { type Binding, bind, bindFixtures, firstUse, openHeadCopies, type Standing } from './bind.js';
import { changedRuns, INDEX_FILE } from './changed-runs.js';
import { fetchRuns } from './fetch-runs.js';
import { callPages } from './github-client.js';
import type { FixtureChange } from './merge-fixtures.js';
import { principalOf } from './principal.js';
import { runMode } from './run-mode.js';
import { removedRunFindings, storedMode } from './stored-mode.js';
import { changeFindings, fixtureFile, headSourceFindings } from './verdict.js';

/** What was judged, before the inputs decide what of it breaks the verdict. */
export interface Judged {
  readonly report: GateReport;
  /** The table of a fixtures run, for the log; empty for stored runs. */
  readonly text: string;
  /** The folder that holds the runs of the report. */
  readonly runs: string;
  /** Runs that this job has made, to be stored; none where they were stored before. */
  readonly made: readonly string[];
  /** Nothing that the pull request changes could be judged, because it changes no stored run. */
  readonly nothingChanged: boolean;
}

/** How the work can be ended early. */
export interface Interruptible {
  readonly onOpen: (interrupt: () => Promise<void>) => void;
}

/** Judges by the mode of the inputs; what another workflow's run stored is judged again, whatever the mode. */
export async function judgeJob(standing: Standing, stop: Interruptible): Promise<Judged> {
  const { job } = standing;
  if (job.trigger.kind === 'workflow-run') return judgeFetched(standing);
  const binding = await bind(standing);
  switch (job.inputs.mode) {
    case 'run':
      return judgeFixtures(standing, { binding, stop });
    case 'verify':
      return judgeChanged(standing, binding);
    case 'reverify':
      return judgeStored(standing, { binding, only: null });
  }
}

async function judgeFixtures(
  standing: Standing,
  { binding, stop }: { readonly binding: Binding; readonly stop: Interruptible },
): Promise<Judged> {
  const { world, job } = standing;
  const { inputs, trigger, context } = job;
  const plan = await bindFixtures(binding, standing);
  const runs = join(job.folder, inputs.runs);
  const before = new Set(runFolders(standing, runs));
  // Opened before any agent runs: none of them can change what it is judged by.
  const headCopies = openHeadCopies(binding);
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
      onOpen: stop.onOpen,
    });
    const base = reportOfRun(report);
    const made = [...base.findings, ...changeFindings(plan.changes), ...headSourceFindings(base, headSources)];
    const notices = [...firstUse(binding, plan), ...binding.notices, ...changeNotices(plan.changes), ...base.notices];
    return {
      report: { ...base, findings: inOrder(made.map(asOneFixture)), notices },
      text: renderRunText({ ...report, notices }, { columns: null, colour: false }),
      runs,
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

interface StoredChoice {
  readonly binding: Binding;
  readonly only: ReadonlySet<string> | null;
}

async function judgeStored(standing: Standing, { binding, only }: StoredChoice): Promise<Judged> {
  const { world, job } = standing;
  const { inputs } = job;
  const report = await storedMode({
    runs: inputs.runs,
    shownAs: inputs.runs.replace(/\/+$/, ''),
    sources: binding.sources,
    headSources: binding.headSources,
    only,
    unresolved: inputs.unresolved,
    jobs: inputs.jobs ?? world.cores,
  });
  const notices = [...firstUse(binding, null), ...binding.notices, ...report.notices];
  return {
    report: { ...report, notices },
    text: '',
    runs: join(job.folder, inputs.runs),
    made: [],
    nothingChanged: false,
  };
}

/** The stored runs that a pull request changes; all of them where nothing says what was changed. */
async function judgeChanged(standing: Standing, binding: Binding): Promise<Judged> {
  const { job, place } = standing;
  if (binding.base === null || place.base === null) return judgeStored(standing, { binding, only: null });
  const changedPaths = await pathsChanged(standing, place.base);
  // An unknown or incomplete list of changes must not hide a changed run.
  if (changedPaths === null) return judgeStored(standing, { binding, only: null });
  const folder = inRepository(place.prefix, job.inputs.runs);
  const index = folder === '' ? INDEX_FILE : `${folder}/${INDEX_FILE}`;
  const { files } = standing.world;
  const indexEntry = (await binding.base.list([index]))[0];
  const change = changedRuns({
    folder,
    changedPaths,
    indexBefore: indexEntry === undefined ? null : await binding.base.read(indexEntry.sha),
    indexAfter: files.read(join(place.root, index)),
    isThere: (run) => files.isFolder(join(place.root, folder, run)),
  });
  const wanted = [...change.touched].filter((run) => !change.removed.includes(run));
  const judged =
    wanted.length === 0
      ? nothingChanged(standing, binding)
      : await judgeStored(standing, { binding, only: new Set(wanted) });
  const removed = removedRunFindings(change.removed, job.inputs.runs.replace(/\/+$/, ''));
  if (removed.length === 0) return judged;
  const findings = inOrder([...judged.report.findings, ...removed]);
  return { ...judged, nothingChanged: false, report: { ...judged.report, findings, conclusion: 'failed' } };
}

function nothingChanged({ job }: Standing, binding: Binding): Judged {
  const notice = `this change alters no stored run below ${job.inputs.runs}: nothing was judged`;
  return {
    report: {
      command: 'reverify',
      conclusion: 'passed',
      policyBundleRef: null,
      runsFolder: job.inputs.runs,
      unresolvedPolicy: job.inputs.unresolved,
      subjects: [],
      findings: [],
      notices: [notice, ...binding.notices],
    },
    text: '',
    runs: join(job.folder, job.inputs.runs),
    made: [],
    nothingChanged: true,
  };
}

/** GitHub lists at most so many files of a pull request. */
const MOST_FILES = 3_000;

async function pathsChanged({ job, place }: Standing, commit: string): Promise<readonly string[] | null> {
  const { checkout } = place;
  if (checkout !== null && (await checkout.has(commit))) {
    const paths = await checkout.changedSince(commit);
    if (paths !== null) return paths;
  }
  if (job.trigger.kind !== 'pull-request') return null;
  const listed = await callPages(
    job.api,
    {
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { ...job.repository, pull_number: job.trigger.number },
    },
    { most: MOST_FILES },
  );
  if (listed.kind === 'refused' || listed.items.length >= MOST_FILES) return null;
  return listed.items.flatMap((item) =>
    [item.get('filename')?.string() ?? [], item.present('previous_filename')?.string() ?? []].flat(),
  );
}

/** What another workflow's run has stored, judged again by the configuration that is checked out here. */
async function judgeFetched(standing: Standing): Promise<Judged> {
  const { world, job } = standing;
  const { inputs, trigger } = job;
  if (trigger.kind !== 'workflow-run') throw new Error('only what another run has stored is fetched');
  const folders = await fetchRuns(standing, trigger);
  const reports = [];
  for (const folder of folders)
    reports.push(
      await storedMode({
        runs: folder,
        shownAs: 'runs',
        sources: inputs.sources,
        headSources: null,
        only: null,
        unresolved: inputs.unresolved,
        jobs: inputs.jobs ?? world.cores,
      }),
    );
  const [first] = reports;
  if (first === undefined || folders[0] === undefined)
    throw gateError('artifact-refused', {
      blame: 'configuration',
      message: `the run ${trigger.runId} has stored no runs that could be judged again`,
      remedy: 'let its workflow run this Action with upload set and redact: false',
    });
  const notice = `judged again from what the run ${trigger.runId} has stored: that its agents ran as it says is that run's word`;
  const report: GateReport = {
    ...first,
    conclusion: reports.some(({ conclusion }) => conclusion !== 'passed') ? 'failed' : 'passed',
    subjects: reports.flatMap(({ subjects }) => subjects),
    findings: inOrder(reports.flatMap(({ findings }) => findings)),
    notices: [notice, ...new Set(reports.flatMap(({ notices }) => notices))],
  };
  return { report, text: '', runs: folders[0], made: [], nothingChanged: false };
}
