import { fileLines } from '../io/file-lines.js';
import { sourceFilesFor } from '../io/source-files.js';
import { tarFile } from '../io/tar-file.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { Drift, type DriftSummary, readPrevious } from '../reverify/drift.js';
import type { DriftNote } from '../reverify/drift-note.js';
import type { BadLine } from '../reverify/index-table.js';
import { engineName } from '../reverify/memory.js';
import type { OpenedArchive, Row } from '../reverify/reverify.js';
import { openTar } from '../reverify/reverify-tar.js';
import type { Seal } from '../reverify/seal.js';
import { isInShard, isWanted, type Selection } from '../reverify/select.js';
import { withTampering } from '../reverify/settle.js';
import { loadSources, type SourcesLocation } from '../sources/index.js';
import { noRuns, type OpenedExaminer, openExaminer, openRuns } from './reverify-archive.js';
import { openSeal } from './seal-archive.js';
import { type CacheSettings, openVerdictCache, type VerdictCache } from './verdict-cache.js';

/** Everything that a reverification is told; paths are relative to the process's folder. */
export interface SessionOfRuns {
  readonly runs: string;
  readonly sources: SourcesLocation;
  readonly unresolved: UnresolvedPolicy;
  readonly selection: Selection;
  readonly jobs: number;
  /** This package's version, by which a cache knows its engine. */
  readonly version: string;
  readonly cache: CacheSettings | null;
  /** A `.tar.gz` file that holds the runs; `runs` is then the folder in it. */
  readonly tar: { readonly file: string; readonly root: string | null } | null;
  /** File of a seal that the archive is held against. */
  readonly seal: string | null;
  /** File of an earlier report that this one is compared with. */
  readonly previous: string | null;
  /** When this report is made, RFC 3339. */
  readonly now: string;
}

/** A verdict as it is reported. */
export interface ReportedRun {
  readonly verdict: StoredRunVerdict;
  readonly fromCache: boolean;
  /** Null when there is no earlier report. */
  readonly drift: Partial<DriftNote> | null;
}

/** What is known when every run was judged. */
export interface Ending {
  readonly drift: DriftSummary | null;
  /** Index lines that were ignored. */
  readonly badLines: { readonly count: number; readonly first: readonly BadLine[] };
  /** Lines of the cache that were not to be trusted. */
  readonly refusedMemories: number;
}

/** An archive that is being judged. */
export interface ReverifySession {
  readonly total: number;
  /** Runs of every shard. */
  readonly wanted: number;
  readonly index: { readonly lines: number; readonly bytes: number } | null;
  readonly notices: readonly string[];
  /** One a run, in folder-name order, a batch at a time; may be walked once. */
  rows(): AsyncGenerator<readonly ReportedRun[]>;
  /** Keeps the cache; to be called when every row was walked. */
  finish(): Ending;
  /** Ends the threads; a cache that was not kept stays as it was. */
  close(): Promise<void>;
}

interface Parts {
  readonly settings: SessionOfRuns;
  readonly opened: OpenedArchive;
  readonly examiner: OpenedExaminer;
  readonly seal: Seal | null;
  readonly cache: VerdictCache | null;
  readonly drift: Drift | null;
}

/** Opens a reverification; rejects with a GateError for whatever contract 9 and 6 refuse, and leaves nothing open then. */
export async function openReverify(settings: SessionOfRuns): Promise<ReverifySession> {
  const { runs, sources } = settings;
  if (settings.tar !== null) return openTarSession(settings, settings.tar);
  const seal = settings.seal === null ? null : openSeal(settings.seal);
  const drift = await driftFrom(settings);
  const opened = await openRuns({ ...settings, seal });
  const engine = settings.cache === null ? null : engineName(settings.version);
  const desk = { folder: runs, sources, engine, sealed: seal !== null };
  const examiner = openExaminer(desk, { jobs: settings.jobs, runs: opened.total });
  try {
    const cache = settings.cache === null ? null : await openVerdictCache(settings.cache);
    return sessionOf({ settings, opened, examiner, seal, cache, drift });
  } catch (error) {
    await examiner.close();
    throw error;
  }
}

async function driftFrom({ previous, now }: SessionOfRuns): Promise<Drift | null> {
  return previous === null ? null : new Drift(await readPrevious(fileLines(previous), previous), now);
}

/** The same over a tar stream, which one thread reads. */
async function openTarSession(
  settings: SessionOfRuns,
  { file, root }: { readonly file: string; readonly root: string | null },
): Promise<ReverifySession> {
  const { selection, sources, unresolved } = settings;
  const drift = await driftFrom(settings);
  const copies = loadSources(sourceFilesFor(sources), sources);
  try {
    const opened = await openTar({ entries: tarFile(file), root, selection, unresolved, copies });
    if (opened.wanted === 0) throw noRuns(file, selection);
    const { index } = opened.survey;
    return {
      total: opened.total,
      wanted: opened.wanted,
      index: index?.size ?? null,
      notices: copies.notices,
      async *rows() {
        for await (const verdict of opened.rows())
          yield [{ verdict, fromCache: false, drift: drift?.note(verdict) ?? null }];
      },
      finish: () => ({ refusedMemories: 0, drift: summaryOf(drift, selection), badLines: index?.bad ?? NONE }),
      close: async () => copies.close(),
    };
  } catch (error) {
    copies.close();
    throw error;
  }
}

const NONE = { count: 0, first: [] };

function summaryOf(drift: Drift | null, selection: Selection): DriftSummary | null {
  return drift?.summary((name) => isWanted(name, selection) && isInShard(name, selection)) ?? null;
}

function sessionOf(parts: Parts): ReverifySession {
  const { settings, opened, examiner, cache, drift } = parts;
  const { selection } = settings;
  return {
    total: opened.total,
    wanted: opened.wanted,
    index: opened.index?.size ?? null,
    notices: [...examiner.notices, ...(cache?.notice ? [cache.notice] : [])],
    rows: () => rowsOf(parts),
    finish: () => ({
      refusedMemories: cache?.commit() ?? 0,
      drift: summaryOf(drift, selection),
      badLines: opened.index?.bad ?? NONE,
    }),
    async close() {
      cache?.discard();
      await examiner.close();
    },
  };
}

async function* rowsOf(parts: Parts): AsyncGenerator<readonly ReportedRun[]> {
  const { opened, examiner, cache } = parts;
  const taskOf = cache === null ? undefined : cache.taskOf;
  for await (const rows of opened.rows({ examiner, taskOf })) yield rows.map((row) => reported(row, parts));
}

function reported(row: Row, { cache, seal, drift }: Parts): ReportedRun {
  if (row.examined !== null) cache?.keep(row.examined);
  const verdict = seal === null ? row.verdict : heldAgainst(seal, row);
  return { verdict, fromCache: row.examined?.fromCache ?? false, drift: drift?.note(verdict) ?? null };
}

/** A run that is newer than the seal is unsealed, which is no failure (issue 5). */
function heldAgainst(seal: Seal, { verdict, examined }: Row): StoredRunVerdict {
  const sealed = seal.covers(verdict.run);
  const found = sealed && examined?.files ? seal.compare(verdict.run, examined.files) : [];
  return { ...withTampering(verdict, found), sealed };
}
