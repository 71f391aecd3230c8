import { archiveFiles, indexReader } from '../io/archive-files.js';
import { type DeskSettings, openDesk } from '../io/reverify-desk.js';
import { createPool } from '../io/reverify-pool.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { UnresolvedPolicy } from '../model/report.js';
import { examineTask } from '../reverify/examine-task.js';
import type { Examiner } from '../reverify/ports.js';
import { type OpenedArchive, openReverification } from '../reverify/reverify.js';
import type { Seal } from '../reverify/seal.js';
import type { Selection } from '../reverify/select.js';
import type { SourcesLocation } from '../sources/index.js';
import { openArchive } from '../store/index.js';
import { expectedBy } from './seal-archive.js';

/** Runs below which a further thread costs more than it saves: starting one takes about as long as judging these. */
const RUNS_A_LANE = 400;

/** What a reverification is opened from; paths are relative to the process's folder. */
export interface ReverifySettings {
  readonly runs: string;
  readonly sources: SourcesLocation;
  readonly unresolved: UnresolvedPolicy;
  readonly selection: Selection;
  readonly seal: Seal | null;
}

/** Opens an archive for judging. Rejects with GateError `runs-none` when it holds no run that is wanted (contract 9). */
export async function openRuns(settings: ReverifySettings): Promise<OpenedArchive> {
  const { runs, selection, unresolved, seal } = settings;
  const archive = openArchive(archiveFiles(), { folder: runs });
  const index = indexReader(runs);
  const expected = seal === null ? undefined : expectedBy(seal, runs);
  const opened = await openReverification({ archive, readLine: index.read, selection, unresolved, expected });
  index.close();
  if (opened.wanted > 0) return opened;
  throw noRuns(runs, selection);
}

/** Nothing judged is nothing shown: the error for an archive without a run that is wanted (contract 9). */
export function noRuns(folder: string, { only, sinceMs }: Selection): GateError {
  const filtered = only !== null || sinceMs !== null;
  return gateError('runs-none', {
    blame: 'caller',
    message: filtered ? 'no run here is wanted by --only and --since' : 'the folder holds no run',
    remedy: filtered ? 'widen them: nothing judged is nothing shown' : 'name a folder of stored runs',
    place: { file: folder },
  });
}

/** Somebody to examine runs, with what the user should know. */
export interface OpenedExaminer extends Examiner {
  readonly notices: readonly string[];
}

/**
 * Opens an examiner for so many runs: this thread when one job does, else worker threads. The configuration is read here
 * first, so that what contract 6 refuses is refused before anything starts.
 */
export function openExaminer(
  settings: DeskSettings,
  load: { readonly jobs: number; readonly runs: number },
): OpenedExaminer {
  const desk = openDesk(settings);
  const lanes = Math.min(load.jobs, Math.ceil(load.runs / RUNS_A_LANE));
  const { notices } = desk;
  if (lanes > 1) {
    desk.close();
    return { ...createPool(settings, lanes), notices };
  }
  return {
    lanes: 1,
    notices,
    examine: async (tasks) => tasks.map((task) => examineTask(task, desk)),
    close: async () => desk.close(),
  };
}
