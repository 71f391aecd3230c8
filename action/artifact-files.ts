import { join } from 'node:path';
import { REPORT_FILE } from './baseline.js';
import type { Job } from './job.js';
import type { Judged } from './judged.js';
import { REDACTED_FILE, REDACTED_TEXT, redactedFile } from './redact.js';
import type { ActionWorld } from './world.js';
import type { ZipEntry } from './zip.js';

/** What of the runs is stored at the utmost: an archive is made in memory. */
const MOST_RUN_BYTES = 512 * 1024 * 1024;

/** The files of a report, by their names in the report folder. */
export type ReportFiles = ReadonlyMap<string, string>;

/** The folder of the pages, beside report.json and in the artifact. */
export const PAGES_FOLDER = 'html';

/** What is put into an artifact. */
export interface ToStore {
  readonly judged: Judged;
  readonly report: ReportFiles;
  /** The folder of the pages; null when none were written. */
  readonly pages: string | null;
}

/** What the artifact holds, and what was left out of it. */
export interface ArtifactFiles {
  readonly entries: readonly ZipEntry[];
  readonly notes: readonly string[];
}

/** Puts the artifact together: the report, its texts, and the runs that this job made, redacted where that is asked for. */
export function artifactFiles(
  { world, job }: { readonly world: ActionWorld; readonly job: Job },
  { judged, report, pages }: ToStore,
): ArtifactFiles {
  const texts = [...report].map(([name, text]): ZipEntry => ({ name, bytes: Buffer.from(text) }));
  if (!report.has(REPORT_FILE)) throw new Error('an artifact without a report');
  const runs = [...runFiles({ world, job }, judged), ...pageFiles({ world, job }, pages)];
  const bytes = runs.reduce((sum, entry) => sum + entry.bytes.length, 0);
  if (bytes > MOST_RUN_BYTES)
    return { entries: texts, notes: [`artifact: the runs are ${bytes} bytes and were left out`] };
  const marker = job.redact && runs.length > 0 ? [{ name: REDACTED_FILE, bytes: Buffer.from(REDACTED_TEXT) }] : [];
  return { entries: [...texts, ...marker, ...runs], notes: [] };
}

/** The pages that were written beside the report. */
function pageFiles(
  { world, job }: { readonly world: ActionWorld; readonly job: Job },
  pages: string | null,
): readonly ZipEntry[] {
  if (pages === null) return [];
  return world.files.list(pages).flatMap((path): ZipEntry[] => {
    const bytes = world.files.read(join(pages, path));
    return bytes === null ? [] : [{ name: `${PAGES_FOLDER}/${path}`, bytes: scrubbed(bytes, job) }];
  });
}

function runFiles(
  { world, job }: { readonly world: ActionWorld; readonly job: Job },
  { runs, made }: Judged,
): readonly ZipEntry[] {
  if (made.length === 0) return [];
  const folders = made.flatMap((run) => world.files.list(join(runs, run)).map((file) => `${run}/${file}`));
  const index = job.redact ? [] : ['invocations.jsonl'];
  return [...index, ...folders].flatMap((path): ZipEntry[] => {
    const bytes = world.files.read(join(runs, path));
    const file = path.slice(path.indexOf('/') + 1);
    const shown = bytes !== null && job.redact ? redactedFile(file, bytes) : bytes;
    return shown === null ? [] : [{ name: `runs/${path}`, bytes: scrubbed(shown, job) }];
  });
}

/** Bytes stay as they are unless a secret is in them. */
function scrubbed(bytes: Uint8Array, { redactor }: Job): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8');
  const clean = redactor.scrub(text);
  return clean === text ? bytes : Buffer.from(clean);
}
