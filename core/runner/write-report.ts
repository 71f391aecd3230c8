import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { FILES_FOLDER, filesPath, MARKER_FILE, OVERVIEW_FILE, pagePath, RUNS_FOLDER } from '../html/names.js';
import { overviewParts } from '../html/overview-page.js';
import { OverviewRows } from '../html/overview-rows.js';
import { OverviewStats } from '../html/overview-stats.js';
import type { ReportFolder } from '../html/ports.js';
import type { AgentOfRun, Download, ReportedRun } from '../html/run-facts.js';
import { renderRun } from '../html/run-page.js';
import { archiveFiles } from '../io/archive-files.js';
import { systemClock } from '../io/clock.js';
import { openReportFolder } from '../io/report-folder.js';
import { sourceFilesFor } from '../io/source-files.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import type { RuleId, Violation } from '../model/violation.js';
import type { DeclaredDerivation } from '../report/run-report.js';
import { rememberRecords } from '../reverify/remembered-records.js';
import type { OpenedArchive } from '../reverify/reverify.js';
import type { Selection } from '../reverify/select.js';
import { loadSources, type SourceCopies, type SourcesLocation } from '../sources/index.js';
import { openArchive, RUN_FILES, type RunArchive, type RunContents, type RunFile } from '../store/index.js';
import { type OpenedExaminer, openExaminer, openRuns } from './reverify-archive.js';
import { crateFiles, downloadOf, type NamedFile, namedFiles, readableContents, segmentOf } from './run-files.js';

/** What a report is made from; paths are relative to the process's folder. */
export interface ReportSettings {
  readonly runs: string;
  readonly sources: SourcesLocation;
  readonly unresolved: UnresolvedPolicy;
  readonly selection: Selection;
  readonly jobs: number;
  readonly output: { readonly path: string; readonly folder: string };
  /** What the report calls the folder of the runs. */
  readonly shownAs: string;
  /** Null copies the files of runs into the report, a text is the way from its pages to the runs folder. */
  readonly linkTo: string | null;
  /** The fixture that a run was made for. */
  readonly fixtureOf?: ((run: string) => string | null) | undefined;
  /** What an agent declares of how its values are made; only of the version that made the run. */
  readonly derivationsOf?:
    | ((agent: AgentOfRun & { readonly run: string }) => readonly DeclaredDerivation[])
    | undefined;
  /** Without it everything is shown. */
  readonly redaction?: Redaction | undefined;
  /** Things that a reader should know, a line each. */
  readonly notices?: readonly string[] | undefined;
}

/** What may be shown of runs that hold more than their readers may see. */
export interface Redaction {
  /** What of a file may be shown; null shows nothing of it. */
  file(name: string, bytes: Uint8Array): Uint8Array | null;
  /** What of a message may be shown. */
  text(text: string): string;
  /** Whether what is left of a file has the lines of the file. */
  readonly keepsLines: boolean;
}

/** A report that is being written. */
export interface ReportInProgress {
  readonly total: number;
  readonly notices: readonly string[];
  /** Writes one page a run; to be walked to its end once. */
  pages(): AsyncGenerator<StoredRunVerdict>;
  /** Writes the overview, and puts the report in place of an earlier one. */
  finish(): void;
  /** Ends the threads; a report that was not finished leaves what was there. */
  close(): Promise<void>;
}

/** The file by which a folder is known to be a report, and its whole text. */
const MARK = {
  file: MARKER_FILE,
  text: '{"kind": "grounding-report", "version": 1}\n',
  names: [OVERVIEW_FILE, RUNS_FOLDER, FILES_FOLDER, MARKER_FILE],
};

/**
 * Opens a report over stored runs, which are judged again for it. Rejects as `reverify` does, and with GateError
 * `report-folder-refused` where something else stands; nothing is left open then.
 */
export async function openReport(settings: ReportSettings): Promise<ReportInProgress> {
  const { runs, sources, jobs } = settings;
  const opened = await openRuns({ ...settings, seal: null });
  const folder = openReportFolder(settings.output, MARK);
  try {
    const desk = { folder: runs, sources, engine: null, sealed: false };
    const examiner = openExaminer(desk, { jobs, runs: opened.total });
    const copies = rememberRecords(loadSources(sourceFilesFor(sources), sources));
    const archive = openArchive(archiveFiles(), { folder: runs });
    return new Report({ settings, opened, folder, examiner, copies, archive });
  } catch (error) {
    folder.discard();
    throw error;
  }
}

interface Parts {
  readonly settings: ReportSettings;
  readonly opened: OpenedArchive;
  readonly folder: ReportFolder;
  readonly examiner: OpenedExaminer;
  readonly copies: SourceCopies;
  readonly archive: RunArchive;
}

const ROWS = 'rows';

