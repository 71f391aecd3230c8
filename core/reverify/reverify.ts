import { byCodePoint } from '../json/index.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict, Tampering } from '../model/stored-run.js';
import type { RunArchive } from '../store/index.js';
import { IndexTable, type ReadLine } from './index-table.js';
import type { Examined, Examiner, Task } from './ports.js';
import { isInShard, isWanted, type Selection } from './select.js';
import { NO_FOLDER, settleRun, tamperedRun } from './settle.js';

/**
 * The most runs that a lane takes at a time. Handing a batch to another thread and waiting for the next costs as much as
 * judging dozens of runs; within one thread a batch is what the rest of the process waits for.
 */
const LARGEST_BATCH = { own: 32, thread: 128 } as const;
/** Every lane gets at least so many batches, so that all end at about the same time. */
const BATCHES_A_LANE = 16;

/** What is to be judged. */
export interface Reverification {
  readonly archive: Pick<RunArchive, 'runs' | 'hasIndex' | 'indexBatches'>;
  readonly readLine: ReadLine;
  readonly selection: Selection;
  readonly unresolved: UnresolvedPolicy;
  /** What a seal expects: names with what is to be said of each that has no folder. */
  readonly expected?: ReadonlyMap<string, readonly Tampering[]> | undefined;
}

/** Who judges the runs. */
export interface Staff {
  readonly examiner: Examiner;
  /** Adds to the task of a run; called in the order of the runs. */
  readonly taskOf?: ((task: Task) => Task | Promise<Task>) | undefined;
}

/** An archive that was opened for judging; `rows` may be walked once. */
export interface OpenedArchive {
  /** Null for an archive without an index file. */
  readonly index: IndexTable | null;
  /** Runs that are wanted, in whatever shard: none means that there is nothing to judge. */
  readonly wanted: number;
  /** Runs of this shard. */
  readonly total: number;
  /** Whether one of the rows is about this run. */
  readonly has: (name: string) => boolean;
  /** One row a run, in folder-name order, a batch at a time: waiting for each would cost more than telling of it. */
  rows(staff: Staff): AsyncGenerator<readonly Row[]>;
}

/** A verdict with what its examination left; null for an index line without a folder. */
export interface Row {
  readonly verdict: StoredRunVerdict;
  readonly examined: Examined | null;
}

/** Reads the index and the names of an archive; nothing is judged until the rows are walked. */
export async function openReverification(work: Reverification): Promise<OpenedArchive> {
  const { archive, selection } = work;
  const stored = new Map<string, number>();
  for (const { name } of await archive.runs()) stored.set(name, stored.size);
  const index = (await archive.hasIndex()) ? await readIndex(work, stored) : null;
  const lost = new Set(index?.lost());
  for (const id of work.expected?.keys() ?? []) if (!stored.has(id)) lost.add(id);
  const wanted = [...stored.keys(), ...lost].filter((name) => isWanted(name, selection)).sort(byCodePoint);
  const names = wanted.filter((name) => isInShard(name, selection));
  const isThere = (name: string): boolean => stored.has(name) || lost.has(name);
  return {
    has: (name) => isThere(name) && isWanted(name, selection) && isInShard(name, selection),
    index,
    wanted: wanted.length,
    total: names.length,
    rows: (staff) => rowsOf(names, { work, staff, index, isStored: (name) => stored.has(name) }),
  };
}

async function readIndex(work: Reverification, stored: ReadonlyMap<string, number>): Promise<IndexTable> {
  const table = new IndexTable(stored);
  for await (const lines of work.archive.indexBatches()) for (const line of lines) table.add(line);
  table.settle(work.readLine);
  return table;
}

interface Context {
  readonly work: Reverification;
  readonly staff: Staff;
  readonly index: IndexTable | null;
  readonly isStored: (name: string) => boolean;
}

/** Keeps every lane busy, and no more than two batches a lane in memory. */
async function* rowsOf(names: readonly string[], context: Context): AsyncGenerator<readonly Row[]> {
  const { lanes } = context.staff.examiner;
  const largest = lanes === 1 ? LARGEST_BATCH.own : LARGEST_BATCH.thread;
  const size = Math.max(1, Math.min(largest, Math.ceil(names.length / (lanes * BATCHES_A_LANE))));
  const running: Promise<readonly Row[]>[] = [];
  try {
    for (let at = 0; at < names.length; at += size) {
      const part = names.slice(at, at + size);
      // Made here, one batch after the other, since the cache is walked in the order of the runs.
      const batch = examineBatch({ names: part, tasks: await tasksOf(part, context) }, context);
      // An error is told where the batch is awaited; until then it must not count as unhandled.
      batch.catch(() => undefined);
      running.push(batch);
      if (running.length < lanes * 2) continue;
      yield (await running.shift()) ?? [];
    }
    for (let batch = running.shift(); batch !== undefined; batch = running.shift()) yield await batch;
  } finally {
    await Promise.allSettled(running);
  }
}

async function tasksOf(names: readonly string[], { staff, index, isStored }: Context): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (const name of names) {
    if (!isStored(name)) continue;
    const task: Task = { name, indexLine: index?.lines(name) === 1 ? index.position(name) : undefined };
    tasks.push(staff.taskOf === undefined ? task : await staff.taskOf(task));
  }
  return tasks;
}

async function examineBatch(
  { names, tasks }: { readonly names: readonly string[]; readonly tasks: readonly Task[] },
  { work, staff, index, isStored }: Context,
): Promise<readonly Row[]> {
  const examined = tasks.length === 0 ? [] : await staff.examiner.examine(tasks);
  const byName = new Map(examined.map((one) => [one.run.name, one]));
  return names.map((name) => {
    if (!isStored(name)) return { verdict: lostRun(name, { work, index }), examined: null };
    const one = byName.get(name);
    if (one === undefined) throw new Error(`no verdict came back for the run ${name}`);
    noteBadLine(one, index);
    return { verdict: settleRun(one.run, { index, unresolved: work.unresolved }), examined: one };
  });
}

/** What the index and a seal say of a run that has no folder. */
function lostRun(name: string, { work, index }: Pick<Context, 'work' | 'index'>): StoredRunVerdict {
  const indexed = (index?.lines(name) ?? 0) > 0 ? [NO_FOLDER] : [];
  return tamperedRun(name, [...indexed, ...(work.expected?.get(name) ?? [])]);
}

function noteBadLine({ run }: Examined, index: IndexTable | null): void {
  if (run.line === null || typeof run.line === 'string') return;
  const position = index?.position(run.name);
  if (position !== undefined) index?.refuse({ line: position.line, reason: run.line.unreadable });
}
