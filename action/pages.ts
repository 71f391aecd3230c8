import { join } from 'node:path';
import { type DeclaredDerivation, openReport, type ReportSettings } from '../core/index.js';
import { PAGES_FOLDER } from './artifact-files.js';
import type { Job } from './job.js';
import type { Judged } from './judged.js';
import { redactedFile } from './redact.js';
import { artifactName, type Telling } from './sinks.js';

/**
 * Writes the runs of a verdict as pages and gives their folder; null when none are wanted, or there is no run. The runs are
 * judged again for it, by what they were judged by.
 */
export async function writePages(
  { world, job }: Telling,
  { judged, folder }: { readonly judged: Judged; readonly folder: string | null },
): Promise<string | null> {
  const wanted = new Set([...judged.made, ...judged.report.subjects.flatMap(({ run }) => run ?? [])]);
  if (!job.inputs.html || folder === null || wanted.size === 0) return null;
  const report = await openReport({
    runs: judged.runs,
    shownAs: job.inputs.runs,
    sources: judged.sources,
    unresolved: job.inputs.unresolved,
    selection: { shard: null, sinceMs: null, only: (name) => wanted.has(name) },
    jobs: job.inputs.jobs ?? world.cores,
    output: { path: PAGES_FOLDER, folder },
    linkTo: isBesideRuns(job, judged) ? '../../runs' : null,
    ...aboutRuns(judged),
    ...redactionOf(job),
  });
  try {
    for await (const _ of report.pages());
    report.finish();
    return join(folder, PAGES_FOLDER);
  } finally {
    await report.close();
  }
}

/** The artifact holds the runs that this job made, each once: there the pages lead to them. */
function isBesideRuns(job: Job, { made }: Judged): boolean {
  return artifactName(job) !== null && made.length > 0;
}

function aboutRuns({ report }: Judged): Pick<ReportSettings, 'fixtureOf' | 'derivationsOf'> {
  const fixtures = new Map(report.subjects.map(({ run, fixture }) => [run, fixture]));
  const derivations = new Map<string | null, readonly DeclaredDerivation[]>(
    report.subjects.map((subject) => [subject.run, subject.derivations]),
  );
  return {
    fixtureOf: (run) => fixtures.get(run) ?? null,
    derivationsOf: ({ run }) => derivations.get(run) ?? [],
  };
}

/** Secrets never leave the job, payloads not that of a public repository. */
function redactionOf({ redact, redactor }: Job): Pick<ReportSettings, 'redaction' | 'notices'> {
  const scrub = (bytes: Uint8Array): Uint8Array => {
    const text = Buffer.from(bytes).toString('utf8');
    const clean = redactor.scrub(text);
    return clean === text ? bytes : Buffer.from(clean);
  };
  return {
    redaction: {
      file(name, bytes) {
        const shown = redact ? redactedFile(name, bytes) : bytes;
        return shown === null ? null : scrub(shown);
      },
      text: (text) => redactor.scrub(text),
      keepsLines: !redact,
    },
    notices: redact
      ? ['Payloads, inputs and principals are left out, and with them citations and timelines: redact is on.']
      : [],
  };
}