class Report implements ReportInProgress {
  readonly #parts: Parts;
  readonly #stats = new OverviewStats();
  readonly #rows = new OverviewRows();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get total(): number {
    return this.#parts.opened.total;
  }

  get notices(): readonly string[] {
    return this.#parts.examiner.notices;
  }

  async *pages(): AsyncGenerator<StoredRunVerdict> {
    const { opened, examiner, folder, settings } = this.#parts;
    for await (const rows of opened.rows({ examiner }))
      for (const { verdict } of rows) {
        const { page, summary } = renderRun(await this.#reported(verdict), { unresolved: settings.unresolved });
        folder.write(pagePath(verdict.run), page);
        this.#stats.add(summary);
        folder.append(ROWS, this.#rows.row(summary));
        yield verdict;
      }
  }

  finish(): void {
    const { folder, settings, opened } = this.#parts;
    const bad = opened.index?.bad ?? { count: 0, first: [] };
    const facts = {
      runsFolder: settings.shownAs,
      madeMs: Number(systemClock().nowNs() / 1_000_000n),
      version: manifest.version,
      notices: [
        ...this.notices,
        ...(bad.count === 0 ? [] : [`${bad.count} lines of the index were ignored, since they cannot be read.`]),
        ...(settings.notices ?? []),
      ],
    };
    const { before, after } = overviewParts(this.#stats.overview(), { facts, rows: this.#rows });
    folder.compose(OVERVIEW_FILE, [before, { appended: ROWS }, after]);
    folder.commit();
  }

  async close(): Promise<void> {
    const { folder, examiner, copies } = this.#parts;
    folder.discard();
    copies.close();
    await examiner.close();
  }

  /** A run with its files, which go into the report on the way unless it only leads to them. */
  async #reported(verdict: StoredRunVerdict): Promise<ReportedRun> {
    const { settings, archive, opened, copies } = this.#parts;
    const { run } = verdict;
    const stored = (await archive.find(run))?.kind === 'folder' ? await readableContents(run, archive) : NOTHING;
    const { redaction } = settings;
    const contents = redaction === undefined ? stored : redacted(stored, redaction);
    return {
      verdict: redaction === undefined ? verdict : redactedVerdict(verdict, redaction),
      contents,
      copies,
      downloads: await this.#downloads(run, contents),
      hasPage: opened.has,
      fixture: settings.fixtureOf?.(run) ?? null,
      derivationsOf: (agent) => settings.derivationsOf?.({ ...agent, run }) ?? [],
    };
  }

  #shown(files: readonly NamedFile[]): readonly NamedFile[] {
    const { redaction } = this.#parts.settings;
    if (redaction === undefined) return files;
    return files.flatMap(({ name, bytes }) => {
      const shown = redaction.file(name, bytes);
      return shown === null ? [] : [{ name, bytes: shown }];
    });
  }

  async #downloads(run: string, contents: RunContents): Promise<readonly Download[]> {
    const { settings, folder, archive } = this.#parts;
    const files = archiveFiles();
    const listed = (await archive.find(run))?.kind === 'folder';
    const crate = listed ? await crateFiles(join(settings.runs, run), { files, contents }) : [];
    const all = [...namedFiles(contents), ...this.#shown(crate)];
    if (settings.linkTo !== null) {
      const base = `${settings.linkTo}/${segmentOf(run)}`;
      return all.map((file) => downloadOf(file, base));
    }
    for (const { name, bytes } of all) folder.write(`${filesPath(run)}/${name}`, bytes);
    return all.map((file) => downloadOf(file, `../${filesPath(run)}`));
  }
}

const NOTHING: RunContents = {
  request: undefined,
  envelope: undefined,
  spans: undefined,
  grounding: undefined,
  sources: undefined,
};

function redacted(contents: RunContents, redaction: Redaction): RunContents {
  const shown = (file: RunFile): Uint8Array | undefined => {
    const bytes = contents[file];
    return bytes === undefined ? undefined : (redaction.file(RUN_FILES[file], bytes) ?? undefined);
  };
  return {
    request: shown('request'),
    envelope: shown('envelope'),
    spans: shown('spans'),
    grounding: shown('grounding'),
    sources: shown('sources'),
  };
}

/** Messages may quote what must not be shown, and lines of a file may not be those of what is left of it. */
function redactedVerdict(verdict: StoredRunVerdict, { text, keepsLines }: Redaction): StoredRunVerdict {
  const { grounding, sources, error, tampering } = verdict;
  const shown = <Rule extends RuleId>({ place, message, sourceId, ...rest }: Violation<Rule>): Violation<Rule> => ({
    ...rest,
    ...(keepsLines && place !== undefined ? { place } : {}),
    message: text(message),
    ...(sourceId === undefined ? {} : { sourceId: text(sourceId) }),
  });
  return {
    ...verdict,
    grounding: grounding && { ...grounding, violations: grounding.violations.map(shown) },
    sources: sources && {
      ...sources,
      violations: sources.violations.map(shown),
      unresolved: sources.unresolved.map((item) => ({ ...item, sourceId: text(item.sourceId) })),
    },
    error: error && text(error),
    tampering: tampering.map((one) => ({ ...one, message: text(one.message) })),
  };
}
