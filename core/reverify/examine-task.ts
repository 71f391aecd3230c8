import type { SourceCopies } from '../sources/index.js';
import type { RunContents, RunReader } from '../store/index.js';
import { judgeContents, readContents, storedChildren } from './examine.js';
import type { ReadLine } from './index-table.js';
import { memoryOf, recall, runKey } from './memory.js';
import type { SealedFile } from './merkle.js';
import type { Examined, Task } from './ports.js';
import { compareDocuments, type LineVerdict } from './same-document.js';
import type { SoloVerdict, UnreadableRun } from './solo.js';

/** Where runs are read and judged, and what else is wanted of each. */
export interface Desk {
  readonly runs: RunReader;
  readonly copies: SourceCopies;
  readonly readLine: ReadLine;
  /** The engine under which a cache keeps verdicts; null without a cache. */
  readonly engine: string | null;
  /** Hashes every file of a run's folder; null when no seal is held against the archive. */
  readonly filesOf: ((name: string) => readonly SealedFile[]) | null;
}

/** Reads one run, takes its verdict from the cache or judges it, and looks up the runs that it delegated to. */
export function examineTask(task: Task, desk: Desk): Examined {
  const { name } = task;
  const contents = readContents(name, desk.runs);
  const { solo, memory, fromCache } =
    'kind' in contents ? { solo: contents, ...FRESH } : verdictOn({ task, contents }, desk);
  const line = 'kind' in contents || solo.kind === 'unreadable' ? null : lineOf(task, { contents, desk });
  const children = storedChildren(solo, desk.runs);
  return { run: { name, solo, line, children }, memory, fromCache, files: filesOf(name, desk) };
}

/** None for a run that cannot be walked: then every sealed file of it is missing. */
function filesOf(name: string, desk: Desk): readonly SealedFile[] | null {
  if (desk.filesOf === null) return null;
  try {
    return desk.filesOf(name);
  } catch {
    return [];
  }
}

function lineOf(
  { indexLine }: Task,
  { contents, desk }: { readonly contents: RunContents; readonly desk: Desk },
): LineVerdict | null {
  if (indexLine === undefined || contents.envelope === undefined) return null;
  return compareDocuments(contents.envelope, desk.readLine(indexLine));
}

const FRESH = { memory: null, fromCache: false } as const;

interface Judged {
  readonly solo: SoloVerdict | UnreadableRun;
  readonly memory: string | null;
  readonly fromCache: boolean;
}

function verdictOn(
  { task, contents }: { readonly task: Task; readonly contents: RunContents },
  { copies, engine }: Desk,
): Judged {
  const run = { name: task.name, contents };
  if (engine === null) return { solo: judgeContents(run, copies), ...FRESH };
  const key = runKey(run, engine);
  const known = task.remembered === undefined ? null : recall(task.remembered, { key, copies });
  if (known !== null && task.remembered !== undefined) return { solo: known, memory: task.remembered, fromCache: true };
  const solo = judgeContents(run, copies);
  const memory = solo.kind === 'judged' ? memoryOf({ name: task.name, key }, solo) : null;
  return { solo, memory, fromCache: false };
}
