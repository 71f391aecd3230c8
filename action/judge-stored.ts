import { join, resolve } from 'node:path';
import { callPages, changedRuns, INDEX_FILE, inOrder, inRepository, removedRunFindings } from '../core/index.js';
import { type Binding, firstUse, type Standing } from './bind.js';
import type { Judged } from './judged.js';
import { storedMode } from './stored-mode.js';

interface StoredChoice {
  readonly binding: Binding;
  readonly only: ReadonlySet<string> | null;
}

/** Stored runs judged again: all of them, or those that are named. */
export async function judgeStored(standing: Standing, { binding, only }: StoredChoice): Promise<Judged> {
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
    runs: resolve(job.folder, inputs.runs),
    sources: binding.sources,
    made: [],
    nothingChanged: false,
  };
}

/** The stored runs that a pull request changes; all of them where nothing says what was changed. */
export async function judgeChanged(standing: Standing, binding: Binding): Promise<Judged> {
  const { job, place } = standing;
  if (binding.base === null || place.base === null) return judgeStored(standing, { binding, only: null });
  const changedPaths = await pathsChanged(standing, place.base);
  // An unknown or incomplete list of changes must not hide a changed run.
  if (changedPaths === null) return judgeStored(standing, { binding, only: null });
  const folder = inRepository(place.prefix, job.inputs.runs);
  // A link in the place of the folder leads to runs that no changed path names.
  if (changedPaths.some((path) => path === folder || folder.startsWith(`${path}/`)))
    return judgeStored(standing, { binding, only: null });
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
    runs: resolve(job.folder, job.inputs.runs),
    sources: binding.sources,
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
  const names = listed.items.map((item) => item.get('filename')?.string());
  if (names.includes(undefined)) return null;
  return [...names, ...listed.items.map((item) => item.present('previous_filename')?.string())].flatMap(
    (name) => name ?? [],
  );
}
