import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import type { SourceCopies } from '../sources/index.js';
import { type HeldFiles, heldFiles, heldIndexLine, heldRunFiles, openArchive, openRunReader } from '../store/index.js';
import { type Desk, examineTask } from './examine-task.js';
import type { BadLine } from './index-table.js';
import type { Examined } from './ports.js';
import { rememberRecords } from './remembered-records.js';
import { openReverification } from './reverify.js';

/** Runs that a door holds in memory, and by what they are judged. */
export interface HeldReverification {
  /** The files by their paths, those of the runs below `folder`. */
  readonly files: HeldFiles;
  readonly folder: string;
  readonly copies: SourceCopies;
  readonly unresolved: UnresolvedPolicy;
  /** Null judges all; runs that are not judged are still there for those that delegated to them. */
  readonly only: ((name: string) => boolean) | null;
  /** Called before every run: a door that does other work in this thread gets its turn. */
  readonly breathe: () => Promise<void>;
}

/** The verdicts in folder-name order, and the first index lines that were ignored. */
export interface HeldVerdicts {
  readonly verdicts: readonly StoredRunVerdict[];
  readonly badLines: readonly BadLine[];
}

/** Judges stored runs that are held in memory as `reverify` judges those on disk (contracts 9 and 10). */
export async function reverifyHeld(work: HeldReverification): Promise<HeldVerdicts> {
  const { files, folder, copies, unresolved, only, breathe } = work;
  const archive = openArchive(heldFiles(files), { folder });
  const readLine = heldIndexLine(files, folder);
  const selection = { shard: null, sinceMs: null, only };
  const opened = await openReverification({ archive, readLine, selection, unresolved });
  const runs = openRunReader(heldRunFiles(files), { folder });
  const desk: Desk = { runs, copies: rememberRecords(copies), readLine, engine: null, filesOf: null };
  const examiner = {
    lanes: 1,
    async examine(tasks: Parameters<typeof examineTask>[0][]) {
      const examined: Examined[] = [];
      for (const task of tasks) {
        await breathe();
        examined.push(examineTask(task, desk));
      }
      return examined;
    },
    close: async () => undefined,
  };
  const verdicts: StoredRunVerdict[] = [];
  for await (const rows of opened.rows({ examiner })) for (const { verdict } of rows) verdicts.push(verdict);
  return { verdicts, badLines: opened.index?.bad.first ?? [] };
}
