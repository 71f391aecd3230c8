import { createHash } from 'node:crypto';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { verdictLine } from '../report/archive-json.js';
import { ArchiveCounter, type ArchiveSummary, concludeArchive } from '../report/archive-summary.js';
import { summaryNotes, summaryText, verdictText } from '../report/archive-text.js';
import { type Conclusion, concludeCheck } from '../report/conclusion.js';
import { driftLines, driftText } from '../report/drift-text.js';
import { paletteOf } from '../report/palette.js';
import type { SharedFormat } from '../report/render-report.js';
import { reportOfArchive } from '../report/report-of-archive.js';
import type { DriftSummary } from '../reverify/drift.js';
import type { ReportedRun } from '../runner/reverify-session.js';
import type { Call } from './command.js';
import type { FailOn } from './drift-options.js';
import { note } from './note.js';
import { formatOf, sharedText } from './report-format.js';
import { resultStream } from './result-stream.js';
import { settingsOf } from './settings.js';
import { surfaceOf } from './surface.js';

/** Text of a batch that is this long is handed on before the rest of it is told, in UTF-16 code units. */
const LONG_TEXT = 1 << 16;

/** What a report came to. */
export interface EndedReport {
  readonly summary: ArchiveSummary;
  readonly conclusion: Conclusion;
  /** SHA-256 of what was written. */
  readonly sha256: string;
}

/** A report on an archive that is handed over while it is made. */
export interface ArchiveReport {
  add(runs: readonly ReportedRun[]): Promise<void>;
  /** Hands over the rest. */
  end(drift: DriftSummary | null, failOn: FailOn): Promise<EndedReport>;
  /** Leaves `--output` as it was; does nothing after `end`. */
  discard(): void;
}

/** How the runs are told in one format. */
interface Renderer {
  run(run: ReportedRun): string;
  end(
    summary: ArchiveSummary,
    ending: { readonly drift: DriftSummary | null; readonly conclusion: Conclusion },
  ): Promise<string>;
}

/** Begins the report of a call in its `--format`, on runs that stand in a folder; throws GateError `output-unwritable`. */
export function beginReport(call: Call, runsFolder: string): ArchiveReport {
  const renderer = rendererOf(call, runsFolder);
  const result = resultStream(call);
  const counter = new ArchiveCounter();
  const digest = createHash('sha256');
  const write = async (text: string): Promise<void> => {
    digest.update(text);
    await result.write(text);
  };
  return {
    async add(runs) {
      let text = '';
      for (const run of runs) {
        counter.add(run.verdict, run);
        text += renderer.run(run);
        // A hostile run may break a rule a hundred thousand times, and a batch is many runs.
        if (text.length < LONG_TEXT) continue;
        await write(text);
        text = '';
      }
      await write(text);
    },
    async end(drift, failOn) {
      const summary = counter.summary();
      const conclusion = failOn === 'new' ? concludeCheck(drift?.newFailures.length === 0) : concludeArchive(summary);
      await write(await renderer.end(summary, { drift, conclusion }));
      await result.end();
      if (formatOf(call) === 'json') await noteWhole(call, { summary, drift });
      return { summary, conclusion, sha256: digest.digest('hex') };
    },
    discard: () => result.discard(),
  };
}

/** What no line of JSON says, since each is about one run. */
async function noteWhole(
  call: Call,
  { summary, drift }: { readonly summary: ArchiveSummary; readonly drift: DriftSummary | null },
): Promise<void> {
  if (summary.fromCache > 0) await note(call, `${summary.fromCache} of ${summary.runs} taken from the cache`);
  if (drift !== null) for (const line of driftLines(drift)) await note(call, line);
}

function rendererOf(call: Call, runsFolder: string): Renderer {
  const format = formatOf(call);
  if (format === 'json') return JSON_LINES;
  return format === 'text' ? textRenderer(call) : documentRenderer(call, { format, runsFolder });
}

const JSON_LINES: Renderer = {
  run: ({ verdict, drift }) => verdictLine(verdict, drift ?? {}),
  end: async () => '',
};

function textRenderer(call: Call): Renderer {
  const palette = paletteOf(surfaceOf(call).colour);
  return {
    run: ({ verdict }) => verdictText(verdict, palette),
    end: async (summary, { drift }) =>
      summaryText(summary, palette) + (drift === null ? '' : driftText(drift, palette)),
  };
}

/** The other formats are documents, which need every run before they can be written. */
function documentRenderer(
  call: Call,
  { format, runsFolder }: { readonly format: SharedFormat; readonly runsFolder: string },
): Renderer {
  const { unresolved } = settingsOf(call);
  const verdicts: StoredRunVerdict[] = [];
  return {
    run({ verdict }) {
      verdicts.push(verdict);
      return '';
    },
    async end(summary, { drift, conclusion }) {
      const notes = summaryNotes(summary);
      const said = notes.length === 0 ? [] : [`of ${summary.runs} runs: ${notes.join(', ')}`];
      const notices = [...said, ...(drift === null ? [] : driftLines(drift))];
      const report = reportOfArchive(verdicts, { runsFolder, unresolved, notices });
      // What stands on the disk under the name of a folder in a tar stream is another archive.
      const isOnDisk = call.options.text('tar') === undefined;
      return sharedText({ ...report, conclusion, runsFolder: isOnDisk ? report.runsFolder : null }, format);
    },
  };
}
