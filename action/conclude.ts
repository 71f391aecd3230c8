import { join } from 'node:path';
import {
  apiFiles,
  type CommitFiles,
  type Comparison,
  compareReports,
  fromRoot,
  type GateReport,
  pinFinder,
  placeFindings,
  readTraces,
  type Span,
} from '../core/index.js';
import { findBaseline } from './baseline.js';
import type { Standing } from './bind.js';
import type { Trigger } from './events.js';
import type { Judged } from './judged.js';
import { scrubbed } from './scrub.js';
import type { Redactor } from './secrets.js';
import { artifactName } from './sinks.js';
import type { Verdict } from './told.js';
import { underInputs } from './verdict.js';

/** Timelines that are drawn: the summary has room for no more. */
const MOST_TRACES = 20;

/** What was judged, under the inputs and against the baseline, with every finding where it is to be mended. */
export async function concludeJob(standing: Standing, judged: Judged): Promise<Verdict> {
  const { job } = standing;
  const placed = { ...judged.report, findings: await placedFindings(standing, judged.report) };
  const earlier = await earlierReport(standing);
  const against = (report: GateReport): Comparison =>
    earlier.kind === 'found' ? compareReports(earlier.report, report) : { kind: 'no-baseline', reason: earlier.reason };
  const known = job.inputs.failOnNew ? oldFingerprints(against(placed)) : null;
  const report = scrubbed(underInputs(placed, { failOn: job.inputs.failOn, known }), job.redactor);
  const traces = scrubbed(await tracesOf(report, judged), job.redactor);
  return { report, comparison: shown(against(report), job.redactor), traces };
}

/** What is new or unchanged are findings of the report, which are told apart by identity; the rest is the earlier report's. */
function shown(comparison: Comparison, redactor: Redactor): Comparison {
  if (comparison.kind === 'compared') return { ...comparison, fixed: scrubbed(comparison.fixed, redactor) };
  return { ...comparison, reason: redactor.scrub(comparison.reason) };
}

/** With fail-on-new and without a baseline everything is new: nothing is excused by what nobody has seen. */
function oldFingerprints(comparison: Comparison): ReadonlySet<string> {
  return new Set(comparison.kind === 'compared' ? comparison.unchanged.map(({ fingerprint }) => fingerprint) : []);
}

function earlierReport({ world, job }: Standing): ReturnType<typeof findBaseline> {
  const { api, repository, context, trigger } = job;
  return findBaseline(api, {
    query: {
      repository,
      workflowFile: context.workflowFile,
      branch: baselineBranch(trigger),
      artifact: artifactName(job),
      runId: context.runId,
      attempt: context.attempt,
    },
    zlib: world.zlib,
  });
}

/** The branch whose newest run a job is compared with. */
function baselineBranch(trigger: Trigger): string | null {
  if (trigger.kind === 'pull-request' || trigger.kind === 'merge-group') return trigger.baseRef;
  if (trigger.kind !== 'commit') return null;
  return /^refs\/heads\/(.+)$/s.exec(trigger.ref)?.[1] ?? null;
}

/** Runs of the report that failed, drawn as they went. */
async function tracesOf({ findings }: GateReport, { runs }: Judged): Promise<ReadonlyMap<string, readonly Span[]>> {
  const failed = findings.filter(({ level }) => level === 'error').flatMap(({ run }) => run ?? []);
  return readTraces(runs, [...new Set(failed)].slice(0, MOST_TRACES));
}

function placedFindings(standing: Standing, report: GateReport): ReturnType<typeof placeFindings> {
  const { world, job, place } = standing;
  const sourcesFile = fromRoot(place.prefix, job.inputs.sources.sourcesPath) ?? job.inputs.sources.sourcesPath;
  const read = (path: string): Uint8Array | null => world.files.read(join(place.root, path));
  return placeFindings(report.findings, {
    prefix: place.prefix,
    read,
    headBlobs: (paths) => headBlobs(standing, paths),
    pinOf: pinFinder({ file: sourcesFile, named: job.inputs.sources.sourcesPath, bytes: read(sourcesFile) }),
  });
}

/** Lines are those of the head; where its files cannot be looked at, annotations have none. */
async function headBlobs({ job, place }: Standing, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  try {
    const { headSha } = job.trigger;
    const local = place.checkout !== null && (await place.checkout.has(headSha)) ? place.checkout.files(headSha) : null;
    const files: CommitFiles = local ?? apiFiles(job.api, { repository: job.repository, commit: headSha });
    // A path that leads out, which only a person can name, would make git refuse all of them.
    const entries = await files.list(paths.filter((path) => path !== '' && fromRoot('', path) === path));
    return new Map(entries.map(({ path, sha }) => [path, sha]));
  } catch {
    return new Map();
  }
}
