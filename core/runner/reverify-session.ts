import { fileLines } from '../io/file-lines.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { Drift, type DriftNote, type DriftSummary, readPrevious } from '../reverify/drift.js';
import type { BadLine } from '../reverify/index-table.js';
import { engineName } from '../reverify/memory.js';
import type { OpenedArchive, Row } from '../reverify/reverify.js';
import type { Seal } from '../reverify/seal.js';
import { isInShard, isWanted, type Selection } from '../reverify/select.js';
import { withTampering } from '../reverify/settle.js';
import type { SourcesLocation } from '../sources/index.js';
import { type OpenedExaminer, openExaminer, openRuns } from './reverify-archive.js';
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
  readonly drift: DriftNote | null;
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
  /** May be walked once. */
  rows(): AsyncGenerator<ReportedRun>;
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
  const { runs, sources, previous } = settings;
  const seal = settings.seal === null ? null : openSeal(settings.seal);
  const drift = previous === null ? null : new Drift(await readPrevious(fileLines(previous), previous), settings.now);
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
      drift: drift?.summary((name) => isWanted(name, selection) && isInShard(name, selection)) ?? null,
      badLines: opened.index?.bad ?? { count: 0, first: [] },
    }),
    async close() {
      cache?.discard();
      await examiner.close();
    },
  };
}

async function* rowsOf({ opened, examiner, cache, seal, drift }: Parts): AsyncGenerator<ReportedRun> {
  const taskOf = cache === null ? undefined : cache.taskOf;
  for await (const row of opened.rows({ examiner, taskOf })) {
    if (row.examined !== null) cache?.keep(row.examined);
    const verdict = seal === null ? row.verdict : heldAgainst(seal, row);
    yield { verdict, fromCache: row.examined?.fromCache ?? false, drift: drift?.note(verdict) ?? null };
  }
}

/** A run that is newer than the seal is unsealed, which is no failure (issue 5). */
function heldAgainst(seal: Seal, { verdict, examined }: Row): StoredRunVerdict {
  const sealed = seal.covers(verdict.run);
  const found = sealed && examined?.files ? seal.compare(verdict.run, examined.files) : [];
  return { ...withTampering(verdict, found), sealed };
}
